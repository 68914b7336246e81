/* Values by key, and looking after a file. */
#include "music.h"

#include <string.h>

/* A store is there once something is put into it. */
static bool keep(app *a) {
    corm_store *settings = NULL;
    corm_store_entry theme = {
        .struct_size = sizeof theme, .key = {CORM_KEY("theme")}, .value = corm_value_text("dark")};
    corm_store_entry window = {.struct_size = sizeof window,
                               .key = {CORM_KEY("window")},
                               .value = corm_value_text("{\"width\": 800, \"open\": true}"),
                               .is_json = true};
    corm_store_entry found = CORM_STORE_ENTRY_INIT;
    bool done = corm_store_open(a->db, "settings", &settings, &a->error) == CORM_OK &&
                corm_store_put(settings, &theme, &a->error) == CORM_OK &&
                corm_store_put(settings, &window, &a->error) == CORM_OK &&
                corm_store_get(settings, CORM_KEY("theme"), a->arena, &found, &a->error) == CORM_OK &&
                corm_store_get(settings, CORM_KEY("font"), NULL, NULL, &a->error) == CORM_NOT_FOUND;
    if (done)
        printf("%s\n", (const char *)found.value.as.bytes.data);
    corm_store_close(settings);
    return done;
}

/* An entry that has expired is not there; corm_store_purge takes its row out of the file. */
static bool expire(app *a) {
    corm_store *sessions = NULL;
    corm_store_entry session = {
        .struct_size = sizeof session,
        .key = {CORM_KEY("a1")},
        .value = corm_value_text("Nina"),
        .expires_after = 30 * 60 * 1000,
    };
    bool done = corm_store_open(a->db, "sessions", &sessions, &a->error) == CORM_OK &&
                corm_store_put(sessions, &session, &a->error) == CORM_OK &&
                corm_store_purge(sessions, NULL, &a->error) == CORM_OK;
    corm_store_close(sessions);
    return done;
}

/* The next page begins after the last key of this one. */
static bool page(app *a, corm_store *words) {
    corm_store_range range = CORM_STORE_RANGE_INIT;
    char last[64] = "";
    int64_t count;
    range.prefix = (corm_text){CORM_KEY("word:")};
    range.limit = 100;
    do {
        corm_result *scan;
        corm_store_entry entry = CORM_STORE_ENTRY_INIT;
        if (corm_store_scan(words, &range, &scan, &a->error) != CORM_OK)
            return false;
        for (count = 0; corm_store_next(scan, &entry, &a->error) == CORM_ROW; count += 1)
            snprintf(last, sizeof last, "%.*s", (int)entry.key.size, entry.key.data);
        corm_result_close(scan);
        range.after = (corm_text){last, strlen(last)};
        printf("%" PRId64 " %s\n", count, last);
    } while (count == range.limit && a->error == NULL);
    return a->error == NULL;
}

static bool pages(app *a) {
    enum { COUNT = 250 };
    corm_store *words = NULL;
    corm_store_entry entries[COUNT];
    char keys[COUNT][16];
    for (int i = 0; i < COUNT; i++) {
        snprintf(keys[i], sizeof keys[i], "word:%03d", i);
        entries[i] = (corm_store_entry){
            .struct_size = sizeof(corm_store_entry), .key = {keys[i], strlen(keys[i])}, .value = corm_value_int64(i)};
    }
    bool done = corm_store_open(a->db, "words", &words, &a->error) == CORM_OK &&
                corm_store_put_many(words, entries, COUNT, &a->error) == CORM_OK && page(a, words) &&
                corm_store_clear(words, NULL, NULL, &a->error) == CORM_OK;
    corm_store_close(words);
    return done;
}

/* Adds one, whoever else does so at the same moment: what was read is written back, or not at all. */
static bool count(app *a, corm_store *visits) {
    corm_status status;
    do {
        corm_store_entry entry = CORM_STORE_ENTRY_INIT;
        status = corm_store_get(visits, CORM_KEY("home"), a->arena, &entry, &a->error);
        if (status == CORM_NOT_FOUND)
            entry = (corm_store_entry){
                .struct_size = sizeof(corm_store_entry), .key = {CORM_KEY("home")}, .value = corm_value_int64(0)};
        entry.value.as.integer += 1;
        if (status >= 0)
            status = corm_store_compare_and_set(visits, &entry, &a->error);
    } while (status == CORM_CHANGED);
    return status == CORM_OK;
}

static bool visit(app *a) {
    corm_store *visits = NULL;
    bool done = corm_store_open(a->db, "visits", &visits, &a->error) == CORM_OK && count(a, visits);
    corm_store_close(visits);
    return done;
}

static bool show(const corm_progress *progress, void *context) {
    (void)context;
    printf("%" PRId64 " of %" PRId64 " pages\n", progress->done, progress->total);
    return true; /* false cancels */
}

/* A copy while others write, a smaller file, fresh statistics, a short log. */
static bool look_after(app *a, const char *copy) {
    int64_t log_pages;
    return corm_database_backup(a->db, copy, NULL, show, NULL, &a->error) == CORM_OK &&
           corm_database_vacuum(a->db, &a->error) == CORM_OK && corm_database_optimize(a->db, &a->error) == CORM_OK &&
           corm_database_checkpoint(a->db, CORM_CHECKPOINT_TRUNCATE, &log_pages, NULL, &a->error) == CORM_OK;
}

int main(void) {
    app a = {0};
    const char *copy = "key_value_copy.db";
    remove(copy);
    bool done = open_music(&a) && keep(&a) && expire(&a) && pages(&a) && visit(&a) && look_after(&a, copy);
    remove(copy);
    return close_music(&a, done);
}
