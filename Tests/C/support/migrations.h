/* What tests of migrations share: models said in a line, an empty file, and what the file looks like. */
#ifndef MIGRATIONS_H
#define MIGRATIONS_H

#include "support.h"

/* made((corm_model_def){.name = "Pet", COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true))}) */
#define COLUMN(column_name, ...) {.name = column_name, .type = __VA_ARGS__}
#define COLUMNS(...)                                                                                                   \
    .columns = (const corm_column_def[]){__VA_ARGS__},                                                                 \
    .column_count = sizeof((const corm_column_def[]){__VA_ARGS__}) / sizeof(corm_column_def)
#define KEYS(...)                                                                                                      \
    .keys = (const corm_key_def[]){__VA_ARGS__},                                                                       \
    .key_count = sizeof((const corm_key_def[]){__VA_ARGS__}) / sizeof(corm_key_def)
/* A list of names and its length. */
#define LIST(...) (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)
/* The two arguments of a list of models. */
#define MODELS(...)                                                                                                    \
    (corm_model *const[]){__VA_ARGS__}, sizeof((corm_model *const[]){__VA_ARGS__}) / sizeof(corm_model *)

/* The model of a definition, whose sizes are filled in. Freed after the test. */
corm_model *made(corm_model_def definition);
/* "Pet": id, and the name as a text. */
corm_model *pets_with_names(void);
/* Pets with one more column. */
corm_model *pets_with(corm_column_def column);

#define SYNC(...) corm_migration_sync(db, MODELS(__VA_ARGS__), NULL, NULL, &failure)
#define SYNC_WITH(options, ...) corm_migration_sync(db, MODELS(__VA_ARGS__), options, NULL, &failure)

/* The same as `set_up`, with nothing in the file. */
int set_up_empty(void **state);
int tear_down_migrations(void **state);
#define TEST_EMPTY(function) cmocka_unit_test_setup_teardown(function, set_up_empty, tear_down_migrations)

/* The statement that made a table, index, view or trigger; "" for none. Valid until the next call of this or select_text. */
const char *made_by(const char *name);
bool is_there(const char *name);
/* The error's message and hint have the text. */
void says(const char *part);
/* All CREATE statements of the file but those of the library's own tables. Valid until the fourth call from here. */
const char *schema_now(void);
/* A second sync of the models would do nothing. */
void in_step(corm_model *const *models, size_t count);

/* Calls of the progress callback, which cancels at the one numbered `cancel_at` (from 0; -1: never). */
typedef struct calls {
    int count;
    int cancel_at;
    int64_t most_rows;
    char last_step[64];
} calls;
bool count_calls(const corm_progress *progress, void *context);

/* Text files, in the test's folder: make_file("migrations/0001_a/up.sql", "..."), which makes the folders, too. */
void make_file(const char *name, const char *text);
/* Valid until the next call. */
const char *file_text(const char *name);
bool file_exists(const char *name);

#endif
