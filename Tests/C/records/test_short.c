/* What makes C short: typed values of rows, fetching into an arena, conditions in queries, one value, one column. */
#include "support.h"

#include <stdio.h>
#include <string.h>

static void values_are_read_as_what_they_are(void **state) {
    (void)state;
    corm_result *row;
    OK(corm_result_open(db, "SELECT 9223372036854775807, 0.5, 3, 1, 'text', x'00ff', NULL, ''", CORM_NO_VALUES, &row,
                        &failure));
    GIVES(CORM_ROW, corm_result_next(row, &failure));
    assert_true(corm_result_int64(row, 0) == INT64_MAX);
    assert_true(corm_result_double(row, 1) == 0.5);
    assert_true(corm_result_double(row, 2) == 3);
    assert_true(corm_result_bool(row, 3));
    assert_string_equal(corm_result_text(row, 4), "text");
    corm_blob blob = corm_result_blob(row, 5);
    assert_int_equal(blob.size, 2);
    assert_memory_equal(blob.data, "\0\xff", 2);
    assert_true(corm_result_is_null(row, 6));
    assert_false(corm_result_is_null(row, 7));
    assert_null(corm_result_text(row, 6));
    assert_null(corm_result_blob(row, 6).data);
    assert_string_equal(corm_result_text(row, 7), "");
    GIVES(CORM_DONE, corm_result_next(row, &failure));
    corm_result_close(row);
    assert_int_equal(corm_result_int64(row, 0), 0);
}

/* Reads the only column of a SELECT wrongly: the status and the message that the next step gives. */
#define KEPT(status, message, select, read)                                                                            \
    do {                                                                                                               \
        corm_result *row;                                                                                              \
        OK(corm_result_open(db, "SELECT " select " AS c UNION ALL SELECT 1", CORM_NO_VALUES, &row, &failure));         \
        GIVES(CORM_ROW, corm_result_next(row, &failure));                                                              \
        read;                                                                                                          \
        GIVES(status, corm_result_next(row, &failure));                                                                \
        if (strstr(corm_error_message(failure), message) == NULL)                                                      \
            fail_msg("%s", corm_error_message(failure));                                                               \
        GIVES(status, corm_result_next(row, &failure));                                                                \
        corm_result_close(row);                                                                                        \
    } while (0)

static void what_cannot_be_given_is_the_next_steps_error(void **state) {
    (void)state;
    KEPT(CORM_E_TYPE, "\"c\" holds text, not an integer", "'7'", assert_int_equal(corm_result_int64(row, 0), 0));
    KEPT(CORM_E_TYPE, "\"c\" holds a real, not an integer", "1.0", assert_int_equal(corm_result_int64(row, 0), 0));
    KEPT(CORM_E_NULL_VALUE, "\"c\" is NULL, not an integer", "NULL", assert_int_equal(corm_result_int64(row, 0), 0));
    KEPT(CORM_E_TYPE, "holds a blob, not a number", "x''", assert_true(corm_result_double(row, 0) == 0));
    KEPT(CORM_E_TYPE, "holds an integer, not 0 or 1", "2", assert_false(corm_result_bool(row, 0)));
    KEPT(CORM_E_TYPE, "holds an integer, not text", "2", assert_null(corm_result_text(row, 0)));
    KEPT(CORM_E_ENCODING, "text with a NUL", "'a' || char(0) || 'b'", assert_null(corm_result_text(row, 0)));
    KEPT(CORM_E_TYPE, "holds text, not a blob", "'a'", assert_null(corm_result_blob(row, 0).data));
    KEPT(CORM_E_MISUSE, "no column 1", "1", assert_true(corm_result_is_null(row, 1)));
    /* The first of several. */
    KEPT(CORM_E_MISUSE, "no column 7", "'x'", (corm_result_int64(row, 7), corm_result_int64(row, 0)));
    corm_result *second;
    OK(corm_result_open(db, "SELECT 1 AS c UNION ALL SELECT 'x'", CORM_NO_VALUES, &second, &failure));
    GIVES(CORM_ROW, corm_result_next(second, &failure));
    assert_int_equal(corm_result_int64(second, 0), 1);
    GIVES(CORM_ROW, corm_result_next(second, &failure));
    assert_int_equal(corm_result_int64(second, 0), 0);
    GIVES(CORM_E_TYPE, corm_result_next(second, &failure));
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    assert_non_null(strstr(corm_error_message(failure), "\"c\" holds text, not an integer (in row 1)"));
    corm_result_close(second);
    corm_result *before;
    OK(corm_result_open(db, "SELECT 1", CORM_NO_VALUES, &before, &failure));
    assert_int_equal(corm_result_int64(before, 0), 0);
    GIVES(CORM_E_MISUSE, corm_result_next(before, &failure));
    corm_result_close(before);
}

