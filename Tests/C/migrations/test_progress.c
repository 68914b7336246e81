/* Progress and cancel: whenever it is said no, the file has the old schema and all rows. */
#include "migrations.h"

#include <stdio.h>
#include <string.h>

static void fill(int count) {
    char sql[512];
    snprintf(sql, sizeof sql,
             "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT);"
             "CREATE TABLE toy (id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pet ON DELETE CASCADE);"
             "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
             "INSERT INTO pet SELECT i, 'a name', '5' FROM n; INSERT INTO toy VALUES (1, 1)",
             count);
    run_script(sql);
}

static corm_migration_options told(calls *counted) {
    return (corm_migration_options){
        .struct_size = sizeof(corm_migration_options), .progress = count_calls, .context = counted};
}

static void rows_are_told_while_they_are_copied(void **state) {
    (void)state;
    calls counted = {.cancel_at = -1};
    corm_migration_options options = told(&counted);
    fill(20000);
    OK(SYNC_WITH(&options, pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    assert_true(counted.count >= 3);
    assert_int_equal(counted.most_rows, 20000);
    assert_non_null(strstr(counted.last_step, "pet"));
}

static void cancel_at_every_call(void **state) {
    (void)state;
    calls counted = {.cancel_at = -1};
    corm_migration_options options = told(&counted);
    corm_model *pet = pets_with((corm_column_def)COLUMN("age", CORM_INT64));
    options.snapshot = path_to("snapshot.db");
    fill(10000);
    const char *before = schema_now();
    for (int at = 0; at < 100; at += 1) {
        counted = (calls){.cancel_at = at};
        corm_status status = SYNC_WITH(&options, pet, people);
        if (status == CORM_OK)
            break;
        assert_int_equal(status, CORM_E_INTERRUPTED);
        forget_failure();
        assert_int_equal(counted.count, at + 1);
        assert_string_equal(schema_now(), before);
        assert_int_equal(select_int("SELECT count(*) + sum(typeof(age) = 'text') FROM pet"), 20000);
        assert_int_equal(select_int("SELECT count(*) FROM toy"), 1);
        assert_int_equal(select_int("PRAGMA foreign_keys"), 1);
        assert_int_equal(corm_transaction_depth(db), 0);
        if (file_exists("snapshot.db"))
            remove(path_to("snapshot.db"));
    }
    assert_true(counted.count >= 3);
    in_step(MODELS(pet, people));
}

/* Interrupts the database from outside, as another thread may. */
static bool interrupt(const corm_progress *progress, void *context) {
    if (progress->done > 0)
        corm_database_interrupt(context);
    return true;
}

static void an_interrupt_leaves_the_old_schema(void **state) {
    (void)state;
    corm_migration_options options = {.struct_size = sizeof options, .progress = interrupt, .context = db};
    fill(20000);
    const char *before = schema_now();
    GIVES(CORM_E_INTERRUPTED, SYNC_WITH(&options, pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    assert_string_equal(schema_now(), before);
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 20000);
    assert_int_equal(select_int("PRAGMA foreign_keys"), 1);
    OK(SYNC(pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(rows_are_told_while_they_are_copied),
        TEST_EMPTY(cancel_at_every_call),
        TEST_EMPTY(an_interrupt_leaves_the_old_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
