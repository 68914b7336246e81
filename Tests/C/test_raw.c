/* Raw SQL where an expression fits: whole in itself, with its values bound. */
#include "statements.h"

static corm_expr *raw(const char *sql) { return corm_expr_raw(sql, CORM_NO_VALUES); }

static void fragments_with_values_in_order(void **state) {
    (void)state;
    MEETS(corm_expr_raw("age BETWEEN ? AND ?", CORM_VALUES(corm_value_int64(30), corm_value_int64(40))),
          "age BETWEEN ? AND ?", "30, 40", "1 2");
    MEETS(CORM_ALL(CORM_GT(people, "id", corm_value_int64(1)),
                   corm_expr_raw("age = ?", CORM_VALUES(corm_value_int64(36))),
                   CORM_LT(people, "id", corm_value_int64(9))),
          "\"id\" > ? AND (age = ?) AND \"id\" < ?", "1, 36, 9", "2");
    SELECTS(ordered_by(with_column(select_from(people), raw("upper(name)")), raw("age DESC, id")),
            "SELECT upper(name) FROM \"person\" ORDER BY age DESC, id", "", "EVE; ADA; BOB; DAN; CORA; A%B_C\\D");
}

static void what_looks_like_a_parameter_inside_a_text(void **state) {
    (void)state;
    VALUES(raw("'? :a ; -- ( '' ?1'"), "'? :a ; -- ( '' ?1'", "", "? :a ; -- ( ' ?1");
    VALUES(corm_expr_raw("1 AS \"a?b;--\", ?", CORM_VALUES(corm_value_int64(2))), "1 AS \"a?b;--\", ?", "2", "1 2");
    VALUES(corm_expr_raw("/* ? ; ( */ ?", CORM_VALUES(corm_value_int64(2))), "/* ? ; ( */ ?", "2", "2");
    VALUES(raw("(SELECT [a?b] FROM (SELECT 3 AS [a?b]))"), "(SELECT [a?b] FROM (SELECT 3 AS [a?b]))", "", "3");
    VALUES(raw("`a;b` FROM (SELECT 4 AS `a;b`)"), "`a;b` FROM (SELECT 4 AS `a;b`)", "", "4");
    VALUES(raw("x'3b3f'"), "x'3b3f'", "", "x'3b3f'");
    VALUES(raw("3 - -2"), "3 - -2", "", "5");
}

static void fragments_that_are_not_whole(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_SQL, "quote open", raw("name = 'Ada"));
    EXPRESSION_FAILS(CORM_E_SQL, "quote open", raw("name = '''"));
    EXPRESSION_FAILS(CORM_E_SQL, "quote open", raw("\"name = 1"));
    EXPRESSION_FAILS(CORM_E_SQL, "quote open", raw("`name = 1"));
    EXPRESSION_FAILS(CORM_E_SQL, "bracket open", raw("[name = 1"));
    EXPRESSION_FAILS(CORM_E_SQL, "parenthesis open", raw("(1 + 2"));
    EXPRESSION_FAILS(CORM_E_SQL, "did not open", raw("1) OR (1"));
    EXPRESSION_FAILS(CORM_E_SQL, "did not open", raw("')' ) ("));
    EXPRESSION_FAILS(CORM_E_SQL, "-- comment", raw("1 -- and the rest"));
    EXPRESSION_FAILS(CORM_E_SQL, "-- comment", raw("1--"));
    EXPRESSION_FAILS(CORM_E_SQL, "comment open", raw("1 /* and the rest"));
    EXPRESSION_FAILS(CORM_E_SQL, "comment open", raw("1 /*/"));
    EXPRESSION_FAILS(CORM_E_SQL, "semicolon", raw("1; DROP TABLE person"));
    EXPRESSION_FAILS(CORM_E_SQL, "semicolon", raw("1;"));
}

static void parameters_other_than_plain_ones(void **state) {
    (void)state;
    static const char *const numbered[] = {"age = ?1", "?12 + 1"};
    static const char *const named[] = {"age = :age", "age = @age", "age = $age", ":a"};
    for (size_t index = 0; index < sizeof numbered / sizeof *numbered; index += 1) {
        EXPRESSION_FAILS(CORM_E_SQL, "numbers its parameters",
                         corm_expr_raw(numbered[index], CORM_VALUES(corm_value_int64(1))));
    }
    for (size_t index = 0; index < sizeof named / sizeof *named; index += 1) {
        EXPRESSION_FAILS(CORM_E_SQL, "names its parameters",
                         corm_expr_raw(named[index], CORM_VALUES(corm_value_int64(1))));
    }
}

static void too_few_and_too_many_values(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_BINDING, "2 parameters, 1 value was",
                     corm_expr_raw("? + ?", CORM_VALUES(corm_value_int64(1))));
    EXPRESSION_FAILS(CORM_E_BINDING, "0 parameters, 1 value was", corm_expr_raw("1", CORM_VALUES(corm_value_int64(1))));
    EXPRESSION_FAILS(CORM_E_BINDING, "1 parameter, 0 values were", raw("?"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "values", corm_expr_raw("?", NULL, 1));
    EXPRESSION_FAILS(CORM_E_RANGE, "", corm_expr_raw("?", CORM_VALUES(corm_value_uint64(UINT64_MAX))));
}

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

static void raw_in_changes(void **state) {
    (void)state;
    corm_statement *older = corm_statement_create(CORM_UPDATE, people, NULL);
    corm_statement_set(older, "age", corm_expr_raw("age + ?", CORM_VALUES(corm_value_int64(1))));
    CHANGES(where(older, corm_expr_raw("city = ?", CORM_VALUES(corm_value_text("London")))),
            "UPDATE \"person\" SET \"age\" = age + ? WHERE city = ?", "1, 'London'", 1,
            "SELECT age FROM person WHERE id < 3", "37; 36");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(fragments_with_values_in_order),
        STATEMENT_TEST(what_looks_like_a_parameter_inside_a_text),
        STATEMENT_TEST(fragments_that_are_not_whole),
        STATEMENT_TEST(parameters_other_than_plain_ones),
        STATEMENT_TEST(too_few_and_too_many_values),
        STATEMENT_TEST(sql_that_does_not_compile_says_where),
        STATEMENT_TEST(raw_in_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
