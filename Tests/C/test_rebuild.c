/* Tables that are made anew: everything around them and every row is as before. Each case was lost by another tool. */
#include "migrations.h"

#include <string.h>

/* Makes the column "age" of "pet" an INTEGER, which takes a rebuild. */
static corm_model *retyped(void) { return pets_with((corm_column_def)COLUMN("age", CORM_INT64)); }

static void rebuild(void) {
    corm_plan *plan;
    corm_model *pet = retyped();
    OK(corm_migration_sync(db, MODELS(pet), NULL, &plan, &failure));
    assert_non_null(strstr(corm_plan_sql(plan), "DROP TABLE \"pet\""));
    corm_plan_free(plan);
    assert_string_equal(select_text("PRAGMA integrity_check"), "ok");
    assert_int_equal(select_int("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(select_int("PRAGMA foreign_keys"), 1);
    in_step(MODELS(pet));
}

/* drizzle-orm 5782 and 3065, prisma 24540 */
static void rows_that_refer_to_the_table_stay(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT);"
        "CREATE TABLE toy (id INTEGER PRIMARY KEY, pet_id INTEGER NOT NULL REFERENCES pet ON DELETE CASCADE);"
        "CREATE TABLE leash (id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pet (id) ON DELETE SET NULL);"
        "INSERT INTO pet VALUES (1, 'Rex', '5'), (2, 'Tom', NULL); INSERT INTO toy VALUES (1, 1), (2, 1), (3, 2);"
        "INSERT INTO leash VALUES (1, 2)");
    rebuild();
    assert_int_equal(select_int("SELECT count(*) FROM toy"), 3);
    assert_int_equal(select_int("SELECT pet_id FROM leash"), 2);
    assert_non_null(strstr(made_by("toy"), "REFERENCES pet ON DELETE CASCADE"));
}

/* phoenix 15039, alembic 1112, taskdog 881, go-gorm/sqlite 236 */
static void indexes_and_triggers_come_back_word_for_word(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT);"
        "CREATE INDEX i1 ON pet (name DESC, age COLLATE NOCASE);"
        "CREATE INDEX i2 ON pet (age) WHERE name IS NOT NULL; CREATE UNIQUE INDEX i3 ON pet (lower(name));"
        "CREATE TABLE log (x);"
        "CREATE TRIGGER t1 AFTER INSERT ON pet BEGIN INSERT INTO log VALUES (new.name); END;"
        "CREATE TRIGGER t2 BEFORE DELETE ON pet BEGIN SELECT raise(ABORT, 'stay'); END;"
        "INSERT INTO pet VALUES (1, 'Rex', '5')");
    char before[1024];
    static const char objects[] = "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema WHERE type IN "
                                  "('index', 'trigger') AND sql IS NOT NULL ORDER BY name)";
    strcpy(before, select_text(objects));
    rebuild();
    assert_string_equal(select_text(objects), before);
    assert_int_equal(select_int("SELECT count(*) FROM log"), 1);
    GIVES(CORM_E_CONSTRAINT, corm_database_execute_script(db, "DELETE FROM pet", &failure));
}

/* alembic 1207 */
static void views_over_the_table_work_on(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT); INSERT INTO pet VALUES (1, 'Rex', '5');"
        "CREATE VIEW old AS SELECT name FROM pet WHERE age > 3; CREATE VIEW older AS SELECT * FROM old;"
        "CREATE TRIGGER on_view INSTEAD OF INSERT ON old BEGIN INSERT INTO pet (name) VALUES (new.name); END");
    rebuild();
    assert_int_equal(select_int("SELECT count(*) FROM older"), 1);
    run("INSERT INTO old VALUES ('Tom')");
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 2);
}

/* alembic's docs, go-gorm/sqlite 236 */
static void what_the_table_itself_says_stays(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE CHECK (name <> 'x'), "
        "age TEXT, CONSTRAINT short CHECK (length(name) < 10), UNIQUE (name, age), CHECK (id < 1000)) STRICT;"
        "INSERT INTO pet VALUES (1, 'Rex', '5'), (900, 'Tom', '6'); DELETE FROM pet WHERE id = 900");
    rebuild();
    GIVES(CORM_E_CHECK, corm_database_execute_script(db, "INSERT INTO pet VALUES (2, 'x', 1)", &failure));
    GIVES(CORM_E_CHECK, corm_database_execute_script(db, "INSERT INTO pet VALUES (2, '12345678901', 1)", &failure));
    GIVES(CORM_E_CHECK, corm_database_execute_script(db, "INSERT INTO pet VALUES (2000, 'a', 1)", &failure));
    GIVES(CORM_E_UNIQUE, corm_database_execute_script(db, "INSERT INTO pet VALUES (2, 'REX', 5)", &failure));
    assert_int_equal(corm_database_execute_script(db, "INSERT INTO pet VALUES (2, 'a', 'b')", NULL) < 0, true);
    run("INSERT INTO pet (name) VALUES ('Kit')");
    assert_int_equal(select_int("SELECT id FROM pet WHERE name = 'Kit'"), 901);
    assert_non_null(strstr(made_by("pet"), "short"));
}

