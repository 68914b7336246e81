/* Rows of raw SQL. */
#include "support.h"

#include <string.h>

static void columns_are_known_before_the_first_row(void **state) {
    (void)state;
    corm_result *result;
    OK(corm_result_open(db, "SELECT id, name AS \"the Name\", name FROM person", CORM_NO_VALUES, &result, &failure));
    assert_int_equal(corm_result_column_count(result), 3);
    assert_string_equal(corm_result_column_name(result, 0), "id");
    assert_string_equal(corm_result_column_name(result, 1), "the Name");
    assert_null(corm_result_column_name(result, 3));
    assert_null(corm_result_column_name(result, -1));
    assert_int_equal(corm_result_column_index(result, "THE nAME"), 1);
    assert_int_equal(corm_result_column_index(result, "name"), 2);
    assert_int_equal(corm_result_column_index(result, "nosuch"), -1);
    assert_int_equal(corm_result_column_index(result, NULL), -1);
    GIVES(CORM_DONE, corm_result_next(result, &failure));
    corm_result_close(result);
}

static void rows_come_one_by_one(void **state) {
    (void)state;
    corm_result *result;
    corm_value value;
    int64_t sum = 0;
    insert_people(1000);
    OK(corm_result_open(db, "SELECT age, name FROM person WHERE age > ? ORDER BY id", CORM_VALUES(corm_value_int64(10)),
                        &result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_get(result, 0, &value, &failure));
    while (corm_result_next(result, &failure) == CORM_ROW) {
        OK(corm_result_get(result, 0, &value, &failure));
        sum += value.as.integer;
        OK(corm_result_get_named(result, "NAME", &value, &failure));
        assert_int_equal(value.type, CORM_VALUE_TEXT);
        assert_int_equal(((const char *)value.as.bytes.data)[0], 'p');
    }
    assert_int_equal(sum, 1000 * 1001 / 2 - 55);
    GIVES(CORM_E_MISUSE, corm_result_get(result, 0, &value, &failure));
    GIVES(CORM_DONE, corm_result_next(result, &failure));
    corm_result_close(result);
}

static void wrong_columns_are_misuse(void **state) {
    (void)state;
    corm_result *result;
    corm_value value;
    OK(corm_result_open(db, "SELECT 1 AS one, 2 AS two", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_get(result, 2, &value, &failure));
    GIVES(CORM_E_MISUSE, corm_result_get(result, -1, &value, &failure));
    GIVES(CORM_E_MISUSE, corm_result_get(result, 0, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_result_get_named(result, "three", &value, &failure));
    assert_non_null(strstr(corm_error_message(failure), "one"));
    assert_non_null(strstr(corm_error_message(failure), "two"));
    GIVES(CORM_E_MISUSE, corm_result_get_named(result, NULL, &value, &failure));
    GIVES(CORM_E_MISUSE, corm_result_row_json(result, NULL, &failure));
    corm_result_close(result);
}

static void a_row_as_json(void **state) {
    (void)state;
    corm_result *result;
    const char *json;
    OK(corm_result_open(db,
                        "SELECT 1 AS z, -2.5 AS a, 'q\"\\\n\x01é' AS \"k\"\"\", x'00ff10' AS b, NULL AS n, 9e999 AS i, "
                        "-9e999 AS j, x'' AS e, '' AS t",
                        CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_row_json(result, &json, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_result_row_json(result, &json, &failure));
    assert_string_equal(json,
                        "{\"z\":1,\"a\":-2.5,\"k\\\"\":\"q\\\"\\\\\\n\\u0001é\",\"b\":\"AP8Q\",\"n\":null,\"i\":9e999,"
                        "\"j\":-9e999,\"e\":\"\",\"t\":\"\"}");
    corm_result_close(result);
}

static void a_result_as_json(void **state) {
    (void)state;
    corm_result *result;
    const char *json;
    OK(corm_result_open(db,
                        "SELECT 1 AS a, 'x\"' AS \"b\"\"\" UNION ALL SELECT NULL, x'00ff' UNION ALL SELECT 0.5, 9e999",
                        CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_result_json(result, &json, &failure));
    assert_string_equal(json, "[{\"a\":null,\"b\\\"\":\"AP8=\"},{\"a\":0.5,\"b\\\"\":9e999}]");
    OK(corm_result_json(result, &json, &failure));
    assert_string_equal(json, "[]");
    GIVES(CORM_E_MISUSE, corm_result_json(result, NULL, &failure));
    corm_result_close(result);
    GIVES(CORM_E_MISUSE, corm_result_json(result, &json, &failure));
}

static void values_given_are_copied(void **state) {
    (void)state;
    char text[] = "before";
    corm_value values[] = {corm_value_text(text)};
    corm_value value;
    corm_result *result;
    OK(corm_result_open(db, "SELECT ?1 UNION ALL SELECT ?1", values, 1, &result, &failure));
    strcpy(text, "after!");
    values[0] = corm_value_null();
    for (int row = 0; row < 2; row += 1) {
        GIVES(CORM_ROW, corm_result_next(result, &failure));
        OK(corm_result_get(result, 0, &value, &failure));
        assert_memory_equal(value.as.bytes.data, "before", 6);
    }
    corm_result_close(result);
}

static void a_long_result_needs_little_memory(void **state) {
    (void)state;
    corm_result *result;
    corm_value value;
    int64_t size = 0, rows = many(500000);
    OK(corm_result_open(db,
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                        "SELECT printf('%0200d', i) FROM n",
                        CORM_VALUES(corm_value_int64(rows)), &result, &failure));
    int64_t before = peak_memory();
    while (corm_result_next(result, &failure) == CORM_ROW) {
        corm_result_get(result, 0, &value, NULL);
        size += (int64_t)value.as.bytes.size;
    }
    corm_result_close(result);
    assert_int_equal(size, rows * 200);
    assert_true(peak_memory() - before >= 0 && peak_memory() - before <= 30000);
}

static void a_statement_that_fails_while_it_runs(void **state) {
    (void)state;
    corm_result *result;
    insert_people(2);
    OK(corm_result_open(db,
                        "SELECT abs(CASE id WHEN 1 THEN 1 ELSE -9223372036854775807 - 1 END) FROM person ORDER BY id",
                        CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_E_SQL, corm_result_next(result, &failure));
    assert_non_null(strstr(corm_error_message(failure), "overflow"));
    corm_result_close(result);
}

static void closed_with_the_database(void **state) {
    (void)state;
    corm_result *result;
    corm_value value;
    insert_people(3);
    OK(corm_result_open(db, "SELECT id FROM person", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_database_close(db, &failure));
    db = NULL;
    GIVES(CORM_E_MISUSE, corm_result_next(result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_get(result, 0, &value, &failure));
    assert_int_equal(corm_result_column_count(result), 1);
    corm_result_close(result);
    corm_result_close(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(columns_are_known_before_the_first_row),
        TEST(rows_come_one_by_one),
        TEST(wrong_columns_are_misuse),
        TEST(a_row_as_json),
        TEST(a_result_as_json),
        TEST(values_given_are_copied),
        TEST(a_long_result_needs_little_memory),
        TEST(a_statement_that_fails_while_it_runs),
        TEST(closed_with_the_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
