/* Operators, functions and subqueries, as far as they are C's own; the others are in Tests/Conformance/sql-*.json. */
#include "statements.h"

#include <stdio.h>
#include <string.h>

static void only_is_finds_null(void **state) {
    (void)state;
    MEETS(binary(CORM_OP_EQUAL, column("city"), null_value()), "\"city\" = ?", "NULL", "");
    MEETS(binary(CORM_OP_NOT_EQUAL, column("city"), null_value()), "\"city\" <> ?", "NULL", "");
    MEETS(binary(CORM_OP_IS, column("city"), null_value()), "\"city\" IS ?", "NULL", "2 6");
    MEETS(binary(CORM_OP_IS_NOT, column("city"), null_value()), "\"city\" IS NOT ?", "NULL", "1 3 4 5");
    MEETS(binary(CORM_OP_IS, column("city"), text("Rome")), "\"city\" IS ?", "'Rome'", "3 4");
    MEETS(binary(CORM_OP_IS_NOT, column("city"), text("Rome")), "\"city\" IS NOT ?", "'Rome'", "1 2 5 6");
    MEETS(unary(CORM_OP_IS_NULL, column("city")), "\"city\" IS NULL", "", "2 6");
    MEETS(unary(CORM_OP_IS_NOT_NULL, column("city")), "\"city\" IS NOT NULL", "", "1 3 4 5");
}

static void numbers_that_are_no_operators(void **state) {
    (void)state;
    static const int32_t unary_gaps[] = {-1, 0, 6, 9, 10, 37, 100, INT32_MAX, INT32_MIN};
    static const int32_t binary_gaps[] = {-1, 0, 1, 9, 18, 19, 40, 100, INT32_MAX, INT32_MIN};
    for (size_t index = 0; index < sizeof unary_gaps / sizeof *unary_gaps; index += 1)
        EXPRESSION_FAILS(CORM_E_MISUSE, "is no operator with one operand", unary(unary_gaps[index], number(1)));
    for (size_t index = 0; index < sizeof binary_gaps / sizeof *binary_gaps; index += 1) {
        EXPRESSION_FAILS(CORM_E_MISUSE, "is no operator with two operands",
                         binary(binary_gaps[index], number(1), number(2)));
    }
}

static corm_expr *add(corm_expr *left, corm_expr *right) { return binary(CORM_OP_ADD, left, right); }
static corm_expr *equal(corm_expr *left, corm_expr *right) { return binary(CORM_OP_EQUAL, left, right); }
static corm_expr *less(corm_expr *left, corm_expr *right) { return binary(CORM_OP_LESS, left, right); }

static void comparisons_of_comparisons(void **state) {
    (void)state;
    VALUES(equal(equal(number(2), number(2)), number(1)), "(? = ?) = ?", "2, 2, 1", "1");
    VALUES(equal(number(2), equal(number(2), number(1))), "? = (? = ?)", "2, 2, 1", "0");
    VALUES(less(less(number(3), number(2)), number(1)), "(? < ?) < ?", "3, 2, 1", "1");
    VALUES(less(number(0), less(number(1), number(2))), "? < (? < ?)", "0, 1, 2", "1");
    VALUES(unary(CORM_OP_IS_NULL, equal(number(1), null_value())), "(? = ?) IS NULL", "1, NULL", "1");
    VALUES(equal(number(0), unary(CORM_OP_IS_NULL, null_value())), "? = (? IS NULL)", "0, NULL", "0");
    VALUES(equal(unary(CORM_OP_IS_NULL, null_value()), number(1)), "(? IS NULL) = ?", "NULL, 1", "1");
    VALUES(equal(number(0), binary(CORM_OP_LIKE, text("a"), text("b"))), "? = (? LIKE ?)", "0, 'a', 'b'", "1");
    VALUES(equal(number(0), binary(CORM_OP_HAS_PREFIX, text("a"), text("b"))), "? = (? LIKE ? ESCAPE '\\')",
           "0, 'a', 'b%'", "1");
}

static void between_in_case_and_collate_in_operators(void **state) {
    (void)state;
    VALUES(equal(corm_expr_between(number(2), number(1), number(3)), number(1)), "(? BETWEEN ? AND ?) = ?",
           "2, 1, 3, 1", "1");
    VALUES(corm_expr_between(equal(number(2), number(2)), number(1), number(1)), "(? = ?) BETWEEN ? AND ?",
           "2, 2, 1, 1", "1");
    VALUES(corm_expr_between(number(1), CORM_ALL(number(0), number(1)), CORM_ANY(number(0), number(1))),
           "? BETWEEN (? AND ?) AND (? OR ?)", "1, 0, 1, 0, 1", "1");
    VALUES(equal(number(0), corm_expr_in(number(1), CORM_VALUES(corm_value_int64(2)))), "? = (? IN (?))", "0, 1, 2",
           "1");
    VALUES(equal(corm_expr_collate(text("a"), "NOCASE"), text("A")), "? COLLATE \"NOCASE\" = ?", "'a', 'A'", "1");
    VALUES(corm_expr_collate(equal(text("a"), text("A")), "NOCASE"), "(? = ?) COLLATE \"NOCASE\"", "'a', 'A'", "0");
    VALUES(corm_expr_collate(binary(CORM_OP_CONCAT, text("a"), text("b")), "NOCASE"), "(? || ?) COLLATE \"NOCASE\"",
           "'a', 'b'", "ab");
    VALUES(add(corm_expr_case(NULL, EXPRS(number(1)), EXPRS(number(5)), 1, number(6)), number(1)),
           "CASE WHEN ? THEN ? ELSE ? END + ?", "1, 5, 6, 1", "6");
}

