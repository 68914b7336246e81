/* Fields of every type: what they refuse going in, and what the file may hold that they cannot take. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct typed {
    int64_t id;
    int32_t small;
    uint64_t natural;
    uint32_t smallNatural;
    bool flag;
    double ratio;
    float single;
    const char *label;
    corm_text sized;
    corm_blob data;
    corm_datetime moment;
    corm_uuid token;
    const char *price;
    corm_value any;
} typed;

static const corm_column_def typed_columns[] = {
    CORM_COLUMN(typed, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(typed, small, CORM_INT32),
    CORM_COLUMN(typed, natural, CORM_INT64, .is_unsigned = true),
    CORM_COLUMN(typed, smallNatural, CORM_INT32, .is_unsigned = true),
    CORM_COLUMN(typed, flag, CORM_BOOL),
    CORM_COLUMN(typed, ratio, CORM_DOUBLE),
    CORM_COLUMN(typed, single, CORM_FLOAT),
    CORM_COLUMN(typed, label, CORM_TEXT),
    CORM_COLUMN(typed, sized, CORM_TEXT),
    CORM_COLUMN(typed, data, CORM_BLOB),
    CORM_COLUMN(typed, moment, CORM_DATETIME),
    CORM_COLUMN(typed, token, CORM_UUID),
    CORM_COLUMN(typed, price, CORM_DECIMAL),
    CORM_COLUMN(typed, any, CORM_INT64),
};
static const corm_model_def typed_def = CORM_MODEL(typed, "Typed", typed_columns);
static corm_model *model;

static int set_up_typed(void **state) {
    set_up(state);
    OK(corm_model_create(&typed_def, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    return 0;
}

static int tear_down_typed(void **state) {
    corm_model_free(model);
    return tear_down(state);
}

static void refused(const char *file, int line, corm_status expected, const char *column, typed record) {
    check_status(expected,
                 (forget_failure(), corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure)),
                 column, file, line);
    _assert_string_equal(columns_of(failure), column, file, line);
    _assert_string_equal(corm_error_info_get(failure)->table, "typed", file, line);
    _assert_true(strstr(corm_error_message(failure), column) != NULL, "the message names the column", file, line);
}
#define REFUSED(status, column, ...) refused(__FILE__, __LINE__, status, column, (typed){__VA_ARGS__})

static void values_that_cannot_go_in_name_their_column(void **state) {
    (void)state;
    REFUSED(CORM_E_RANGE, "natural", .natural = 1ULL << 63);
    REFUSED(CORM_E_RANGE, "natural", .natural = UINT64_MAX);
    REFUSED(CORM_E_RANGE, "ratio", .ratio = NAN);
    REFUSED(CORM_E_RANGE, "single", .single = NAN);
    REFUSED(CORM_E_RANGE, "moment", .moment = 253402300800000000);
    REFUSED(CORM_E_RANGE, "moment", .moment = INT64_MIN);
    REFUSED(CORM_E_ENCODING, "label", .label = "\xff");
    REFUSED(CORM_E_ENCODING, "label", .label = "\xed\xa0\x80");
    REFUSED(CORM_E_ENCODING, "label", .label = "\xc0\x80");
    REFUSED(CORM_E_ENCODING, "label", .label = "cut \xf0\x9f\xa6");
    REFUSED(CORM_E_ENCODING, "sized", .sized = {"a\0\xff", 3});
    REFUSED(CORM_E_TYPE, "any", .any = corm_value_text("many"));
    REFUSED(CORM_E_TYPE, "any", .any = corm_value_double(1.5));
    REFUSED(CORM_E_TYPE, "any", .any = corm_value_blob("x", 1));
    REFUSED(CORM_E_RANGE, "any", .any = corm_value_uint64(UINT64_MAX));
    REFUSED(CORM_E_TYPE, "price", .price = "twelve");
    REFUSED(CORM_E_TYPE, "price", .price = "");
    assert_int_equal(select_int("SELECT count(*) FROM typed"), 0);
}

static void limits_go_in_and_come_out(void **state) {
    (void)state;
    typed record = {.small = INT32_MIN,
                    .natural = INT64_MAX,
                    .smallNatural = UINT32_MAX,
                    .ratio = -INFINITY,
                    .single = INFINITY,
                    .moment = 253402300799999999,
                    .any = corm_value_int64(INT64_MIN)};
    typed read = {0};
    OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    corm_arena *arena = corm_arena_create();
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    corm_arena_free(arena);
    assert_true(read.small == INT32_MIN && read.natural == INT64_MAX && read.smallNatural == UINT32_MAX);
    assert_true(read.ratio == -INFINITY && read.single == INFINITY && read.moment == record.moment);
    assert_true(read.any.type == CORM_VALUE_INTEGER && read.any.as.integer == INT64_MIN);
    assert_null(read.any.name);
}

/* Puts an SQL value into the column behind the model's back, and reads the record. */
static void unreadable(const char *file, int line, corm_status expected, const char *column, const char *value) {
    char sql[256];
    typed good = {.id = 1, .label = "", .price = "1"};
    typed read;
    corm_arena *arena = corm_arena_create();
    corm_records *records = NULL;
    check_status(CORM_OK, (forget_failure(), corm_record_save(db, model, &good, NULL, &failure)), column, file, line);
    snprintf(sql, sizeof sql, "UPDATE typed SET %s = %s", column, value);
    check_status(CORM_OK, (forget_failure(), corm_database_execute(db, sql, CORM_NO_VALUES, NULL, &failure)), sql, file,
                 line);
    corm_status status =
        (forget_failure(), corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    check_status(expected, status, sql, file, line);
    _assert_string_equal(columns_of(failure), column, file, line);
    status = (forget_failure(), corm_query_fetch(db, model, NULL, &records, &failure));
    check_status(expected, status, sql, file, line);
    _assert_true(strstr(corm_error_message(failure), column) != NULL, "the message names the column", file, line);
    corm_arena_free(arena);
}
#define UNREADABLE(status, column, value) unreadable(__FILE__, __LINE__, status, column, value)

static void loosen(void) {
    /* The same table without its NOT NULLs and checks, as another program might have made it. */
    OK(corm_database_execute_script(
        db,
        "DROP TABLE typed; CREATE TABLE typed (id INTEGER PRIMARY KEY, small, natural, small_natural, "
        "flag, ratio, single, label, sized, data, moment, token, price, any)",
        &failure));
}

static void what_the_file_holds_and_the_field_cannot(void **state) {
    (void)state;
    loosen();
    UNREADABLE(CORM_E_RANGE, "small", "2147483648");
    UNREADABLE(CORM_E_RANGE, "small", "-2147483649");
    UNREADABLE(CORM_E_RANGE, "natural", "-1");
    UNREADABLE(CORM_E_RANGE, "small_natural", "4294967296");
    UNREADABLE(CORM_E_RANGE, "small_natural", "-1");
    UNREADABLE(CORM_E_NULL_VALUE, "small", "NULL");
    UNREADABLE(CORM_E_NULL_VALUE, "natural", "NULL");
    UNREADABLE(CORM_E_NULL_VALUE, "flag", "NULL");
    UNREADABLE(CORM_E_NULL_VALUE, "ratio", "NULL");
    UNREADABLE(CORM_E_NULL_VALUE, "single", "NULL");
    UNREADABLE(CORM_E_NULL_VALUE, "moment", "NULL");
    UNREADABLE(CORM_E_NULL_VALUE, "token", "NULL");
    UNREADABLE(CORM_E_TYPE, "small", "'text'");
    UNREADABLE(CORM_E_TYPE, "small", "1.5");
    UNREADABLE(CORM_E_TYPE, "natural", "x'00'");
    UNREADABLE(CORM_E_TYPE, "flag", "'yes'");
    UNREADABLE(CORM_E_TYPE, "ratio", "'0.5'");
    UNREADABLE(CORM_E_TYPE, "label", "x'41'");
    UNREADABLE(CORM_E_TYPE, "data", "'text'");
    UNREADABLE(CORM_E_TYPE, "moment", "'yesterday'");
    UNREADABLE(CORM_E_TYPE, "moment", "'2023-02-30 00:00:00'");
    UNREADABLE(CORM_E_TYPE, "moment", "'2023-11-14T22:13:20Z'");
    UNREADABLE(CORM_E_TYPE, "token", "'not a uuid'");
    UNREADABLE(CORM_E_TYPE, "token", "'00112233-4455-6677-8899-AABBCCDDEEFF'");
    UNREADABLE(CORM_E_TYPE, "token", "'00112233445566778899aabbccddeeff'");
    UNREADABLE(CORM_E_ENCODING, "label", "'a' || char(0) || 'b'");
    UNREADABLE(CORM_E_ENCODING, "label", "CAST(x'ff41' AS TEXT)");
}

static void what_the_field_takes_in_other_words(void **state) {
    (void)state;
    typed read;
    loosen();
    OK(corm_database_execute(db,
                             "INSERT INTO typed VALUES (1, 1, 2, 3, 1, 4, 5, NULL, NULL, NULL, '2023-11-14 22:13:20', "
                             "'00112233-4455-6677-8899-aabbccddeeff', NULL, NULL)",
                             CORM_NO_VALUES, NULL, &failure));
    corm_arena *arena = corm_arena_create();
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    corm_arena_free(arena);
    assert_true(read.ratio == 4.0 && read.single == 5.0f);
    assert_true(read.moment == 1700000000000000);
    assert_int_equal(read.token.bytes[15], 0xff);
    assert_int_equal(read.any.type, CORM_VALUE_NULL);
}

static void empty_is_not_null(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    typed record = {.label = "", .sized = {"", 0}, .data = {"", 0}};
    typed read = {0};
    OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    assert_string_equal(read.label, "");
    assert_non_null(read.sized.data);
    assert_int_equal(read.sized.size, 0);
    assert_non_null(read.data.data);
    assert_int_equal(read.data.size, 0);
    assert_null(read.price);
    assert_string_equal(
        select_text("SELECT typeof(label) || typeof(sized) || typeof(data) || typeof(price) FROM typed"),
        "texttextblobnull");
    corm_arena_free(arena);
}

typedef struct ticket {
    int64_t id;
    char code[6];
} ticket;

static const corm_column_def ticket_columns[] = {
    CORM_COLUMN(ticket, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(ticket, code, CORM_TEXT),
};
CORM_DEFINE(ticket, "Ticket", ticket_columns);

static void import(corm_status expected, const char *json) {
    corm_json_reader *reader = NULL;
    OK(corm_json_reader_create(ticket_model, NULL, &reader, &failure));
    OK(corm_json_reader_feed(reader, json, strlen(json), &failure));
    OK(corm_json_reader_end(reader, &failure));
    if (expected == CORM_OK)
        OK(corm_json_reader_import(db, reader, CORM_WRITE_SAVE, NULL, &failure));
    else
        GIVES(expected, corm_json_reader_import(db, reader, CORM_WRITE_SAVE, NULL, &failure));
    corm_json_reader_free(reader);
}

/* Neither a statement nor JSON writes what no record could be read with. */
static void texts_stay_within_their_array(void **state) {
    (void)state;
    ticket record = {.code = "abc"}, read;
    OK(corm_model_create(&ticket_def, &ticket_model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(ticket_model), &failure));
    OK(corm_record_insert(db, ticket_model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
#define SETS(status, ...)                                                                                              \
    GIVES(status, corm_query_update(db, ticket_model, NULL, CORM_SET({"code", __VA_ARGS__}), NULL, &failure))
    SETS(CORM_E_RANGE, CORM_STR("toolong!"));
    assert_non_null(strstr(corm_error_message(failure), "which its type char[6] cannot hold"));
    SETS(CORM_E_RANGE, corm_expr_binary(CORM_OP_CONCAT, CORM_COL(ticket, code), CORM_STR("defg")));
    SETS(CORM_E_RANGE, CORM_STR("\xC3\xA4\xC3\xA4\xC3\xA4"));
    OK(corm_query_update(db, ticket_model, NULL,
                         CORM_SET({"code", corm_expr_binary(CORM_OP_CONCAT, CORM_COL(ticket, code), CORM_STR("de"))}),
                         NULL, &failure));
    import(CORM_E_RANGE, "[{\"code\": \"toolong!\"}]");
    import(CORM_E_ENCODING, "[{\"code\": \"a\\u0000b\"}]");
    import(CORM_OK, "[{\"id\": 2, \"code\": \"12345\"}]");
    OK(corm_record_find(db, ticket_model, CORM_VALUES(corm_value_int64(1)), &read, NULL, &failure));
    assert_string_equal(read.code, "abcde");
    OK(corm_record_find(db, ticket_model, CORM_VALUES(corm_value_int64(2)), &read, NULL, &failure));
    assert_string_equal(read.code, "12345");
    corm_model_free(ticket_model);
}

#define TYPED(function) cmocka_unit_test_setup_teardown(function, set_up_typed, tear_down_typed)

int main(void) {
    const struct CMUnitTest tests[] = {
        TYPED(values_that_cannot_go_in_name_their_column),
        TYPED(limits_go_in_and_come_out),
        TYPED(what_the_file_holds_and_the_field_cannot),
        TYPED(what_the_field_takes_in_other_words),
        TYPED(empty_is_not_null),
        TYPED(texts_stay_within_their_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
