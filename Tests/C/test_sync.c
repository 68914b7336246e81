/* Sync: what adds runs by itself, what could lose something waits for its annotation, and a second sync does nothing. */
#include "migrations.h"

#include <string.h>

static void tables_columns_and_indexes_that_are_missing_are_made(void **state) {
    (void)state;
    corm_plan *plan;
    corm_model *pet = pets_with_names();
    OK(corm_migration_sync(db, MODELS(pet), NULL, &plan, &failure));
    assert_int_equal(corm_plan_step_count(plan), 1);
    assert_int_equal(corm_plan_risk(plan), CORM_RISK_SAFE);
    corm_plan_free(plan);
    run("INSERT INTO pet VALUES (1, 'Rex'), (2, NULL)");
    corm_model *older = pets_with((corm_column_def)COLUMN("age", CORM_INT32, .default_sql = "3", .not_null = true));
    OK(SYNC(older));
    assert_string_equal(select_text("SELECT group_concat(id || name || age) FROM pet"), "1Rex3");
    in_step(MODELS(older));
    corm_model *indexed =
        pets_with((corm_column_def)COLUMN("age", CORM_INT32, .default_sql = "3", .not_null = true, .indexed = true));
    OK(corm_migration_sync(db, MODELS(indexed), NULL, &plan, &failure));
    assert_non_null(strstr(corm_plan_sql(plan), "CREATE INDEX"));
    corm_plan_free(plan);
    in_step(MODELS(indexed));
    OK(SYNC(older));
    assert_int_equal(select_int("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'pet'"), 0);
}

static void a_second_sync_does_nothing(void **state) {
    (void)state;
    corm_plan *plan;
    corm_model *pet = pets_with_names();
    OK(SYNC(pet, people));
    int64_t version = select_int("PRAGMA schema_version");
    int64_t changes = corm_database_total_changes(db);
    OK(corm_migration_sync(db, MODELS(pet, people), NULL, &plan, &failure));
    assert_int_equal(corm_plan_step_count(plan), 0);
    assert_string_equal(corm_plan_sql(plan), "");
    assert_int_equal(select_int("PRAGMA schema_version"), version);
    assert_int_equal(corm_database_total_changes(db), changes);
    corm_plan_free(plan);
    OK(SYNC(people));
    OK(SYNC(pet));
    in_step(MODELS(pet, people));
}

static void a_new_column_that_may_not_be_null_needs_a_value(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO pet VALUES (1, 'Rex'), (2, 'Tom')");
    corm_model *bare = pets_with((corm_column_def)COLUMN("age", CORM_INT64, .not_null = true));
    GIVES(CORM_E_MIGRATION, SYNC(bare));
    says("2 rows would have no value in \"pet.age\"");
    says("convert_sql");
    OK(SYNC(
        pets_with((corm_column_def)COLUMN("age", CORM_INT64, .not_null = true, .convert_sql = "length(name) + id"))));
    assert_string_equal(select_text("SELECT group_concat(age) FROM pet"), "4,5");
}

static void a_column_that_goes_must_be_allowed_to(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, \"x.\"\"y\" TEXT);"
        "INSERT INTO pet VALUES (1, 'Rex', 5, 'q')");
    const char *before = schema_now();
    GIVES(CORM_E_MIGRATION, SYNC(pets_with_names()));
    says("column \"pet.age\" would go with its 1 value");
    says("allow_drop \"age\"");
    says("x.\"y");
    assert_string_equal(schema_now(), before);
    const corm_migration_options one = {
        .struct_size = sizeof one, .allow_drop = (const char *const[]){"pet.AGE"}, .allow_drop_count = 1};
    GIVES(CORM_E_MIGRATION, SYNC_WITH(&one, pets_with_names()));
    corm_model *narrow =
        made((corm_model_def){.name = "Pet",
                              COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT)),
                              .allow_drop = (const char *const[]){"Age", "x.\"y"},
                              .allow_drop_count = 2});
    corm_plan *plan;
    OK(corm_migration_sync(db, MODELS(narrow), NULL, &plan, &failure));
    assert_int_equal(corm_plan_risk(plan), CORM_RISK_LOSSY);
    corm_plan_free(plan);
    assert_string_equal(select_text("SELECT id || name FROM pet"), "1Rex");
    in_step(MODELS(narrow));
}

