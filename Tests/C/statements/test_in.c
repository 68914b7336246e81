/* IN with lists of any length and of every kind of value; the others are in Tests/Conformance/expression-in.json. */
#include "statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 100000

/* `count` values of which the last one is `last` and the others meet nothing. */
static corm_value *values_before(corm_value last, size_t count) {
    corm_value *values = malloc(count * sizeof *values);
    for (size_t index = 0; index < count; index += 1)
        values[index] = corm_value_int64(-1 - (int64_t)index);
    values[count - 1] = last;
    return values;
}

/* Whether `CAST(? AS ...) IN (values)` of one value among `count` finds it, and not what is not there. */
static void finds_among(corm_value value, corm_value other, size_t count) {
    corm_value *values = values_before(value, count);
    corm_statement *select = with_column(select_nothing(), corm_expr_in(corm_expr_value(value), values, count));
    with_column(select, corm_expr_in(corm_expr_value(other), values, count));
    corm_result *result;
    OK(corm_result_open_statement(db, select, CORM_NO_VALUES, &result, &failure));
    assert_string_equal(rows_of(result), "1 0");
    corm_statement_free(select);
    free(values);
}

static void every_kind_of_value_in_lists_of_every_length(void **state) {
    (void)state;
    const size_t counts[] = {1, 2, 100, 101, (size_t)many(MANY)};
    for (size_t index = 0; index < sizeof counts / sizeof *counts; index += 1) {
        finds_among(corm_value_int64(INT64_MAX), corm_value_int64(INT64_MAX - 1), counts[index]);
        finds_among(corm_value_int64(INT64_MIN), corm_value_int64(7), counts[index]);
        finds_among(corm_value_double(0.1), corm_value_double(0.2), counts[index]);
        finds_among(corm_value_text("x"), corm_value_text("X"), counts[index]);
        finds_among(corm_value_text(""), corm_value_text(" "), counts[index]);
        finds_among(corm_value_text_size("a\0b", 3), corm_value_text("a"), counts[index]);
        finds_among(corm_value_blob("\0\1", 2), corm_value_blob("\0", 1), counts[index]);
        finds_among(corm_value_blob("", 0), corm_value_text(""), counts[index]);
        finds_among(corm_value_text("7"), corm_value_int64(7), counts[index]);
        finds_among(corm_value_null(), corm_value_int64(1), counts[index]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(every_kind_of_value_in_lists_of_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