static corm_expr *older_than(int64_t age) { return CORM_GT(corm_expr_column(people, "age"), CORM_INT(age)); }

static void records_go_into_an_arena(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    person *found = NULL;
    size_t count = 0;
    insert_people(500);
    OK(corm_query_fetch_into(db, people, CORM_QUERY(.order_by = "-id", .limit = 300), arena, &found, &count, &failure));
    assert_int_equal(count, 300);
    assert_int_equal(found[299].id, 201);
    assert_string_equal(found[299].name, "p201");
    OK(corm_query_fetch_into(db, people, CORM_QUERY(.limit = 1, .offset = 500), arena, &found, &count, &failure));
    assert_null(found);
    assert_int_equal(count, 0);
    GIVES(CORM_E_MISUSE, corm_query_fetch_into(db, people, NULL, NULL, &found, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_query_fetch_into(db, people, NULL, arena, NULL, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_query_fetch_into(db, people, NULL, arena, &found, NULL, &failure));
    corm_arena_free(arena);
}

static void queries_have_conditions(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    person one = {0};
    int64_t count = 0;
    insert_people(20);
    OK(corm_query_first(db, people, CORM_QUERY(.where = older_than(15), .order_by = "age"), &one, arena, &failure));
    assert_int_equal(one.id, 16);
    OK(corm_query_count(db, people, CORM_QUERY(.where = older_than(15)), &count, &failure));
    assert_int_equal(count, 5);
    GIVES(CORM_NOT_FOUND, corm_query_exists(db, people, CORM_QUERY(.where = older_than(20)), &failure));
    OK(corm_query_exists(db, people, CORM_QUERY(.where = older_than(19), .offset = 0), &failure));
    corm_value least = corm_value_named("least", corm_value_int64(18));
    corm_expr *named = CORM_GE(corm_expr_column(people, "age"), corm_expr_parameter("least"));
    OK(corm_query_count(db, people, CORM_QUERY(.where = named, .values = &least, .value_count = 1), &count, &failure));
    assert_int_equal(count, 3);
    GIVES(CORM_E_MISUSE, corm_query_count(db, people, CORM_QUERY(.where = named), &count, &failure));
    GIVES(CORM_E_MISUSE,
          corm_query_count(db, people, CORM_QUERY(.where = older_than(1), .sql = "SELECT 1"), &count, &failure));
    GIVES(CORM_E_MISUSE, corm_query_count(db, NULL, CORM_QUERY(.where = older_than(1)), &count, &failure));
    GIVES(CORM_E_MISUSE,
          corm_query_count(db, people, CORM_QUERY(.where = older_than(1), .order_by = "nmae"), &count, &failure));
    corm_arena_free(arena);
}

static void one_value_and_one_column(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    corm_value value;
    const corm_value *values;
    size_t count;
    insert_people(3);
    OK(corm_query_value(db, CORM_QUERY(.sql = "SELECT max(age) FROM person"), arena, &value, &failure));
    assert_int_equal(value.as.integer, 3);
    GIVES(CORM_NOT_FOUND, corm_query_value(db, CORM_QUERY(.sql = "SELECT 1 WHERE 0"), arena, &value, &failure));
    corm_statement *names =
        corm_statement_select(people, &(corm_select){.struct_size = sizeof(corm_select),
                                                     .columns = CORM_LIST(corm_expr_column(people, "name")),
                                                     .where = older_than(1),
                                                     .order_by = CORM_LIST(CORM_DESC(corm_expr_column(people, "id"))),
                                                     .limit = 5});
    OK(corm_query_values(db, CORM_QUERY(.statement = names), arena, &values, &count, &failure));
    assert_int_equal(count, 2);
    assert_memory_equal(values[0].as.bytes.data, "p3", 3);
    assert_memory_equal(values[1].as.bytes.data, "p2", 3);
    OK(corm_query_values(db, CORM_QUERY(.sql = "SELECT 1 WHERE 0"), arena, &values, &count, &failure));
    assert_int_equal(count, 0);
    GIVES(CORM_E_MISUSE, corm_query_value(db, CORM_QUERY(.sql = "SELECT 1, 2"), arena, &value, &failure));
    GIVES(CORM_E_MISUSE, corm_query_value(db, NULL, arena, &value, &failure));
    GIVES(CORM_E_MISUSE, corm_query_value(db, CORM_QUERY(.sql = "SELECT 1"), NULL, &value, &failure));
    GIVES(CORM_E_SQL, corm_query_value(db, CORM_QUERY(.sql = "SELEC"), arena, &value, &failure));
    corm_statement_free(names);
    corm_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(values_are_read_as_what_they_are), TEST(what_cannot_be_given_is_the_next_steps_error),
        TEST(records_go_into_an_arena),         TEST(queries_have_conditions),
        TEST(one_value_and_one_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
