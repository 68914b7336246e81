/* Schemas: read from a file, from texts and from models, and compared by their hash. */
#include "migrations.h"

#include <string.h>

static const char everything[] =
    "CREATE TABLE artist (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE, "
    "CHECK (length(name) > 0));"
    "CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist ON DELETE CASCADE, title TEXT, "
    "price REAL DEFAULT (1 + 1), upper_title TEXT AS (upper(title)), UNIQUE (artist_id, title));"
    "CREATE TABLE plain (a INT PRIMARY KEY, b ANY) STRICT, WITHOUT ROWID;"
    "CREATE INDEX album_title ON album (title COLLATE NOCASE DESC) WHERE price > 0;"
    "CREATE UNIQUE INDEX \"a \"\"b\"\"\" ON album (lower(title));"
    "CREATE VIEW titles (t) AS SELECT title FROM album;"
    "CREATE TRIGGER no_x BEFORE INSERT ON album BEGIN SELECT raise(ABORT, 'x;END;') WHERE new.title = 'x'; END;"
    "CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter ascii');";

static corm_schema *parsed(const char *sql) {
    corm_schema *schema;
    OK(corm_schema_parse(sql, &schema, &failure));
    return schema;
}

static void a_file_and_its_text_are_the_same_schema(void **state) {
    (void)state;
    run(everything);
    corm_schema *read;
    OK(corm_schema_read(db, &read, &failure));
    corm_schema *text = parsed(corm_schema_sql(read));
    assert_string_equal(corm_schema_hash(text), corm_schema_hash(read));
    assert_int_equal(strlen(corm_schema_hash(read)), 64);
    assert_int_equal(strspn(corm_schema_hash(read), "0123456789abcdef"), 64);
    assert_non_null(strstr(corm_schema_sql(read), "title COLLATE NOCASE DESC"));
    assert_non_null(strstr(corm_schema_sql(read), "'x;END;'"));
    assert_null(strstr(corm_schema_sql(read), "texts_data"));
    corm_database *copy;
    OK(corm_database_open(":memory:", NULL, &copy, &failure));
    OK(corm_database_execute_script(copy, corm_schema_sql(read), &failure));
    corm_schema *again;
    OK(corm_schema_read(copy, &again, &failure));
    assert_string_equal(corm_schema_hash(again), corm_schema_hash(read));
    OK(corm_database_close(copy, &failure));
    corm_schema_free(again);
    corm_schema_free(text);
    corm_schema_free(read);
}

static void handles_that_are_none(void **state) {
    (void)state;
    corm_schema *schema = NULL;
    corm_schema *gone = parsed("CREATE TABLE t (a)");
    corm_schema_free(gone);
    corm_schema_free(gone);
    corm_schema_free(NULL);
    corm_schema *const none[] = {NULL, gone, (corm_schema *)db, (corm_schema *)people, (corm_schema *)(uintptr_t)12345};
    for (size_t index = 0; index < sizeof none / sizeof none[0]; index += 1) {
        assert_null(corm_schema_sql(none[index]));
        assert_null(corm_schema_hash(none[index]));
        corm_schema_free(none[index]);
        corm_plan *plan = NULL;
        GIVES(CORM_E_MISUSE, corm_plan_create(NULL, none[index], none[index], NULL, &plan, &failure));
        assert_null(plan);
    }
    GIVES(CORM_E_MISUSE, corm_schema_read(NULL, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_read((corm_database *)people, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_read(db, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_parse(NULL, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_parse("", NULL, &failure));
    GIVES(CORM_E_ENCODING, corm_schema_parse("CREATE TABLE \xff (a)", &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create(NULL, 1, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create(MODELS(people, NULL), &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create((const corm_model *const[]){people}, SIZE_MAX, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create(MODELS(people), NULL, &failure));
    assert_int_equal(corm_schema_parse(NULL, &schema, NULL), CORM_E_MISUSE);
    assert_null(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(a_file_and_its_text_are_the_same_schema),
        TEST_EMPTY(handles_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
