/* What a sync refuses: the message lists what is in the way, and the file is as it was. */
#include "migrations.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ID COLUMN("id", CORM_INT64, .primary_key = true)

/* The sync fails so, changes nothing, and leaves the handle as good as before. */
#define REFUSED(status, part, ...)                                                                                     \
    do {                                                                                                               \
        const char *before = schema_now();                                                                             \
        GIVES(status, SYNC(__VA_ARGS__));                                                                              \
        says(part);                                                                                                    \
        assert_non_null(corm_error_hint(failure));                                                                     \
        assert_string_equal(schema_now(), before);                                                                     \
        assert_int_equal(select_int("PRAGMA foreign_keys"), 1);                                                        \
        assert_int_equal(corm_transaction_depth(db), 0);                                                               \
        run("CREATE TABLE still_works (a); DROP TABLE still_works");                                                   \
    } while (0)

static void all_that_is_in_the_way_is_listed_at_once(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name INTEGER, x TEXT); INSERT INTO pet VALUES (1, 1.5, 'x')");
    corm_model *pet = made((corm_model_def){
        .name = "Pet",
        COLUMNS(ID, COLUMN("name", CORM_INT64, .check_sql = "name > 5"), COLUMN("y", CORM_TEXT, .not_null = true))});
    corm_plan *plan;
    OK(corm_migration_plan(db, MODELS(pet), NULL, &plan, &failure));
    assert_int_equal(corm_plan_problem_count(plan), 3);
    const corm_plan_step *step = corm_plan_step_get(plan, 0);
    assert_non_null(strstr(step->problems, "allow_drop \"x\""));
    assert_non_null(strstr(step->problems, "\"pet.y\""));
    corm_plan_free(plan);
    REFUSED(CORM_E_MIGRATION, "3 changes need a decision", pet);
}

static void another_program_that_holds_the_lock(void **state) {
    (void)state;
    corm_database *other;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.busy_timeout = -1;
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), &options, &db, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &other, &failure));
    OK(corm_transaction_begin(other, CORM_TRANSACTION_IMMEDIATE, &failure));
    GIVES(CORM_E_BUSY, SYNC(pets_with_names()));
    OK(corm_database_close(other, &failure));
    OK(SYNC(pets_with_names()));
}

static void a_damaged_file(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT);"
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
        "INSERT INTO pet SELECT i, 'a name of some length', '5' FROM n");
    OK(corm_database_close(db, &failure));
    char garbage[4096];
    memset(garbage, 0xa5, sizeof garbage);
    FILE *file = fopen(path_to("test.db"), "r+b");
    for (long page = 4; page < 12; page += 1) {
        fseek(file, page * 4096, SEEK_SET);
        fwrite(garbage, 1, sizeof garbage, file);
    }
    fclose(file);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    const char *before = schema_now();
    GIVES(status_of_damage(), SYNC(pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    assert_string_equal(schema_now(), before);
}

static void a_virtual_table_whose_module_is_missing(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT);"
        "CREATE TABLE animal (id INTEGER PRIMARY KEY); PRAGMA writable_schema = ON;"
        "INSERT INTO sqlite_schema VALUES ('table', 'far', 'far', 0, 'CREATE VIRTUAL TABLE far USING absent(a, b)');"
        "PRAGMA writable_schema = OFF");
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    corm_model *pet = pets_with((corm_column_def)COLUMN("age", CORM_INT64));
    corm_model *beast = made((corm_model_def){.name = "Beast", .renamed_from = "animal", COLUMNS(ID)});
    OK(SYNC(pet, beast));
    in_step(MODELS(pet, beast));
    assert_true(is_there("far"));
    const corm_migration_options drop = {
        .struct_size = sizeof drop, .allow_drop = (const char *const[]){"far"}, .allow_drop_count = 1};
    GIVES(CORM_E_SQL, SYNC_WITH(&drop, pet, beast));
    says("absent");
    assert_true(is_there("far"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(all_that_is_in_the_way_is_listed_at_once),
        TEST_EMPTY(another_program_that_holds_the_lock),
        TEST_EMPTY(a_damaged_file),
        TEST_EMPTY(a_virtual_table_whose_module_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
