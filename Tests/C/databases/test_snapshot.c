/* Snapshots: a copy made before a migration, and the file put back to it. */
#include "migrations.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fill(void) {
    run_script(
        "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT); INSERT INTO pet VALUES (1, 'Rex', '5')");
}
static corm_model *retyped(void) { return pets_with((corm_column_def)COLUMN("age", CORM_INT64)); }

static corm_migration_options copying(void) {
    return (corm_migration_options){.struct_size = sizeof(corm_migration_options), .snapshot = path_to("before.db")};
}

static bool stop_after_the_copy(const corm_progress *progress, void *context) {
    (void)progress, (void)context;
    return !file_exists("before.db");
}

static void a_failure_that_changed_nothing_leaves_no_copy(void **state) {
    (void)state;
    corm_migration_options options = copying();
    options.drop_snapshot = true;
    options.progress = stop_after_the_copy;
    fill();
    GIVES(CORM_E_INTERRUPTED, SYNC_WITH(&options, retyped()));
    assert_false(file_exists("before.db"));
    assert_string_equal(select_text("SELECT typeof(age) FROM pet"), "text");
}

static void a_damaged_snapshot_is_not_put_over_a_good_file(void **state) {
    (void)state;
    corm_migration_options options = copying();
    fill();
    run_script("WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
               "INSERT INTO pet SELECT i, 'a name of some length', '5' FROM n");
    OK(SYNC_WITH(&options, retyped()));
    char garbage[4096];
    memset(garbage, 0xa5, sizeof garbage);
    FILE *file = fopen(path_to("before.db"), "r+b");
    for (long page = 2; page < 8; page += 1) {
        fseek(file, page * 4096, SEEK_SET);
        fwrite(garbage, 1, sizeof garbage, file);
    }
    fclose(file);
    GIVES(CORM_E_CORRUPT, corm_migration_restore(db, path_to("before.db"), NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM pet WHERE typeof(age) = 'integer'"), 2000);
    assert_string_equal(select_text("PRAGMA integrity_check"), "ok");
}

static void open_results_are_not_pulled_from_under(void **state) {
    (void)state;
    corm_migration_options options = copying();
    corm_result *result;
    fill();
    run_script("CREATE TABLE other (a); INSERT INTO other VALUES (1), (2)");
    OK(corm_result_open(db, "SELECT a FROM other", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_E_BUSY, SYNC_WITH(&options, retyped()));
    says("close them");
    assert_false(file_exists("before.db"));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_DONE, corm_result_next(result, &failure));
    corm_result_close(result);
    OK(SYNC_WITH(&options, retyped()));
    OK(corm_result_open(db, "SELECT id FROM pet", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_E_BUSY, corm_migration_restore(db, path_to("before.db"), NULL, &failure));
    corm_result_close(result);
    OK(corm_migration_restore(db, path_to("before.db"), NULL, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(a_failure_that_changed_nothing_leaves_no_copy),
        TEST_EMPTY(a_damaged_snapshot_is_not_put_over_a_good_file),
        TEST_EMPTY(open_results_are_not_pulled_from_under),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
