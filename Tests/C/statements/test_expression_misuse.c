/* Expressions made of what is wrong: the first use says so in words, nothing crashes and nothing leaks. */
#include "statements.h"

static corm_expr *used_up(void) {
    corm_expr *expression = number(1);
    corm_expr_free(expression);
    return expression;
}

static void unknown_properties_name_the_nearest(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_MISUSE, "model Person has no property \"agee\"; did you mean age?", column("agee"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean name?", corm_expr_column_of("p", people, "nmae"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "it has id, name, city, age, height", column("shoe_size_in_cm"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "", column(""));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean age", column("AGE"));
    corm_error_free(failure);
    failure = NULL;
    corm_arena *arena = corm_arena_create();
    corm_expr *wrong = CORM_EQ(corm_expr_column(people, "agee"), CORM_INT(1));
    const char *sql;
    GIVES(CORM_E_MISUSE, corm_expr_sql(wrong, arena, &sql, NULL, NULL, &failure));
    assert_string_equal(corm_error_info_get(failure)->table, "person");
    corm_expr_free(wrong);
    corm_arena_free(arena);
}

static void values_of_another_type_name_the_column(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.age", CORM_EQ(corm_expr_column(people, "age"), CORM_STR("36")));
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.age", binary(CORM_OP_LESS, text("36"), column("age")));
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.name", CORM_NE(corm_expr_column(people, "name"), CORM_INT(1)));
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.name",
                     binary(CORM_OP_IS, column("name"), corm_expr_value(corm_value_blob("x", 1))));
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.height", CORM_GE(corm_expr_column(people, "height"), CORM_STR("tall")));
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.age", corm_expr_in(column("age"), CORM_VALUES(corm_value_text("x"))));
    EXPRESSION_FAILS(CORM_E_RANGE, "value 1",
                     corm_expr_in(column("age"), CORM_VALUES(corm_value_int64(1), corm_value_uint64(UINT64_MAX))));
    EXPRESSION_FAILS(CORM_E_MISUSE, "values", corm_expr_in(column("age"), NULL, 3));
    MEETS(CORM_EQ(corm_expr_column(people, "age"), CORM_REAL(36)), "\"age\" = ?", "36.00", "1 2");
    MEETS(CORM_GT(corm_expr_column(people, "height"), CORM_INT(2)), "\"height\" > ?", "2", "6");
}

static void numbers_that_are_no_operators(void **state) {
    (void)state;
    static const int32_t unary_gaps[] = {-1, 0, 6, 9, 10, 37, 100, INT32_MAX, INT32_MIN};
    static const int32_t binary_gaps[] = {-1, 0, 1, 9, 18, 19, 42, 100, INT32_MAX, INT32_MIN};
    for (size_t index = 0; index < sizeof unary_gaps / sizeof *unary_gaps; index += 1)
        EXPRESSION_FAILS(CORM_E_MISUSE, "is no operator with one operand", unary(unary_gaps[index], number(1)));
    for (size_t index = 0; index < sizeof binary_gaps / sizeof *binary_gaps; index += 1) {
        EXPRESSION_FAILS(CORM_E_MISUSE, "is no operator with two operands",
                         binary(binary_gaps[index], number(1), number(2)));
    }
}