static void columns_are_renamed_once(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, title TEXT, CHECK (title <> ''));"
        "INSERT INTO pet VALUES (1, 'Rex'); CREATE INDEX by_title ON pet (title);"
        "CREATE VIEW names AS SELECT title FROM pet");
    corm_model *pet = made((corm_model_def){
        .name = "Pet",
        COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT, .renamed_from = "Title"))});
    corm_plan *plan;
    OK(corm_migration_sync(db, MODELS(pet), NULL, &plan, &failure));
    assert_int_equal(corm_plan_risk(plan), CORM_RISK_ANNOTATED);
    corm_plan_free(plan);
    assert_string_equal(select_text("SELECT name FROM pet"), "Rex");
    assert_non_null(strstr(made_by("names"), "name"));
    assert_non_null(strstr(made_by("by_title"), "name"));
    assert_non_null(strstr(made_by("pet"), "CHECK (\"name\" <> '')"));
    in_step(MODELS(pet));
    OK(SYNC(pets_with_names()));
}

static void tables_are_renamed_with_what_refers_to_them(void **state) {
    (void)state;
    run("CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO animal VALUES (1, 'Rex');"
        "CREATE TABLE toy (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES animal ON DELETE CASCADE);"
        "INSERT INTO toy VALUES (1, 1)");
    corm_model *pet =
        made((corm_model_def){.name = "Pet",
                              .renamed_from = "Animal",
                              COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT))});
    OK(SYNC(pet));
    assert_false(is_there("animal"));
    assert_int_equal(select_int("SELECT count(*) FROM pet JOIN toy ON owner = pet.id"), 1);
    run("DELETE FROM pet");
    assert_int_equal(select_int("SELECT count(*) FROM toy"), 0);
    in_step(MODELS(pet));
}

static void tables_that_make_room_for_one_another(void **state) {
    (void)state;
    run("CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO a VALUES (1, 'a');"
        "CREATE TABLE b (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO b VALUES (1, 'b')");
    corm_model *second =
        made((corm_model_def){.name = "B",
                              .renamed_from = "a",
                              COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("x", CORM_TEXT))});
    corm_model *third =
        made((corm_model_def){.name = "C",
                              .renamed_from = "b",
                              COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("x", CORM_TEXT))});
    OK(SYNC(second, third));
    assert_string_equal(select_text("SELECT (SELECT x FROM b) || (SELECT x FROM c)"), "ab");
    in_step(MODELS(second, third));
}

static void types_change_where_no_value_does(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT);"
        "INSERT INTO pet VALUES (1, 'Rex', '5'), (2, 'Tom', '007'), (3, 'Kit', NULL)");
    GIVES(CORM_E_MIGRATION, SYNC(pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    says("1 value of \"pet.age\" would change");
    says("convert_sql");
    assert_string_equal(select_text("SELECT age FROM pet WHERE id = 2"), "007");
    corm_model *pet = pets_with((corm_column_def)COLUMN("age", CORM_INT64, .convert_sql = "CAST(age AS INTEGER) * 2"));
    OK(SYNC(pet));
    assert_string_equal(select_text("SELECT group_concat(age || typeof(age)) FROM pet"), "10integer,14integer");
    in_step(MODELS(pet));
}

static void what_no_model_declared_stays(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name VARCHAR(20) DEFAULT 'x' CHECK (name <> 'y'), age INT);"
        "CREATE TABLE other (a); INSERT INTO other VALUES (1);"
        "CREATE INDEX by_name ON pet (name DESC) WHERE name IS NOT NULL;"
        "CREATE VIEW v AS SELECT * FROM pet;"
        "CREATE TRIGGER t AFTER INSERT ON pet BEGIN UPDATE other SET a = a + 1; END");
    corm_model *pet = pets_with((corm_column_def)COLUMN("age", CORM_INT64));
    const char *before = schema_now();
    OK(SYNC(pet));
    assert_string_equal(schema_now(), before);
    in_step(MODELS(pet));
}

