/* Integers of 8 and 16 bits, and texts in arrays of char: what fits comes back, and what does not is refused (finding code.md 1). */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct narrow {
    int16_t id;
    int8_t least;
    uint8_t byte;
    int16_t shorter;
    uint16_t port;
    char code[4];
    char price[8];
    char note[16];
} narrow;

static const corm_column_def narrow_columns[] = {
    CORM_COLUMN(narrow, id, CORM_INT32, .primary_key = true),
    CORM_COLUMN(narrow, least, CORM_INT32),
    CORM_COLUMN(narrow, byte, CORM_INT32),
    CORM_COLUMN(narrow, shorter, CORM_INT32),
    CORM_COLUMN(narrow, port, CORM_INT32),
    CORM_COLUMN(narrow, code, CORM_VARCHAR, .length = 3),
    CORM_COLUMN(narrow, price, CORM_DECIMAL),
    CORM_COLUMN(narrow, note, CORM_JSON),
};
static const corm_model_def narrow_def = CORM_MODEL(narrow, "Narrow", narrow_columns);
static corm_model *model;

static int set_up_narrow(void **state) {
    set_up(state);
    OK(corm_model_create(&narrow_def, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    return 0;
}

static int tear_down_narrow(void **state) {
    corm_model_free(model);
    return tear_down(state);
}

static const narrow most = {0, INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX, "abc", "-123.45", "[\"twelve c..\"]"};
static const narrow least = {-7, INT8_MIN, 0, INT16_MIN, 0, "", "0", "1"};

static void insert(narrow record) { OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure)); }

static narrow found(int64_t id) {
    narrow record;
    memset(&record, 0xFF, sizeof record);
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(id)), &record, NULL, &failure));
    return record;
}

/* The file's column is set to this; reading says so, and names the column and the row. */
static void unreadable(corm_status expected, const char *column, const char *sql, const char *said) {
    corm_records *records;
    char update[100];
    snprintf(update, sizeof update, "UPDATE narrow SET %s = %s WHERE id = 2", column, sql);
    OK(corm_database_execute(db, "DELETE FROM narrow", NULL, 0, NULL, &failure));
    insert(most);
    insert(most);
    OK(corm_database_execute(db, "PRAGMA ignore_check_constraints = 1", NULL, 0, NULL, &failure));
    OK(corm_database_execute(db, update, NULL, 0, NULL, &failure));
    GIVES(expected, corm_query_fetch(db, model, NULL, &records, &failure));
    assert_string_equal(columns_of(failure), column);
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    if (strstr(corm_error_message(failure), said) == NULL)
        fail_msg("%s", corm_error_message(failure));
}

