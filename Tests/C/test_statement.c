/* SELECT clause by clause; joins, subqueries and changes have files of their own. */
#include "statements.h"

#include <stdio.h>

static corm_statement *names(void) { return with_column(select_from(people), column("name")); }

static void result_columns_and_their_names(void **state) {
    (void)state;
    corm_statement *select =
        with_column(names(), corm_expr_as(binary(CORM_OP_ADD, column("age"), number(1)), "next age"));
    corm_result *result;
    where(select, CORM_LE(people, "id", corm_value_int64(2)));
    OK(corm_result_open_statement(db, select, CORM_NO_VALUES, &result, &failure));
    assert_int_equal(corm_result_column_count(result), 2);
    assert_string_equal(corm_result_column_name(result, 0), "name");
    assert_string_equal(corm_result_column_name(result, 1), "next age");
    assert_int_equal(corm_result_column_index(result, "next age"), 1);
    corm_result_close(result);
    SELECTS(select, "SELECT \"name\", \"age\" + ? AS \"next age\" FROM \"person\" WHERE \"id\" <= ?", "1, 2",
            "Ada 37; Bob 37");
}

static void nulls_where_they_are_wanted(void **state) {
    (void)state;
    static const struct {
        bool descending;
        int32_t nulls;
        const char *order;
        const char *rows;
    } cases[] = {
        {false, CORM_NULLS_LEAST, "", "NULL; NULL; 20; 36; 36; 50"},
        {true, CORM_NULLS_LEAST, " DESC", "50; 36; 36; 20; NULL; NULL"},
        {false, CORM_NULLS_FIRST, " NULLS FIRST", "NULL; NULL; 20; 36; 36; 50"},
        {true, CORM_NULLS_FIRST, " DESC NULLS FIRST", "NULL; NULL; 50; 36; 36; 20"},
        {false, CORM_NULLS_LAST, " NULLS LAST", "20; 36; 36; 50; NULL; NULL"},
        {true, CORM_NULLS_LAST, " DESC NULLS LAST", "50; 36; 36; 20; NULL; NULL"},
    };
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index += 1) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT \"age\" FROM \"person\" ORDER BY \"age\"%s", cases[index].order);
        corm_expr *term = corm_expr_order(column("age"), cases[index].descending, cases[index].nulls);
        SELECTS(ordered_by(with_column(select_from(people), column("age")), term), sql, "", cases[index].rows);
    }
    EXPRESSION_FAILS(CORM_E_MISUSE, "CORM_NULLS_", corm_expr_order(column("age"), false, 3));
    EXPRESSION_FAILS(CORM_E_MISUSE, "CORM_NULLS_", corm_expr_order(column("age"), false, -1));
}

static void from_another_source_instead(void **state) {
    (void)state;
    corm_statement *moved = select_from(people);
    corm_statement_from(moved, CORM_SOURCE(.model = pets, .alias = "p"));
    SELECTS(where(moved, binary(CORM_OP_EQUAL, corm_expr_column_of("p", pets, "id"), number(3))),
            "SELECT \"id\", \"owner_id\", \"name\", \"weight\" FROM \"pet\" AS \"p\" WHERE \"id\" = ?", "3",
            "3 4 Ivy 7");
    corm_statement *inner = with_column(select_from(people), corm_expr_as(column("age"), "years"));
    corm_statement *outer = select_nothing();
    corm_statement_from(outer, CORM_SOURCE(.select = where(inner, CORM_LT(people, "id", corm_value_int64(3)))));
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
        where(growing, CORM_NE(people, "id", corm_value_int64(least)));
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
    corm_statement *adults = where(names(), CORM_GE(people, "age", corm_value_int64(36)));
    corm_statement *londoners = where(corm_statement_copy(adults), CORM_EQ(people, "city", corm_value_text("London")));
    SELECTS(adults, "SELECT \"name\" FROM \"person\" WHERE \"age\" >= ?", "36", "Ada; Bob; eve");
    SELECTS(londoners, "SELECT \"name\" FROM \"person\" WHERE \"age\" >= ? AND \"city\" = ?", "36, 'London'", "Ada");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(a_copy_goes_its_own_way),
        STATEMENT_TEST(result_columns_and_their_names),
        STATEMENT_TEST(nulls_where_they_are_wanted),
        STATEMENT_TEST(from_another_source_instead),
        STATEMENT_TEST(a_statement_is_compiled_anew_after_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