/* Texts that a pattern could mistake for one another; their ids are 1 and so on. */
static const char *const names[] = {"100%", "1000", "a_b", "axb", "a\\b", "a\\%b", "%", "_", "\\", "%_\\", "", "A_B"};

static int set_up_names(void **state) {
    set_up(state);
    for (size_t index = 0; index < sizeof names / sizeof *names; index += 1) {
        person one = {.name = names[index]};
        OK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    }
    return 0;
}
#define NAMES_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_names, tear_down)

static void the_text_may_be_a_parameter(void **state) {
    (void)state;
    corm_statement *found = with_column(select_from(people), column("id"));
    where(found, binary(CORM_OP_CONTAINS, column("name"), corm_expr_parameter("part")));
    corm_result *result;
    corm_value part[] = {corm_value_named("part", corm_value_text("\\%"))};
    OK(corm_result_open_statement(db, found, part, 1, &result, &failure));
    assert_string_equal(rows_of(result), "6");
    part[0] = corm_value_named("part", corm_value_null());
    OK(corm_result_open_statement(db, found, part, 1, &result, &failure));
    assert_string_equal(rows_of(result), "");
    part[0] = corm_value_named("part", corm_value_int64(1));
    GIVES(CORM_E_TYPE, corm_result_open_statement(db, found, part, 1, &result, &failure));
    corm_statement_free(found);
}

static corm_expr *count_all(void) { return corm_expr_call("count", NULL, 0); }

static void names_that_are_no_functions(void **state) {
    (void)state;
    static const char *const bad[] = {"", "1a", "a b", "a;", "a(", "a\"", "a.b", "a--", "n\xc3\xa4h"};
    for (size_t index = 0; index < sizeof bad / sizeof *bad; index += 1)
        EXPRESSION_FAILS(CORM_E_MISUSE, "function", corm_expr_call(bad[index], NULL, 0));
    corm_result *result;
    corm_statement *unknown = with_column(select_nothing(), CORM_CALL("nosuch", number(1)));
    GIVES(CORM_E_SQL, corm_result_open_statement(db, unknown, CORM_NO_VALUES, &result, &failure));
    FAILURE_SAYS("nosuch");
    corm_statement_free(unknown);
}

static void distinct_filter_and_over_need_a_call(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_MISUSE, "DISTINCT", corm_expr_distinct(column("age")));
    EXPRESSION_FAILS(CORM_E_MISUSE, "FILTER", corm_expr_filter(number(1), column("age")));
    EXPRESSION_FAILS(CORM_E_MISUSE, "OVER", corm_expr_over(column("age"), NULL, 0, NULL, 0, NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_expr_filter(count_all(), NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "no property", corm_expr_distinct(CORM_CALL("count", column("nosuch"))));
}

static corm_expr *raw(const char *sql) { return corm_expr_raw(sql, CORM_NO_VALUES); }

static void sql_that_does_not_compile_says_where(void **state) {
    (void)state;
    corm_result *result = NULL;
    corm_statement *wrong = where(select_from(people), raw("age >"));
    GIVES(CORM_E_SQL, corm_result_open_statement(db, wrong, CORM_NO_VALUES, &result, &failure));
    assert_non_null(corm_error_sql(failure));
    corm_statement_free(wrong);
    wrong = where(select_from(people), CORM_ALL(raw(""), number(1)));
    GIVES(CORM_E_SQL, corm_result_open_statement(db, wrong, CORM_NO_VALUES, &result, &failure));
    corm_statement_free(wrong);
    wrong = where(select_from(people), raw("shoe > 1"));
    GIVES(CORM_E_SCHEMA, corm_result_open_statement(db, wrong, CORM_NO_VALUES, &result, &failure));
    FAILURE_SAYS("shoe");
    corm_statement_free(wrong);
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", raw(NULL));
    EXPRESSION_FAILS(CORM_E_ENCODING, "", raw("'\xff'"));
    assert_null(result);
}

static void compounds_inside_other_statements(void **state) {
    (void)state;
    corm_statement *either = with_column(select_nothing(), number(2));
    corm_statement_compound(either, CORM_UNION, with_column(select_nothing(), number(4)));
    MEETS(corm_expr_in_select(column("id"), either), "\"id\" IN (SELECT ? UNION SELECT ?)", "2, 4", "2 4");
    corm_statement *wrong = select_from(people);
    corm_statement_compound(wrong, 4, with_column(select_nothing(), number(1)));
    STATEMENT_FAILS(CORM_E_MISUSE, "CORM_UNION", wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(only_is_finds_null),
        STATEMENT_TEST(numbers_that_are_no_operators),
        STATEMENT_TEST(comparisons_of_comparisons),
        STATEMENT_TEST(between_in_case_and_collate_in_operators),
        NAMES_TEST(the_text_may_be_a_parameter),
        STATEMENT_TEST(names_that_are_no_functions),
        STATEMENT_TEST(distinct_filter_and_over_need_a_call),
        STATEMENT_TEST(sql_that_does_not_compile_says_where),
        STATEMENT_TEST(compounds_inside_other_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