static void unwritable(corm_status expected, const char *column, narrow record) {
    GIVES(expected, corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_string_equal(columns_of(failure), column);
}

static void what_fits_comes_back(void **state) {
    (void)state;
    narrow one = most;
    insert(one);
    one.id = 1;
    narrow back = found(1);
    assert_memory_equal(&back, &one, sizeof one);
    insert(least);
    back = found(-7);
    assert_memory_equal(&back, &least, sizeof least);
    assert_string_equal(select_text("SELECT code || typeof(code) || price || note || port FROM narrow WHERE id = 1"),
                        "abctext-123.45[\"twelve c..\"]65535");
    strcpy(back.code, "é");
    OK(corm_record_update(db, model, &back, "code", NULL, &failure));
    assert_string_equal(found(-7).code, "é");
}

static void numbers_that_do_not_fit_are_refused(void **state) {
    (void)state;
    unreadable(CORM_E_RANGE, "least", "128", "does not fit into 8 bits");
    unreadable(CORM_E_RANGE, "byte", "-1", "does not fit into unsigned 8 bits");
    unreadable(CORM_E_RANGE, "byte", "256", "does not fit into unsigned 8 bits");
    unreadable(CORM_E_RANGE, "shorter", "-32769", "does not fit into 16 bits");
    unreadable(CORM_E_RANGE, "port", "65536", "does not fit into unsigned 16 bits");
    unreadable(CORM_E_TYPE, "port", "'many'", "text");
}

static void texts_are_never_cut_off(void **state) {
    (void)state;
    unreadable(CORM_E_RANGE, "code", "'abcd'", "has 4 bytes, which with a NUL do not fit into char[4]");
    unreadable(CORM_E_ENCODING, "code", "'a' || char(0)", "NUL");
    unreadable(CORM_E_ENCODING, "code", "CAST(x'FF' AS TEXT)", "UTF-8");
    unreadable(CORM_E_TYPE, "code", "x'41'", "text");
    narrow full = most;
    memcpy(full.code, "abcd", 4);
    unwritable(CORM_E_ENCODING, "code", full);
    assert_non_null(strstr(corm_error_message(failure), "has no NUL within its 4 bytes"));
    full = most;
    memcpy(full.code, "\xff", 2);
    unwritable(CORM_E_ENCODING, "code", full);
    full = most;
    strcpy(full.price, "dear");
    unwritable(CORM_E_TYPE, "price", full);
}

static void an_array_has_no_null(void **state) {
    (void)state;
    assert_non_null(strstr(corm_model_info_get(model)->create_sql, "\"code\" VARCHAR(3) NOT NULL"));
    OK(corm_database_execute_script(db,
                                    "DROP TABLE narrow; CREATE TABLE narrow (id INTEGER PRIMARY KEY, least, byte, "
                                    "shorter, port, code, price, note);"
                                    "INSERT INTO narrow VALUES (1, 1, 1, 1, 1, NULL, '1', '1')",
                                    &failure));
    narrow record;
    GIVES(CORM_E_NULL_VALUE, corm_query_first(db, model, NULL, &record, NULL, &failure));
    assert_string_equal(columns_of(failure), "code");
}

static void a_key_that_does_not_fit_is_not_kept(void **state) {
    (void)state;
    narrow one = most;
    insert(one);
    one.id = INT16_MAX;
    insert(one);
    one.id = 0;
    GIVES(CORM_E_RANGE, corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM narrow"), 2);
    assert_int_equal(one.id, 0);
}

static void queues_and_json_have_them_too(void **state) {
    (void)state;
    corm_queue *queue;
    corm_batch *batch;
    corm_json_reader *reader;
    corm_arena *arena = corm_arena_create();
    const char *text;
    size_t size;
    narrow one = most, back;
    one.id = 3;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    OK(corm_batch_insert(batch, model, &one, CORM_CONFLICT_ABORT, &failure));
    OK(corm_batch_commit(batch, CORM_BATCH_ROLLBACK, NULL, NULL, &failure));
    memset(one.code, 'x', sizeof one.code);
    GIVES(CORM_E_ENCODING, corm_batch_insert(batch, model, &one, CORM_CONFLICT_ABORT, &failure));
    corm_batch_free(batch);
    OK(corm_queue_close(queue, &failure));
    one = found(3);
    OK(corm_json_write(model, &one, 1, NULL, 0, NULL, arena, &text, &size, &failure));
    OK(corm_json_reader_create(model, NULL, &reader, &failure));
    OK(corm_json_reader_feed(reader, text, size, &failure));
    memset(&back, 0xFF, sizeof back);
    GIVES(CORM_ROW, corm_json_reader_next(reader, &back, &failure));
    assert_memory_equal(&back, &one, sizeof one);
    corm_json_reader_free(reader);
    corm_arena_free(arena);
    OK(corm_json_reader_create(model, NULL, &reader, &failure));
    const char *wide = "{\"id\": 1, \"least\": 200, \"byte\": 1, \"shorter\": 1, \"port\": 1, \"code\": \"\", "
                       "\"price\": \"1\", \"note\": 1}";
    OK(corm_json_reader_feed(reader, wide, strlen(wide), &failure));
    GIVES(CORM_E_RANGE, corm_json_reader_next(reader, &back, &failure));
    assert_non_null(strstr(corm_error_message(failure), "$.least"));
    corm_json_reader_free(reader);
}

/* What SQL calculates and a document gives goes past the struct's fields. */
static void what_sql_and_json_make_fits(void **state) {
    (void)state;
    narrow one = most;
    corm_json_reader *reader;
    insert(one);
    for (const char *const *property = (const char *const[]){"least", "byte", "shorter", "port", NULL}; *property;
         property++) {
        corm_statement *update = corm_statement_create(CORM_UPDATE, model, NULL);
        corm_statement_set(
            update, *property,
            corm_expr_binary(CORM_OP_ADD, corm_expr_column(model, *property), corm_expr_value(corm_value_int64(1))));
        GIVES(CORM_E_RANGE, corm_statement_execute(db, update, NULL, 0, NULL, &failure));
        assert_non_null(strstr(corm_error_message(failure), *property));
        corm_statement_free(update);
    }
    OK(corm_json_reader_create(model, NULL, &reader, &failure));
    const char *wide = "{\"id\": 7, \"least\": 1, \"byte\": 256, \"shorter\": 1, \"port\": 1, \"code\": \"\", "
                       "\"price\": \"1\", \"note\": 1}";
    OK(corm_json_reader_feed(reader, wide, strlen(wide), &failure));
    GIVES(CORM_E_RANGE, corm_json_reader_import(db, reader, CORM_WRITE_INSERT, NULL, &failure));
    corm_json_reader_free(reader);
    assert_int_equal(select_int("SELECT count(*) FROM narrow"), 1);
    found(1);
}

#define NARROW_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_narrow, tear_down_narrow)

int main(void) {
    const struct CMUnitTest tests[] = {
        NARROW_TEST(what_fits_comes_back),
        NARROW_TEST(numbers_that_do_not_fit_are_refused),
        NARROW_TEST(texts_are_never_cut_off),
        NARROW_TEST(an_array_has_no_null),
        NARROW_TEST(a_key_that_does_not_fit_is_not_kept),
        NARROW_TEST(queues_and_json_have_them_too),
        NARROW_TEST(what_sql_and_json_make_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
