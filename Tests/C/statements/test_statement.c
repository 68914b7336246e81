/* Statements that are changed, copied and pointed elsewhere; the clauses are in Tests/Conformance/statement-*.json. */
#include "statements.h"

#include <stdio.h>

static corm_statement *names(void) { return with_column(select_from(people), column("name")); }

static void from_another_source_instead(void **state) {
    (void)state;
    corm_statement *moved = select_from(people);
    corm_statement_from(moved, CORM_SOURCE(.model = pets, .alias = "p"));
    SELECTS(where(moved, binary(CORM_OP_EQUAL, corm_expr_column_of("p", pets, "id"), number(3))),
            "SELECT \"id\", \"owner_id\", \"name\", \"weight\" FROM \"pet\" AS \"p\" WHERE \"id\" = ?", "3",
            "3 4 Ivy 7");
    corm_statement *inner = with_column(select_from(people), corm_expr_as(column("age"), "years"));
    corm_statement *outer = select_nothing();
    corm_statement_from(outer,
                        CORM_SOURCE(.select = where(inner, CORM_LT(corm_expr_column(people, "id"), CORM_INT(3)))));
    SELECTS(outer, "SELECT * FROM (SELECT \"age\" AS \"years\" FROM \"person\" WHERE \"id\" < ?)", "3", "36; 36");
    inner = with_column(select_from(people), corm_expr_as(column("age"), "years"));
    outer = with_column(select_nothing(), CORM_CALL("max", name("x", "years")));
    corm_statement_from(outer, CORM_SOURCE(.select = inner, .alias = "x"));
    SELECTS(outer, "SELECT max(\"x\".\"years\") FROM (SELECT \"age\" AS \"years\" FROM \"person\") AS \"x\"", "", "50");
}

static void a_statement_is_compiled_anew_after_a_change(void **state) {
    (void)state;
    corm_statement *growing = names();
    corm_result *result;
    for (int64_t least = 1; least <= 5; least += 1) {
        where(growing, CORM_NE(corm_expr_column(people, "id"), CORM_INT(least)));
        OK(corm_result_open_statement(db, growing, CORM_NO_VALUES, &result, &failure));
        int64_t rows = 0;
        while (corm_result_next(result, &failure) == CORM_ROW)
            rows += 1;
        corm_result_close(result);
        assert_int_equal(rows, 6 - least);
    }
    SELECTS(growing,
            "SELECT \"name\" FROM \"person\" WHERE \"id\" <> ? AND \"id\" <> ? AND \"id\" <> ? AND \"id\" <> ? AND "
            "\"id\" <> ?",
            "1, 2, 3, 4, 5", "a%b_c\\d");
}

static void a_copy_goes_its_own_way(void **state) {
    (void)state;
    corm_statement *adults = where(names(), CORM_GE(corm_expr_column(people, "age"), CORM_INT(36)));
    corm_statement *londoners =
        where(corm_statement_copy(adults), CORM_EQ(corm_expr_column(people, "city"), CORM_STR("London")));
    SELECTS(adults, "SELECT \"name\" FROM \"person\" WHERE \"age\" >= ?", "36", "Ada; Bob; eve");
    SELECTS(londoners, "SELECT \"name\" FROM \"person\" WHERE \"age\" >= ? AND \"city\" = ?", "36, 'London'", "Ada");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(a_copy_goes_its_own_way),
        STATEMENT_TEST(from_another_source_instead),
        STATEMENT_TEST(a_statement_is_compiled_anew_after_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
