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

static void two_models_of_one_table(void **state) {
    (void)state;
    corm_model *beast = made((corm_model_def){.name = "Beast", .table = "PET", COLUMNS(ID)});
    REFUSED(CORM_E_MODEL, "Beast", pets_with_names(), beast);
    corm_plan *plan = NULL;
    GIVES(CORM_E_MODEL, corm_migration_plan(db, MODELS(beast, pets_with_names()), NULL, &plan, &failure));
    assert_null(plan);
}

static void renames_in_a_circle(void **state) {
    (void)state;
    run("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY)");
    corm_model *one = made((corm_model_def){.name = "A", .renamed_from = "b", COLUMNS(ID)});
    corm_model *other = made((corm_model_def){.name = "B", .renamed_from = "A", COLUMNS(ID)});
    REFUSED(CORM_E_MODEL, "circle", one, other);
}

static void renames_onto_a_name_that_is_there(void **state) {
    (void)state;
    run("CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT);"
        "INSERT INTO animal VALUES (1, 'a'); INSERT INTO pet VALUES (1, 'p')");
    corm_model *pet =
        made((corm_model_def){.name = "Pet", .renamed_from = "animal", COLUMNS(ID, COLUMN("name", CORM_TEXT))});
    REFUSED(CORM_E_MIGRATION, "\"pet\", which is there already", pet);
    run("DROP TABLE animal; ALTER TABLE pet ADD COLUMN title TEXT");
    corm_model *column = made((corm_model_def){.name = "Pet",
                                               COLUMNS(ID, COLUMN("name", CORM_TEXT), COLUMN("label", CORM_TEXT),
                                                       COLUMN("title", CORM_TEXT, .renamed_from = "nothing"))});
    OK(SYNC(column));
    corm_model *taken = made((corm_model_def){
        .name = "Pet", COLUMNS(ID, COLUMN("name", CORM_TEXT), COLUMN("title", CORM_TEXT, .renamed_from = "label"))});
    REFUSED(CORM_E_MIGRATION, "which is there already", taken);
}

static void a_name_that_another_model_keeps(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO pet VALUES (1, 'Rex')");
    corm_model *beast =
        made((corm_model_def){.name = "Beast", .renamed_from = "pet", COLUMNS(ID, COLUMN("name", CORM_TEXT))});
    REFUSED(CORM_E_MODEL, "Pet", pets_with_names(), beast);
    corm_model *brute =
        made((corm_model_def){.name = "Brute", .renamed_from = "pet", COLUMNS(ID, COLUMN("name", CORM_TEXT))});
    REFUSED(CORM_E_MODEL, "both renamed", beast, brute);
}

static void rows_that_a_constraint_would_refuse(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, x INTEGER);"
        "INSERT INTO pet VALUES (1, 'Rex', 1), (2, 'Tom', 1), (3, 'Kit', NULL)");
    REFUSED(CORM_E_MIGRATION, "1 row holds NULL in \"pet.x\"",
            pets_with((corm_column_def)COLUMN("x", CORM_INT64, .not_null = true)));
    REFUSED(CORM_E_MIGRATION, "2 rows of \"pet\" are alike",
            pets_with((corm_column_def)COLUMN("x", CORM_INT64, .unique = true)));
    REFUSED(CORM_E_MIGRATION, "2 rows of \"pet\" do not meet",
            pets_with((corm_column_def)COLUMN("x", CORM_INT64, .check_sql = "x > 5")));
    REFUSED(CORM_E_MIGRATION, "2 rows of \"pet\" refer to no row of \"person\"",
            pets_with((corm_column_def)COLUMN("x", CORM_INT64, .references_table = "person")), people);
    corm_model *keyed = made((corm_model_def){
        .name = "Pet",
        COLUMNS(COLUMN("id", CORM_INT64), COLUMN("name", CORM_TEXT), COLUMN("x", CORM_INT64, .primary_key = true))});
    REFUSED(CORM_E_MIGRATION, "pet", keyed);
    const corm_key_def key = {
        .kind = CORM_KEY_UNIQUE, .columns = (const char *const[]){"x"}, .column_count = 1, .where_sql = "x = 1"};
    corm_model *partial = made((corm_model_def){
        .name = "Pet", COLUMNS(ID, COLUMN("name", CORM_TEXT), COLUMN("x", CORM_INT64)), .keys = &key, .key_count = 1});
    REFUSED(CORM_E_MIGRATION, "2 rows of \"pet\" are alike", partial);
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 3);
}

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