static void what_a_model_no_longer_declares_goes(void **state) {
    (void)state;
    corm_model *strict = pets_with((corm_column_def)COLUMN("age", CORM_INT64, .not_null = true, .default_sql = "1",
                                                           .check_sql = "age > 0", .unique = true));
    OK(SYNC(strict));
    run("INSERT INTO pet (id) VALUES (1)");
    OK(SYNC(pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    run("INSERT INTO pet (id, age) VALUES (2, -1), (3, NULL), (4, 1)");
    assert_int_equal(select_int("SELECT count(*) FROM pet WHERE age = 1"), 2);
}

static void first_rows_come_with_their_table(void **state) {
    (void)state;
    corm_model *pet = made(
        (corm_model_def){.name = "Pet",
                         COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT)),
                         .seed_sql = "INSERT INTO pet VALUES (1, 'it''s; Rex'); INSERT INTO pet VALUES (2, 'Tom')"});
    OK(SYNC(pet));
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 2);
    run("DELETE FROM pet");
    OK(SYNC(pet));
    OK(SYNC(people));
    OK(SYNC(pet, people));
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 0);
}

static void tables_without_a_model_go_only_when_named(void **state) {
    (void)state;
    run("CREATE TABLE old (a); INSERT INTO old VALUES (1); CREATE INDEX of_old ON old (a)");
    corm_model *pet = pets_with_names();
    const corm_migration_options options = {
        .struct_size = sizeof options, .allow_drop = (const char *const[]){"OLD"}, .allow_drop_count = 1};
    OK(SYNC(pet));
    assert_true(is_there("old"));
    OK(SYNC_WITH(&options, pet));
    assert_false(is_there("old"));
    OK(SYNC_WITH(&options, pet));
}

static void count_statements(const char *sql, int64_t nanoseconds, void *context) {
    (void)sql;
    (void)nanoseconds;
    *(int *)context += 1;
}

static void a_model_is_synced_before_its_first_use(void **state) {
    (void)state;
    run("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    assert_false(options.auto_sync);
    options.auto_sync = true;
    corm_database *other = NULL;
    OK(corm_database_open(path_to("test.db"), &options, &other, &failure));
    person ada = {.name = "Ada", .city = "London"};
    OK(corm_record_save(other, people, &ada, NULL, &failure));
    in_step(MODELS(people));
    int statements = 0;
    OK(corm_database_set_trace(other, count_statements, &statements, &failure));
    OK(corm_record_exists(other, people, CORM_VALUES(corm_value_int64(ada.id)), &failure));
    OK(corm_record_save(other, people, &ada, NULL, &failure));
    assert_int_equal(statements, 2);
    OK(corm_database_close(other, &failure));
}

/* Makes the table as the first release had it, which today's model does not fit. */
static corm_status make_one(corm_database *database, void *context, corm_error **error) {
    (void)error;
    return STATUS(corm_database_execute(database, "CREATE TABLE person (id INTEGER PRIMARY KEY)", CORM_NO_VALUES, NULL,
                                        NULL) == CORM_OK &&
                  corm_record_save(database, context, &(person){.name = "Ada"}, NULL, NULL) == CORM_E_SCHEMA);
}

static void the_steps_of_a_bundle_bring_the_file_by_themselves(void **state) {
    (void)state;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.auto_sync = true;
    corm_database *other = NULL;
    corm_bundle *bundle = NULL;
    corm_bundle_step step = CORM_BUNDLE_STEP_INIT;
    step.id = "0001_person";
    step.up = make_one;
    step.context = people;
    OK(corm_database_open(path_to("test.db"), &options, &other, &failure));
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_apply(other, bundle, NULL, NULL, &failure));
    assert_false(is_there("corm_models"));
    corm_bundle_free(bundle);
    OK(corm_database_close(other, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(tables_columns_and_indexes_that_are_missing_are_made),
        TEST_EMPTY(a_second_sync_does_nothing),
        TEST_EMPTY(a_new_column_that_may_not_be_null_needs_a_value),
        TEST_EMPTY(a_column_that_goes_must_be_allowed_to),
        TEST_EMPTY(columns_are_renamed_once),
        TEST_EMPTY(tables_are_renamed_with_what_refers_to_them),
        TEST_EMPTY(tables_that_make_room_for_one_another),
        TEST_EMPTY(types_change_where_no_value_does),
        TEST_EMPTY(what_no_model_declared_stays),
        TEST_EMPTY(what_a_model_no_longer_declares_goes),
        TEST_EMPTY(first_rows_come_with_their_table),
        TEST_EMPTY(tables_without_a_model_go_only_when_named),
        TEST_EMPTY(a_model_is_synced_before_its_first_use),
        TEST_EMPTY(the_steps_of_a_bundle_bring_the_file_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