static void rows_keep_a_rowid_that_no_column_shows(void **state) {
    (void)state;
    run("CREATE TABLE pet (id TEXT PRIMARY KEY, name TEXT, age TEXT);"
        "INSERT INTO pet (rowid, id, name) VALUES (7, 'a', 'Rex'), (3, 'b', 'Tom')");
    corm_model *pet = made((corm_model_def){
        .name = "Pet",
        COLUMNS(COLUMN("id", CORM_TEXT, .primary_key = true), COLUMN("name", CORM_TEXT), COLUMN("age", CORM_INT64))});
    OK(SYNC(pet));
    assert_int_equal(select_int("SELECT rowid FROM pet WHERE id = 'a'"), 7);
    in_step(MODELS(pet));
}

static void computed_columns_are_computed_again(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT, "
        "loud TEXT GENERATED ALWAYS AS (upper(name)) STORED); INSERT INTO pet (id, name, age) VALUES (1, 'Rex', '5')");
    const corm_column_def columns[] = {COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT),
                                       COLUMN("age", CORM_INT64),
                                       COLUMN("loud", CORM_TEXT, .computed_sql = "upper(name)")};
    corm_model *pet = made((corm_model_def){.name = "Pet", .columns = columns, .column_count = 4});
    OK(SYNC(pet));
    assert_string_equal(select_text("SELECT loud || typeof(age) FROM pet"), "REXinteger");
    in_step(MODELS(pet));
}

static void a_key_of_two_columns(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);"
        "INSERT INTO pet VALUES (5, 'Rex', 1), (2, 'Tom', 1)");
    const corm_column_def columns[] = {COLUMN("id", CORM_INT64, .primary_key = true),
                                       COLUMN("name", CORM_TEXT, .primary_key = true), COLUMN("age", CORM_INT64)};
    corm_model *pet =
        made((corm_model_def){.name = "Pet", .columns = columns, .column_count = 3, .without_rowid = true});
    OK(SYNC(pet));
    run("INSERT INTO pet VALUES (5, 'Tom', 1)");
    GIVES(CORM_E_UNIQUE, corm_database_execute_script(db, "INSERT INTO pet VALUES (5, 'Tom', 1)", &failure));
    assert_string_equal(select_text("SELECT group_concat(id || name) FROM pet"), "2Tom,5Rex,5Tom");
    in_step(MODELS(pet));
}

static void names_full_of_quotes(void **state) {
    (void)state;
    run("CREATE TABLE \"p\"\"e't]`\" (\"i\"\"d\" INTEGER PRIMARY KEY, \"a;--'\" TEXT, \"sel ect\" TEXT);"
        "CREATE TABLE child (x REFERENCES \"p\"\"e't]`\" ON DELETE CASCADE);"
        "CREATE INDEX \"in'\"\"dex\" ON \"p\"\"e't]`\" (\"a;--'\" DESC);"
        "CREATE TRIGGER \"tri\"\"g\" AFTER INSERT ON \"p\"\"e't]`\" BEGIN SELECT '\"'; END;"
        "INSERT INTO \"p\"\"e't]`\" VALUES (1, '5', 'x'); INSERT INTO child VALUES (1)");
    corm_model *pet = made(
        (corm_model_def){.name = "Pet",
                         .table = "p\"e't]`",
                         COLUMNS({.name = "id", .column = "i\"d", .type = CORM_INT64, .primary_key = true},
                                 {.name = "a", .column = "a;--'", .type = CORM_INT64},
                                 {.name = "b", .column = "new \"", .type = CORM_TEXT, .renamed_from = "sel ect"})});
    OK(SYNC(pet));
    assert_string_equal(select_text("SELECT typeof(\"a;--'\") || \"new \"\"\" FROM \"p\"\"e't]`\""), "integerx");
    assert_int_equal(select_int("SELECT count(*) FROM child"), 1);
    assert_int_equal(select_int("SELECT count(*) FROM sqlite_schema WHERE type IN ('index', 'trigger')"), 2);
    in_step(MODELS(pet));
}

/* django ticket 29182 */
static void a_table_that_refers_to_itself(void **state) {
    (void)state;
    run("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT, mother INTEGER REFERENCES pet ON DELETE SET "
        "NULL);"
        "INSERT INTO pet VALUES (1, 'Ada', '9', NULL), (2, 'Bea', '5', 1)");
    const corm_column_def columns[] = {COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("name", CORM_TEXT),
                                       COLUMN("age", CORM_INT64), COLUMN("mother", CORM_INT64)};
    corm_model *pet = made((corm_model_def){.name = "Pet", .columns = columns, .column_count = 4});
    OK(SYNC(pet));
    run("DELETE FROM pet WHERE id = 1");
    assert_int_equal(select_int("SELECT mother IS NULL FROM pet"), 1);
    assert_null(strstr(made_by("pet"), "corm_new"));
    in_step(MODELS(pet));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(rows_that_refer_to_the_table_stay),
        TEST_EMPTY(indexes_and_triggers_come_back_word_for_word),
        TEST_EMPTY(views_over_the_table_work_on),
        TEST_EMPTY(what_the_table_itself_says_stays),
        TEST_EMPTY(rows_keep_a_rowid_that_no_column_shows),
        TEST_EMPTY(computed_columns_are_computed_again),
        TEST_EMPTY(a_key_of_two_columns),
        TEST_EMPTY(names_full_of_quotes),
        TEST_EMPTY(a_table_that_refers_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
