#include "CStudio.h"

#include <string.h>

/* The files of page/, which the compiler reads: https://en.cppreference.com/w/c/preprocessor/embed */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char api_js[] = {
#embed "page/api.js"
};
static const unsigned char cell_js[] = {
#embed "page/cell.js"
};
static const unsigned char detail_js[] = {
#embed "page/detail.js"
};
static const unsigned char diagram_js[] = {
#embed "page/diagram.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char drawing_js[] = {
#embed "page/drawing.js"
};
static const unsigned char edits_js[] = {
#embed "page/edits.js"
};
static const unsigned char filters_js[] = {
#embed "page/filters.js"
};
static const unsigned char grid_js[] = {
#embed "page/grid.js"
};
static const unsigned char health_js[] = {
#embed "page/health.js"
};
static const unsigned char layers_js[] = {
#embed "page/layers.js"
};
static const unsigned char layout_js[] = {
#embed "page/layout.js"
};
static const unsigned char live_js[] = {
#embed "page/live.js"
};
static const unsigned char main_js[] = {
#embed "page/main.js"
};
static const unsigned char return_js[] = {
#embed "page/return.js"
};
static const unsigned char rows_js[] = {
#embed "page/rows.js"
};
static const unsigned char source_js[] = {
#embed "page/source.js"
};
static const unsigned char sql_js[] = {
#embed "page/sql.js"
};
static const unsigned char state_js[] = {
#embed "page/state.js"
};
static const unsigned char store_js[] = {
#embed "page/store.js"
};
static const unsigned char values_js[] = {
#embed "page/values.js"
};
static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char views_css[] = {
#embed "page/views.css"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};

static const cstudio_file files[] = {
    {"/", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"/api.js", "text/javascript; charset=utf-8", api_js, sizeof api_js},
    {"/cell.js", "text/javascript; charset=utf-8", cell_js, sizeof cell_js},
    {"/detail.js", "text/javascript; charset=utf-8", detail_js, sizeof detail_js},
    {"/diagram.js", "text/javascript; charset=utf-8", diagram_js, sizeof diagram_js},
    {"/dom.js", "text/javascript; charset=utf-8", dom_js, sizeof dom_js},
    {"/drawing.js", "text/javascript; charset=utf-8", drawing_js, sizeof drawing_js},
    {"/edits.js", "text/javascript; charset=utf-8", edits_js, sizeof edits_js},
    {"/filters.js", "text/javascript; charset=utf-8", filters_js, sizeof filters_js},
    {"/grid.js", "text/javascript; charset=utf-8", grid_js, sizeof grid_js},
    {"/health.js", "text/javascript; charset=utf-8", health_js, sizeof health_js},
    {"/layers.js", "text/javascript; charset=utf-8", layers_js, sizeof layers_js},
    {"/layout.js", "text/javascript; charset=utf-8", layout_js, sizeof layout_js},
    {"/live.js", "text/javascript; charset=utf-8", live_js, sizeof live_js},
    {"/main.js", "text/javascript; charset=utf-8", main_js, sizeof main_js},
    {"/return.js", "text/javascript; charset=utf-8", return_js, sizeof return_js},
    {"/rows.js", "text/javascript; charset=utf-8", rows_js, sizeof rows_js},
    {"/source.js", "text/javascript; charset=utf-8", source_js, sizeof source_js},
    {"/sql.js", "text/javascript; charset=utf-8", sql_js, sizeof sql_js},
    {"/state.js", "text/javascript; charset=utf-8", state_js, sizeof state_js},
    {"/store.js", "text/javascript; charset=utf-8", store_js, sizeof store_js},
    {"/values.js", "text/javascript; charset=utf-8", values_js, sizeof values_js},
    {"/style.css", "text/css; charset=utf-8", style_css, sizeof style_css},
    {"/views.css", "text/css; charset=utf-8", views_css, sizeof views_css},
    {"/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
};

const cstudio_file *cstudio_find(const char *path) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    }
    return NULL;
}