static void inside_a_transaction(void **state) {
    (void)state;
    corm_plan *plan;
    corm_model *pet = pets_with_names();
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    GIVES(CORM_E_TRANSACTION, SYNC(pet));
    OK(corm_migration_plan(db, MODELS(pet), NULL, &plan, &failure));
    corm_plan_free(plan);
    GIVES(CORM_E_TRANSACTION, corm_migration_restore(db, path_to("x.db"), NULL, &failure));
    assert_int_equal(corm_transaction_depth(db), 1);
    OK(corm_transaction_commit(db, &failure));
    run("BEGIN");
    GIVES(CORM_E_TRANSACTION, SYNC(pet));
    run("COMMIT");
    OK(SYNC(pet));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    GIVES(CORM_E_TRANSACTION, SYNC(pet));
    OK(corm_transaction_rollback(db, &failure));
}

static void a_file_for_reading(void **state) {
    (void)state;
    corm_model *pet = pets_with_names();
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.mode = CORM_OPEN_READ_ONLY;
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), &options, &db, &failure));
    GIVES(CORM_E_READ_ONLY, SYNC(pet));
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    OK(SYNC(pet));
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), &options, &db, &failure));
    OK(SYNC(pet));
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

static void a_trigger_that_raises_is_not_asked(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT); INSERT INTO pet VALUES (1, 'Rex', '5');"
        "CREATE TRIGGER i BEFORE INSERT ON pet BEGIN SELECT raise(ROLLBACK, 'no'); END;"
        "CREATE TRIGGER d BEFORE DELETE ON pet BEGIN SELECT raise(ABORT, 'no'); END;"
        "CREATE TRIGGER u BEFORE UPDATE ON pet BEGIN SELECT raise(FAIL, 'no'); END");
    OK(SYNC(pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    assert_int_equal(select_int("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"), 3);
    assert_int_equal(select_int("SELECT age FROM pet"), 5);
}

static void a_view_or_trigger_that_would_break(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT); CREATE VIEW ages AS SELECT age FROM pet");
    corm_model *pet = made((corm_model_def){.name = "Pet",
                                            COLUMNS(ID, COLUMN("name", CORM_TEXT)),
                                            .allow_drop = (const char *const[]){"age"},
                                            .allow_drop_count = 1});
    REFUSED(CORM_E_MIGRATION, "ages", pet);
    run("DROP VIEW ages; CREATE TABLE log (x);"
        "CREATE TRIGGER t AFTER UPDATE ON log BEGIN INSERT INTO log SELECT age FROM pet; END");
    REFUSED(CORM_E_MIGRATION, "trigger \"t\" would no longer work: no such column", pet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(two_models_of_one_table),
        TEST_EMPTY(renames_in_a_circle),
        TEST_EMPTY(renames_onto_a_name_that_is_there),
        TEST_EMPTY(a_name_that_another_model_keeps),
        TEST_EMPTY(rows_that_a_constraint_would_refuse),
        TEST_EMPTY(all_that_is_in_the_way_is_listed_at_once),
        TEST_EMPTY(inside_a_transaction),
        TEST_EMPTY(a_file_for_reading),
        TEST_EMPTY(another_program_that_holds_the_lock),
        TEST_EMPTY(a_damaged_file),
        TEST_EMPTY(a_virtual_table_whose_module_is_missing),
        TEST_EMPTY(a_trigger_that_raises_is_not_asked),
        TEST_EMPTY(a_view_or_trigger_that_would_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
