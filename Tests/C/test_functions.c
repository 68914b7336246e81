/* Calls: scalar functions, aggregates with DISTINCT and FILTER, windows. */
#include "statements.h"

static corm_expr *count_all(void) { return corm_expr_call("count", NULL, 0); }

static void names_that_are_no_functions(void **state) {
    (void)state;
    static const char *const bad[] = {"", "1a", "a b", "a;", "a(", "a\"", "a.b", "a--", "n\xc3\xa4h"};
    for (size_t index = 0; index < sizeof bad / sizeof *bad; index += 1)
        EXPRESSION_FAILS(CORM_E_MISUSE, "function", corm_expr_call(bad[index], NULL, 0));
    corm_result *result;
    corm_statement *unknown = with_column(select_nothing(), CORM_CALL("nosuch", number(1)));
    GIVES(CORM_E_SQL, corm_statement_open(db, unknown, CORM_NO_VALUES, &result, &failure));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(names_that_are_no_functions),
        STATEMENT_TEST(distinct_filter_and_over_need_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
