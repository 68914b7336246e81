/* Raw SQL where an expression fits: whole in itself, with its values bound. */
#include "statements.h"

static corm_expr *raw(const char *sql) { return corm_expr_raw(sql, CORM_NO_VALUES); }

static void sql_that_does_not_compile_says_where(void **state) {
    (void)state;
    corm_result *result = NULL;
    corm_statement *wrong = where(select_from(people), raw("age >"));
    GIVES(CORM_E_SQL, corm_statement_open(db, wrong, CORM_NO_VALUES, &result, &failure));
    assert_non_null(corm_error_sql(failure));
    corm_statement_free(wrong);
    wrong = where(select_from(people), CORM_ALL(raw(""), number(1)));
    GIVES(CORM_E_SQL, corm_statement_open(db, wrong, CORM_NO_VALUES, &result, &failure));
    corm_statement_free(wrong);
    wrong = where(select_from(people), raw("shoe > 1"));
    GIVES(CORM_E_SCHEMA, corm_statement_open(db, wrong, CORM_NO_VALUES, &result, &failure));
    FAILURE_SAYS("shoe");
    corm_statement_free(wrong);
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", raw(NULL));
    EXPRESSION_FAILS(CORM_E_ENCODING, "", raw("'\xff'"));
    assert_null(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(sql_that_does_not_compile_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
