#include "migrations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static corm_model *models[64];
static size_t model_count;

corm_model *made(corm_model_def definition) {
    corm_model *model;
    definition.struct_size = sizeof(corm_model_def);
    definition.column_def_size = sizeof(corm_column_def);
    definition.key_def_size = sizeof(corm_key_def);
    definition.reference_def_size = sizeof(corm_reference_def);
    OK(corm_model_create(&definition, &model, &failure));
    assert_true(model_count < sizeof models / sizeof models[0]);
    models[model_count++] = model;
    return model;
}

corm_model *pets_with_names(void) {
    return made((corm_model_def){.name = "Pet",
                                 COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT))});
}

corm_model *pets_with(corm_column_def column) {
    const corm_column_def columns[] = {COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT),
                                       column};
    return made((corm_model_def){.name = "Pet", .columns = columns, .column_count = 3});
}

int set_up_empty(void **state) {
    set_up(state);
    run_script("DROP TABLE person");
    return 0;
}

int tear_down_migrations(void **state) {
    while (model_count > 0)
        corm_model_free(models[--model_count]);
    return tear_down(state);
}

const char *made_by(const char *name) {
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT coalesce((SELECT sql FROM sqlite_schema WHERE name = '%s'), '')", name);
    return select_text(sql);
}

bool is_there(const char *name) { return made_by(name)[0] != 0; }

void says(const char *part) {
    assert_non_null(failure);
    const char *hint = corm_error_hint(failure);
    if (strstr(corm_error_message(failure), part) == NULL && (hint == NULL || strstr(hint, part) == NULL))
        fail_msg("no \"%s\" in: %s (%s)", part, corm_error_message(failure), hint == NULL ? "no hint" : hint);
}

const char *schema_now(void) {
    static char texts[4][4096];
    static int next;
    next = (next + 1) % 4;
    strcpy(texts[next], select_text("SELECT coalesce(group_concat(sql, ';'), '') FROM (SELECT sql FROM sqlite_schema "
                                    "WHERE name NOT LIKE 'sqlite_%' AND tbl_name NOT IN ('corm_models', "
                                    "'corm_migrations') ORDER BY type, name)"));
    return texts[next];
}

void in_step(corm_model *const *list, size_t count) {
    corm_plan *plan;
    OK(corm_migration_plan(db, list, count, NULL, &plan, &failure));
    if (corm_plan_info_get(plan)->step_count > 0)
        fail_msg("a second sync would:\n%s", corm_plan_info_get(plan)->text);
    corm_plan_free(plan);
}

bool count_calls(const corm_progress *progress, void *context) {
    calls *counted = context;
    snprintf(counted->last_step, sizeof counted->last_step, "%s", progress->step);
    if (progress->done > counted->most_rows)
        counted->most_rows = progress->done;
    assert_true(progress->index <= progress->count);
    return counted->count++ != counted->cancel_at;
}

void make_file(const char *name, const char *text) {
    char folder[512];
    snprintf(folder, sizeof folder, "%s", name);
    for (char *slash = folder; (slash = strchr(slash, '/')) != NULL; slash += 1) {
        *slash = 0;
        mkdir(path_to(folder), 0700);
        *slash = '/';
    }
    write_file(path_to(name), text, strlen(text));
}

const char *file_text(const char *name) {
    static char text[8192];
    FILE *file = fopen(path_to(name), "rb");
    if (file == NULL)
        fail_msg("no file %s", name);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

bool file_exists(const char *name) { return access(path_to(name), F_OK) == 0; }
