/* Snapshots: a copy made before a migration, and the file put back to it. */
#include "migrations.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fill(void) {
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT); INSERT INTO pet VALUES (1, 'Rex', '5')");
}
static corm_model *retyped(void) { return pets_with((corm_column_def)COLUMN("age", CORM_INT64)); }

static corm_migration_options copying(void) {
    return (corm_migration_options){.struct_size = sizeof(corm_migration_options), .snapshot = path_to("before.db")};
}

/* No file of SQLite's lies beside the copy. */
static void stands_alone(const char *name) {
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    for (size_t index = 0; index < 3; index += 1) {
        char beside[64];
        snprintf(beside, sizeof beside, "%s%s", name, suffixes[index]);
        if (file_exists(beside))
            fail_msg("%s is left over", beside);
    }
}

static void a_sync_and_the_way_back(void **state) {
    (void)state;
    corm_migration_options options = copying();
    fill();
    OK(SYNC_WITH(&options, retyped()));
    stands_alone("before.db");
    run("DELETE FROM pet; CREATE TABLE later (a)");
    OK(corm_migration_restore(db, path_to("before.db"), NULL, &failure));
    assert_string_equal(select_text("SELECT id || name || age || typeof(age) FROM pet"), "1Rex5text");
    assert_false(is_there("later"));
    assert_false(is_there("corm_models"));
    assert_string_equal(select_text("PRAGMA integrity_check"), "ok");
    stands_alone("before.db");
    OK(SYNC(retyped()));
}

static void a_copy_that_goes_after_success(void **state) {
    (void)state;
    corm_migration_options options = copying();
    options.drop_snapshot = true;
    fill();
    OK(SYNC_WITH(&options, retyped()));
    assert_false(file_exists("before.db"));
    assert_int_equal(select_int("SELECT age FROM pet"), 5);
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

static void steps_that_stay_keep_the_copy(void **state) {
    (void)state;
    corm_migration_options options = copying();
    corm_bundle *bundle;
    options.drop_snapshot = true;
    options.allow_lossy = true;
    const corm_bundle_step steps[] = {
        {.struct_size = sizeof steps[0], .id = "1", .up_sql = "DROP TABLE pet"},
        {.struct_size = sizeof steps[0], .id = "2", .up_sql = "INSERT INTO pet VALUES (1)"},
    };
    fill();
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &steps[0], &failure));
    OK(corm_bundle_add(bundle, &steps[1], &failure));
    GIVES(CORM_E_SQL, corm_bundle_apply(db, bundle, NULL, &options, &failure));
    assert_false(is_there("pet"));
    GIVES(CORM_E_MIGRATION, corm_bundle_apply(db, bundle, NULL, &options, &failure));
    says("before.db");
    OK(corm_migration_restore(db, path_to("before.db"), NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 1);
    corm_bundle_free(bundle);
}

static void no_copy_where_nothing_is_done(void **state) {
    (void)state;
    corm_migration_options options = copying();
    fill();
    OK(SYNC(retyped()));
    OK(SYNC_WITH(&options, retyped()));
    assert_false(file_exists("before.db"));
    GIVES(CORM_E_MIGRATION, SYNC_WITH(&options, pets_with_names()));
    assert_false(file_exists("before.db"));
}

static void a_copy_that_is_there_already(void **state) {
    (void)state;
    corm_migration_options options = copying();
    fill();
    write_file(path_to("before.db"), "precious", 8);
    const char *before = schema_now();
    GIVES(CORM_E_MIGRATION, SYNC_WITH(&options, retyped()));
    says("is there already");
    assert_string_equal(file_text("before.db"), "precious");
    assert_string_equal(schema_now(), before);
}

