/* Databases by name: a file per user, a table per target, a fleet that is migrated together. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "music.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opened when it is first used, and held until it is closed, which gives it back. */
static bool use(app *a, corm_registry *users) {
    corm_database *db = NULL;
    artist nina = {.name = "Nina Simone"};
    bool done = corm_registry_use(users, "ida", &db, &a->error) == CORM_OK &&
                corm_model_create_tables(db, CORM_MODELS(a->artists), &a->error) == CORM_OK &&
                corm_record_insert(db, a->artists, &nina, CORM_CONFLICT_ABORT, NULL, &a->error) == CORM_OK;
    done = corm_database_close(db, done ? &a->error : NULL) == CORM_OK && done;
    return done && corm_registry_set_current(users, "ida", &a->error) == CORM_OK;
}

/* One model, and a table for each target. */
static bool targets(app *a, corm_registry *users) {
    corm_database *db = NULL;
    corm_model *fans = NULL;
    artist miriam = {.name = "Miriam Makeba"};
    bool done = corm_model_create_variant(a->artists, CORM_VARIANT(.suffix = "42"), &fans, &a->error) == CORM_OK &&
                corm_registry_use(users, NULL, &db, &a->error) == CORM_OK &&
                corm_model_create_tables(db, CORM_MODELS(fans), &a->error) == CORM_OK &&
                corm_record_insert(db, fans, &miriam, CORM_CONFLICT_ABORT, NULL, &a->error) == CORM_OK;
    if (done)
        printf("%s\n", corm_model_info_get(fans)->table);
    done = corm_database_close(db, done ? &a->error : NULL) == CORM_OK && done;
    corm_model_free(fans);
    return done;
}

/* The same table in another file. */
static bool across(app *a, corm_registry *users) {
    corm_database *db = NULL;
    corm_model *old = NULL;
    int64_t count = 0;
    bool done = corm_model_create_variant(a->artists, CORM_VARIANT(.attached_as = "old"), &old, &a->error) == CORM_OK &&
                corm_registry_use(users, "jon", &db, &a->error) == CORM_OK &&
                corm_registry_attach(db, users, "ida", "old", &a->error) == CORM_OK &&
                corm_query_count(db, old, NULL, &count, &a->error) == CORM_OK;
    printf("%" PRId64 "\n", count);
    done = corm_database_close(db, done ? &a->error : NULL) == CORM_OK && done;
    corm_model_free(old);
    return done && count == 1;
}

static bool told(const corm_registry_migration *migration, void *context) {
    (void)context;
    if (migration->error)
        printf("%s: %s\n", migration->name, corm_error_message(migration->error));
    return true; /* the others go on */
}

/* All files that are there, each in transactions of its own. */
static bool migrate(app *a, corm_registry *users) {
    corm_bundle *bundle = NULL;
    const corm_bundle_step plays = {.struct_size = sizeof plays,
                                    .id = "0001_plays",
                                    .up_sql = "CREATE TABLE play (id INTEGER PRIMARY KEY, artist TEXT, at TEXT)"};
    size_t failed = 0;
    bool done = corm_bundle_create(NULL, &bundle, &a->error) == CORM_OK &&
                corm_bundle_add(bundle, &plays, &a->error) == CORM_OK &&
                corm_registry_migrate(users, bundle, NULL, 0, NULL, false, told, NULL, &failed, &a->error) == CORM_OK;
    corm_bundle_free(bundle);
    return done && failed == 0;
}

int main(void) {
    app a = {0};
    char folder[] = "/tmp/cormorant-XXXXXX", pattern[64];
    corm_registry *users = NULL;
    bool done = open_music(&a) && mkdtemp(folder);
    snprintf(pattern, sizeof pattern, "%s/{name}.db", folder);
    done = done && corm_registry_open(pattern, 8, NULL, &users, &a.error) == CORM_OK && use(&a, users) &&
           targets(&a, users) && across(&a, users) && migrate(&a, users);
    done = corm_registry_close(users, NULL) == CORM_OK && done;
    const char *const files[] = {"ida", "jon"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s.db", folder, files[i]);
        remove(pattern);
    }
    rmdir(folder);
    return close_music(&a, done);
}