static void rows_that_are_none(void **state) {
    (void)state;
    corm_value three[] = {corm_value_int64(1), corm_value_int64(2), corm_value_int64(3)};
    corm_value list = corm_value_list(three, 3);
    EXPRESSION_FAILS(CORM_E_MISUSE, "a row of 1 value", corm_expr_row(EXPRS(number(1)), 1));
    EXPRESSION_FAILS(CORM_E_MISUSE, "a row of 0 values", corm_expr_row(NULL, 0));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_expr_row(NULL, 2));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_expr_row(EXPRS(number(1), NULL), 2));
    EXPRESSION_FAILS(CORM_E_MISUSE, "where one value is wanted", CORM_ROW_VALUE(number(1), number(2)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "with one value", CORM_EQ(CORM_ROW_VALUE(number(1), number(2)), number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "where one value is wanted",
                     binary(CORM_OP_ADD, CORM_ROW_VALUE(number(1), number(2)), number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "3 values are no rows of 2",
                     corm_expr_in(CORM_ROW_VALUE(number(1), number(2)), three, 3));
    EXPRESSION_FAILS(CORM_E_MISUSE, "no parameter", binary(CORM_OP_IN, number(1), number(2)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "is a list", corm_expr_value(list));
    EXPRESSION_FAILS(CORM_E_MISUSE, "is a list", corm_expr_in(number(1), &list, 1));
}

static corm_expr *count_all(void) { return corm_expr_call("count", NULL, 0); }

static void distinct_filter_and_over_need_a_call(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_MISUSE, "DISTINCT", corm_expr_distinct(column("age")));
    EXPRESSION_FAILS(CORM_E_MISUSE, "FILTER", corm_expr_filter(number(1), column("age")));
    EXPRESSION_FAILS(CORM_E_MISUSE, "OVER", corm_expr_over(column("age"), NULL, 0, NULL, 0, NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_expr_filter(count_all(), NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "no property", corm_expr_distinct(CORM_CALL("count", column("nosuch"))));
}

static void null_in_place_of_an_expression(void **state) {
    (void)state;
    corm_expr *none = NULL;
#define IS_NULL(expression) EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", expression)
    IS_NULL(unary(CORM_OP_NOT, none));
    IS_NULL(binary(CORM_OP_ADD, none, number(1)));
    IS_NULL(binary(CORM_OP_ADD, number(1), none));
    IS_NULL(CORM_AND(number(1), none, number(2)));
    IS_NULL(CORM_OR(none));
    IS_NULL(corm_expr_between(none, number(1), number(2)));
    IS_NULL(corm_expr_between(number(1), number(2), none));
    IS_NULL(corm_expr_in(none, CORM_VALUES(corm_value_int64(1))));
    IS_NULL(corm_expr_in_select(none, with_column(select_nothing(), number(1))));
    IS_NULL(corm_expr_in_select(number(1), NULL));
    IS_NULL(corm_expr_case(NULL, EXPRS(none), EXPRS(number(1)), 1, NULL));
    IS_NULL(corm_expr_case(NULL, EXPRS(number(1)), EXPRS(none), 1, NULL));
    IS_NULL(corm_expr_cast(none, CORM_TEXT));
    IS_NULL(corm_expr_collate(none, "NOCASE"));
    IS_NULL(CORM_CALL("lower", none));
    IS_NULL(corm_expr_distinct(none));
    IS_NULL(corm_expr_filter(none, number(1)));
    IS_NULL(corm_expr_over(none, NULL, 0, NULL, 0, NULL));
    IS_NULL(corm_expr_over(corm_expr_call("count", NULL, 0), EXPRS(none), 1, NULL, 0, NULL));
    IS_NULL(corm_expr_select(NULL));
    IS_NULL(corm_expr_exists(NULL));
    IS_NULL(corm_expr_order(none, true, 0));
    IS_NULL(corm_expr_as(none, "x"));
    IS_NULL(corm_expr_copy(none));
    corm_expr_free(none);
}

static void null_in_place_of_a_name_a_model_or_an_array(void **state) {
    (void)state;
    IS_NULL(column(NULL));
    IS_NULL(corm_expr_column(NULL, "age"));
    IS_NULL(corm_expr_column_of(NULL, people, "age"));
    IS_NULL(corm_expr_column_of("p", NULL, "age"));
    IS_NULL(name("person", NULL));
    IS_NULL(corm_expr_parameter(NULL));
    IS_NULL(corm_expr_collate(number(1), NULL));
    IS_NULL(corm_expr_call(NULL, NULL, 0));
    IS_NULL(corm_expr_as(number(1), NULL));
    IS_NULL(corm_expr_all(NULL, 2));
    IS_NULL(corm_expr_any(NULL, 1));
    IS_NULL(corm_expr_call("max", NULL, 1));
    IS_NULL(corm_expr_case(NULL, NULL, EXPRS(number(1)), 1, NULL));
    IS_NULL(corm_expr_over(corm_expr_call("count", NULL, 0), NULL, 1, NULL, 0, NULL));
    const char *sql;
    corm_expr *good = number(1);
    corm_arena *arena = corm_arena_create();
    GIVES(CORM_E_MISUSE, corm_expr_sql(good, NULL, &sql, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_expr_sql(good, arena, NULL, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_expr_sql(NULL, arena, &sql, NULL, NULL, &failure));
    OK(corm_expr_sql(good, arena, &sql, NULL, NULL, &failure));
    assert_string_equal(sql, "?");
    corm_arena_free(arena);
    corm_expr_free(good);
    EXPRESSION_FAILS(CORM_E_MISUSE, "CORM_NULLS_", corm_expr_order(column("age"), false, 3));
    EXPRESSION_FAILS(CORM_E_MISUSE, "CORM_NULLS_", corm_expr_order(column("age"), false, -1));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_expr_raw(NULL, CORM_NO_VALUES));
    EXPRESSION_FAILS(CORM_E_ENCODING, "", corm_expr_raw("'\xff'", CORM_NO_VALUES));
}

static void used_twice(void **state) {
    (void)state;
    corm_expr *adult = CORM_GE(corm_expr_column(people, "age"), CORM_INT(18));
    corm_statement *first = where(select_from(people), adult);
    STATEMENT_FAILS(CORM_E_MISUSE, "corm_expr_copy", where(select_from(people), adult));
    EXPRESSION_FAILS(CORM_E_MISUSE, "consumed", unary(CORM_OP_NOT, adult));
    EXPRESSION_FAILS(CORM_E_MISUSE, "expression", adult);
    corm_expr_free(adult);
    corm_expr_free(adult);
    SELECTS(with_column(first, CORM_CALL("count", column("id"))),
            "SELECT count(\"id\") FROM \"person\" WHERE \"age\" >= ?", "18", "4");
    corm_expr *one = number(1);
    EXPRESSION_FAILS(CORM_E_MISUSE, "consumed", binary(CORM_OP_ADD, one, one));
    corm_expr *part = number(2);
    EXPRESSION_FAILS(CORM_E_MISUSE, "consumed", CORM_AND(part, number(3), part));
    EXPRESSION_FAILS(CORM_E_MISUSE, "consumed", corm_expr_copy(used_up()));
}

static void a_freed_handle_does_not_reach_the_next_expression(void **state) {
    (void)state;
    corm_expr *old = used_up();
    corm_expr *fresh = number(7);
    corm_expr_free(old);
    EXPRESSION_FAILS(CORM_E_MISUSE, "consumed", unary(CORM_OP_NEGATE, old));
    VALUES(fresh, "?", "7", "7");
}

static void handles_of_another_kind(void **state) {
    (void)state;
    corm_statement *select = select_from(people);
    EXPRESSION_FAILS(CORM_E_MISUSE, "of another kind", unary(CORM_OP_NOT, (corm_expr *)people));
    EXPRESSION_FAILS(CORM_E_MISUSE, "of another kind", unary(CORM_OP_NOT, (corm_expr *)db));
    EXPRESSION_FAILS(CORM_E_MISUSE, "of another kind", unary(CORM_OP_NOT, (corm_expr *)select));
    corm_expr *one = number(1);
    EXPRESSION_FAILS(CORM_E_MISUSE, "of another kind", corm_expr_exists((corm_statement *)one));
    EXPRESSION_FAILS(CORM_E_MISUSE, "of another kind", corm_expr_column((corm_model *)one, "age"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "of another kind", corm_expr_column((corm_model *)db, "age"));
    corm_expr_free((corm_expr *)people);
    corm_expr_free((corm_expr *)select);
    corm_statement_free((corm_statement *)one);
    VALUES(one, "?", "1", "1");
    SELECTS(with_column(select, CORM_CALL("count", number(1))), "SELECT count(?) FROM \"person\"", "1", "6");
}

static void ten_thousand_deep_is_refused(void **state) {
    (void)state;
    corm_expr *deep = number(1);
    for (int level = 0; level < 10000; level += 1)
        deep = unary(CORM_OP_NOT, deep);
    EXPRESSION_FAILS(CORM_E_MISUSE, "deep", deep);
    deep = number(1);
    for (int level = 0; level < 10000; level += 1)
        deep = binary(CORM_OP_SUBTRACT, number(1), deep);
    STATEMENT_FAILS(CORM_E_MISUSE, "deep", where(select_from(people), deep));
    deep = number(1);
    for (int level = 0; level < 10000; level += 1)
        deep = CORM_CALL("abs", deep);
    corm_expr_free(deep);
    deep = number(1);
    for (int level = 0; level < 24; level += 1)
        deep = binary(CORM_OP_SUBTRACT, number(1), deep);
    corm_statement *select = with_column(select_nothing(), deep);
    corm_result *result = NULL;
    OK(corm_result_open_statement(db, select, CORM_NO_VALUES, &result, &failure));
    assert_string_equal(rows_of(result), "1");
    corm_statement_free(select);
}

static void deeper_than_the_parser_of_sqlite_is_refused_too(void **state) {
    (void)state;
    corm_expr *deep = number(1);
    for (int level = 0; level < 400; level += 1)
        deep = binary(CORM_OP_SUBTRACT, number(1), deep);
    corm_statement *select = with_column(select_nothing(), deep);
    corm_result *result = NULL;
    corm_status status = corm_result_open_statement(db, select, CORM_NO_VALUES, &result, &failure);
    // From SQLite 3.46 on the parser takes it.
    if (status == CORM_OK)
        corm_result_close(result);
    else
        FAILURE_SAYS("deep");
    corm_statement_free(select);
}

static void check_chain(corm_expr *condition) {
    corm_statement *select = with_column(select_from(people), column("id"));
    ordered_by(where(select, condition), column("id"));
    corm_result *result;
    OK(corm_result_open_statement(db, select, CORM_NO_VALUES, &result, &failure));
    assert_string_equal(rows_of(result), "1; 3; 4; 5; 6");
    corm_statement_free(select);
}

static corm_expr *nothing_but_two(int index) {
    return CORM_NE(corm_expr_column(people, "id"), CORM_INT(index == 777 ? 2 : 10 + index));
}

static void thousands_of_conditions_in_a_row(void **state) {
    (void)state;
    static corm_expr *parts[3000];
    for (int index = 0; index < 3000; index += 1)
        parts[index] = nothing_but_two(index);
    check_chain(corm_expr_all(parts, 3000));
    corm_expr *chain = nothing_but_two(0);
    for (int index = 1; index < 2000; index += 1)
        chain = CORM_AND(chain, nothing_but_two(index));
    check_chain(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(unknown_properties_name_the_nearest),
        STATEMENT_TEST(values_of_another_type_name_the_column),
        STATEMENT_TEST(numbers_that_are_no_operators),
        STATEMENT_TEST(rows_that_are_none),
        STATEMENT_TEST(distinct_filter_and_over_need_a_call),
        STATEMENT_TEST(null_in_place_of_an_expression),
        STATEMENT_TEST(null_in_place_of_a_name_a_model_or_an_array),
        STATEMENT_TEST(used_twice),
        STATEMENT_TEST(a_freed_handle_does_not_reach_the_next_expression),
        STATEMENT_TEST(handles_of_another_kind),
        STATEMENT_TEST(ten_thousand_deep_is_refused),
        STATEMENT_TEST(deeper_than_the_parser_of_sqlite_is_refused_too),
        STATEMENT_TEST(thousands_of_conditions_in_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
