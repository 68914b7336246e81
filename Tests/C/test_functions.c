/* Calls: scalar functions, aggregates with DISTINCT and FILTER, windows. */
#include "statements.h"

static corm_expr *count_all(void) { return corm_expr_call("count", NULL, 0); }

static void scalar_functions(void **state) {
    (void)state;
    VALUES(CORM_CALL("lower", text("ABC")), "lower(?)", "'ABC'", "abc");
    VALUES(CORM_CALL("max", number(3), number(9), number(4)), "max(?, ?, ?)", "3, 9, 4", "9");
    VALUES(CORM_CALL("coalesce", null_value(), binary(CORM_OP_ADD, number(1), number(2))), "coalesce(?, ? + ?)",
           "NULL, 1, 2", "3");
    VALUES(CORM_CALL("json_extract", text("{\"a\": 5}"), text("$.a")), "json_extract(?, ?)", "'{\"a\": 5}', '$.a'",
           "5");
    VALUES(CORM_CALL("length", corm_expr_call("sqlite_version", NULL, 0)), "length(sqlite_version())", "", "6");
}

static void dates(void **state) {
    (void)state;
    VALUES(CORM_CALL("date", corm_expr_typed_value(corm_value_int64(86400000000), CORM_DATETIME), text("+1 month")),
           "date(?, ?)", "'1970-01-02 00:00:00', '+1 month'", "1970-02-02");
    VALUES(CORM_CALL("strftime", text("%Y"), text("2024-05-06")), "strftime(?, ?)", "'%Y', '2024-05-06'", "2024");
}

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

static void aggregates(void **state) {
    (void)state;
    corm_statement *all = with_column(with_column(select_from(people), count_all()), CORM_CALL("count", column("age")));
    with_column(with_column(all, corm_expr_distinct(CORM_CALL("count", column("age")))),
                CORM_CALL("sum", column("age")));
    SELECTS(all, "SELECT count(*), count(\"age\"), count(DISTINCT \"age\"), sum(\"age\") FROM \"person\"", "",
            "6 4 3 142");
    corm_statement *tall = with_column(
        select_from(people), corm_expr_filter(count_all(), CORM_GT(people, "height", corm_value_double(1.75))));
    with_column(tall, corm_expr_filter(CORM_CALL("min", column("name")), unary(CORM_OP_IS_NULL, column("city"))));
    SELECTS(
        tall,
        "SELECT count(*) FILTER (WHERE \"height\" > ?), min(\"name\") FILTER (WHERE \"city\" IS NULL) FROM \"person\"",
        "1.750", "3 Bob");
    corm_statement *none = where(with_column(select_from(people), CORM_CALL("sum", column("age"))), number(0));
    SELECTS(with_column(none, CORM_CALL("total", column("age"))),
            "SELECT sum(\"age\"), total(\"age\") FROM \"person\" WHERE ?", "0", "NULL 0.000");
}

static void distinct_filter_and_over_need_a_call(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_MISUSE, "DISTINCT", corm_expr_distinct(column("age")));
    EXPRESSION_FAILS(CORM_E_MISUSE, "FILTER", corm_expr_filter(number(1), column("age")));
    EXPRESSION_FAILS(CORM_E_MISUSE, "OVER", corm_expr_over(column("age"), NULL, 0, NULL, 0, NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_expr_filter(count_all(), NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "no property", corm_expr_distinct(CORM_CALL("count", column("nosuch"))));
}

static void windows_over_partitions_and_orders(void **state) {
    (void)state;
    corm_statement *ranks = with_column(select_from(people), column("id"));
    with_column(ranks, corm_expr_over(corm_expr_call("row_number", NULL, 0), CORM_EXPRS(column("city")),
                                      CORM_EXPRS(corm_expr_order(column("height"), true, CORM_NULLS_LEAST)), NULL));
    SELECTS(ordered_by(ranks, column("id")),
            "SELECT \"id\", row_number() OVER (PARTITION BY \"city\" ORDER BY \"height\" DESC) FROM \"person\" "
            "ORDER BY \"id\"",
            "", "1 1; 2 2; 3 2; 4 1; 5 1; 6 1");
    corm_statement *running = with_column(select_from(pets), pet_column("id"));
    with_column(running, corm_expr_over(CORM_CALL("sum", pet_column("weight")), NULL, 0, CORM_EXPRS(pet_column("id")),
                                        "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"));
    SELECTS(
        running,
        "SELECT \"id\", sum(\"weight\") OVER (ORDER BY \"id\" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM \"pet\"",
        "", "1 10; 2 14; 3 11; 4 7; 5 4");
    corm_statement *whole = with_column(select_from(pets), corm_expr_over(count_all(), NULL, 0, NULL, 0, NULL));
    SELECTS(where(whole, CORM_LT(pets, "id", corm_value_int64(3))),
            "SELECT count(*) OVER () FROM \"pet\" WHERE \"id\" < ?", "3", "2; 2");
}

static void a_window_after_a_filter(void **state) {
    (void)state;
    corm_expr *heavy = corm_expr_filter(count_all(), CORM_GT(pets, "weight", corm_value_int64(5)));
    corm_statement *select =
        with_column(select_from(pets), corm_expr_over(heavy, NULL, 0, CORM_EXPRS(pet_column("id")),
                                                      "rows between unbounded preceding and current row"));
    SELECTS(select,
            "SELECT count(*) FILTER (WHERE \"weight\" > ?) OVER (ORDER BY \"id\" "
            "rows between unbounded preceding and current row) FROM \"pet\"",
            "5", "1; 1; 2; 2; 2");
}

static void frames_of_other_words_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"ROWS) FROM person; --",      "ROWS BETWEEN x AND y", "1; DROP", "'a'", "?",
                                      "ROWS/**/UNBOUNDED PRECEDING"};
    for (size_t index = 0; index < sizeof bad / sizeof *bad; index += 1) {
        EXPRESSION_FAILS(CORM_E_MISUSE, "frame",
                         corm_expr_over(count_all(), NULL, 0, CORM_EXPRS(column("id")), bad[index]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(scalar_functions),
        STATEMENT_TEST(dates),
        STATEMENT_TEST(names_that_are_no_functions),
        STATEMENT_TEST(aggregates),
        STATEMENT_TEST(distinct_filter_and_over_need_a_call),
        STATEMENT_TEST(windows_over_partitions_and_orders),
        STATEMENT_TEST(a_window_after_a_filter),
        STATEMENT_TEST(frames_of_other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