static void a_copy_that_cannot_be_made(void **state) {
    (void)state;
    corm_migration_options options = copying();
    fill();
    options.snapshot = path_to("no/such/folder.db");
    const char *before = schema_now();
    GIVES(CORM_E_CANNOT_OPEN, SYNC_WITH(&options, retyped()));
    options.snapshot = "";
    GIVES(CORM_E_MISUSE, SYNC_WITH(&options, retyped()));
    options.snapshot = path_to("test.db");
    GIVES(CORM_E_MIGRATION, SYNC_WITH(&options, retyped()));
    assert_string_equal(schema_now(), before);
}

static void plans_steps_and_versions_take_copies_too(void **state) {
    (void)state;
    corm_migration_options options = copying();
    corm_schema *from;
    corm_schema *to;
    corm_plan *plan;
    corm_bundle *bundle;
    fill();
    OK(corm_schema_read(db, &from, &failure));
    OK(corm_schema_parse("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT, x)", &to, &failure));
    OK(corm_plan_create(db, from, to, NULL, &plan, &failure));
    OK(corm_plan_apply(db, plan, &options, &failure));
    assert_true(file_exists("before.db"));
    corm_plan_free(plan);
    corm_schema_free(from);
    corm_schema_free(to);
    options.snapshot = path_to("steps.db");
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "1", .up_sql = "CREATE TABLE a (x)"};
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_apply(db, bundle, NULL, &options, &failure));
    assert_true(file_exists("steps.db"));
    OK(corm_bundle_apply(db, bundle, NULL, &options, &failure));
    corm_bundle_free(bundle);
    options.snapshot = path_to("version.db");
    const corm_version_step version = {.struct_size = sizeof version, .version = 1, .up_sql = "CREATE TABLE b (x)"};
    OK(corm_migration_set_version(db, &version, 1, -1, &options, &failure));
    assert_true(file_exists("version.db"));
    OK(corm_migration_restore(db, path_to("steps.db"), NULL, &failure));
    assert_true(is_there("pet") && !is_there("a") && !is_there("b"));
}

static void snapshots_that_are_none(void **state) {
    (void)state;
    fill();
    const char *before = schema_now();
    GIVES(CORM_E_CANNOT_OPEN, corm_migration_restore(db, path_to("none.db"), NULL, &failure));
    assert_false(file_exists("none.db"));
    mkdir(path_to("folder"), 0700);
    GIVES(CORM_E_CANNOT_OPEN, corm_migration_restore(db, path_to("folder"), NULL, &failure));
    write_file(path_to("text.db"), "this is a text of some length, and no database at all", 53);
    GIVES(CORM_E_NOT_A_DATABASE, corm_migration_restore(db, path_to("text.db"), NULL, &failure));
    write_file(path_to("empty.db"), "", 0);
    GIVES(CORM_E_NOT_A_DATABASE, corm_migration_restore(db, path_to("empty.db"), NULL, &failure));
    assert_true(corm_migration_restore(db, ":memory:", NULL, NULL) < 0);
    assert_string_equal(schema_now(), before);
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 1);
    /* Whatever it says, the file is none the worse for being put over itself. */
    corm_migration_restore(db, path_to("test.db"), NULL, NULL);
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 1);
}

static void a_damaged_snapshot_is_not_put_over_a_good_file(void **state) {
    (void)state;
    corm_migration_options options = copying();
    fill();
    run("WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
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
    run("CREATE TABLE other (a); INSERT INTO other VALUES (1), (2)");
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
        TEST_EMPTY(a_sync_and_the_way_back),
        TEST_EMPTY(a_copy_that_goes_after_success),
        TEST_EMPTY(a_failure_that_changed_nothing_leaves_no_copy),
        TEST_EMPTY(steps_that_stay_keep_the_copy),
        TEST_EMPTY(no_copy_where_nothing_is_done),
        TEST_EMPTY(a_copy_that_is_there_already),
        TEST_EMPTY(a_copy_that_cannot_be_made),
        TEST_EMPTY(plans_steps_and_versions_take_copies_too),
        TEST_EMPTY(snapshots_that_are_none),
        TEST_EMPTY(a_damaged_snapshot_is_not_put_over_a_good_file),
        TEST_EMPTY(open_results_are_not_pulled_from_under),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
