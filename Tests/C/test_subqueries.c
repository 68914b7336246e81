/* Subqueries, common table expressions and compounds. */
#include "statements.h"

#include <stdio.h>

static corm_statement *pets_of_the_person(void) {
    return where(select_from(pets), binary(CORM_OP_EQUAL, pet_column("owner_id"), column("id")));
}

static void exists_sees_the_row_outside(void **state) {
    (void)state;
    corm_statement *owners = with_column(select_from(people), column("id"));
    where(owners, corm_expr_exists(with_column(pets_of_the_person(), number(1))));
    SELECTS(ordered_by(owners, column("id")),
            "SELECT \"id\" FROM \"person\" WHERE EXISTS (SELECT ? FROM \"pet\" "
            "WHERE \"pet\".\"owner_id\" = \"person\".\"id\") ORDER BY \"id\"",
            "1", "1; 4; 5");
    corm_statement *others = with_column(select_from(people), column("id"));
    where(others, unary(CORM_OP_NOT, corm_expr_exists(with_column(pets_of_the_person(), number(1)))));
    SELECTS(ordered_by(others, column("id")),
            "SELECT \"id\" FROM \"person\" WHERE NOT EXISTS (SELECT ? FROM \"pet\" "
            "WHERE \"pet\".\"owner_id\" = \"person\".\"id\") ORDER BY \"id\"",
            "1", "2; 3; 6");
}

static void a_scalar_is_one_value_or_null(void **state) {
    (void)state;
    corm_statement *heaviest = with_column(select_from(people), column("name"));
    with_column(heaviest, corm_expr_as(corm_expr_select(
                                           with_column(pets_of_the_person(), CORM_CALL("max", pet_column("weight")))),
                                       "heaviest"));
    SELECTS(
        where(ordered_by(heaviest, column("id")), CORM_LE(people, "id", corm_value_int64(2))),
        "SELECT \"name\", (SELECT max(\"pet\".\"weight\") FROM \"pet\" WHERE \"pet\".\"owner_id\" = \"person\".\"id\") "
        "AS \"heaviest\" FROM \"person\" WHERE \"id\" <= ? ORDER BY \"id\"",
        "2", "Ada 10; Bob NULL");
}

static void a_subquery_of_the_same_table(void **state) {
    (void)state;
    corm_statement *average = with_column(select_from(people), CORM_CALL("avg", column("height")));
    SELECTS(ordered_by(with_column(where(select_from(people),
                                         binary(CORM_OP_GREATER, column("height"), corm_expr_select(average))),
                                   column("id")),
                       column("id")),
            "SELECT \"id\" FROM \"person\" WHERE \"height\" > (SELECT avg(\"person_2\".\"height\") "
            "FROM \"person\" AS \"person_2\") ORDER BY \"id\"",
            "", "4; 6");
    corm_statement *taller = corm_statement_create(CORM_SELECT, people, "other");
    with_column(taller, corm_expr_call("count", NULL, 0));
    where(taller, binary(CORM_OP_GREATER, corm_expr_column_of("other", people, "height"), column("height")));
    corm_statement *ranks = with_column(with_column(select_from(people), column("id")), corm_expr_select(taller));
    SELECTS(ordered_by(ranks, column("id")),
            "SELECT \"id\", (SELECT count(*) FROM \"person\" AS \"other\" WHERE \"other\".\"height\" > "
            "\"person\".\"height\") "
            "FROM \"person\" ORDER BY \"id\"",
            "", "1 3; 2 2; 3 4; 4 1; 5 5; 6 0");
}

static void two_levels_of_correlation(void **state) {
    (void)state;
    corm_statement *twin = corm_statement_create(CORM_SELECT, pets, "twin");
    with_column(twin, number(1));
    where(twin, CORM_ALL(binary(CORM_OP_EQUAL, corm_expr_column_of("twin", pets, "name"), pet_column("name")),
                         binary(CORM_OP_NOT_EQUAL, corm_expr_column_of("twin", pets, "owner_id"), column("id"))));
    corm_statement *mine = where(with_column(pets_of_the_person(), number(2)), corm_expr_exists(twin));
    SELECTS(
        ordered_by(with_column(where(select_from(people), corm_expr_exists(mine)), column("name")), column("id")),
        "SELECT \"name\" FROM \"person\" WHERE EXISTS (SELECT ? FROM \"pet\" WHERE \"pet\".\"owner_id\" = "
        "\"person\".\"id\" AND EXISTS (SELECT ? FROM \"pet\" AS \"twin\" WHERE \"twin\".\"name\" = \"pet\".\"name\" "
        "AND \"twin\".\"owner_id\" <> \"person\".\"id\")) ORDER BY \"id\"",
        "2, 1", "Ada; eve");
}

static void common_table_expressions(void **state) {
    (void)state;
    corm_statement *adults = with_column(select_from(people), column("id"));
    where(adults, CORM_GE(people, "age", corm_value_int64(36)));
    corm_statement *select = with_column(select_from(pets), pet_column("name"));
    corm_statement_with(select, "adults", (const char *const[]){"key"}, 1, adults);
    corm_statement_join(select, CORM_JOIN_INNER, CORM_SOURCE(.name = "adults", .alias = "a"),
                        binary(CORM_OP_EQUAL, name("a", "key"), pet_column("owner_id")));
    SELECTS(ordered_by(select, pet_column("id")),
            "WITH \"adults\" (\"key\") AS (SELECT \"id\" FROM \"person\" WHERE \"age\" >= ?) "
            "SELECT \"pet\".\"name\" FROM \"pet\" JOIN \"adults\" AS \"a\" ON \"a\".\"key\" = \"pet\".\"owner_id\" "
            "ORDER BY \"pet\".\"id\"",
            "36", "Rex; Tom; Tom");
}

static void recursion(void **state) {
    (void)state;
    corm_statement *step = with_column(select_nothing(), binary(CORM_OP_ADD, name(NULL, "n"), number(1)));
    corm_statement_from(step, CORM_SOURCE(.name = "numbers"));
    where(step, binary(CORM_OP_LESS, name(NULL, "n"), number(5)));
    corm_statement *numbers = with_column(select_nothing(), number(1));
    corm_statement_compound(numbers, CORM_UNION_ALL, step);
    corm_statement *sum = with_column(select_nothing(), CORM_CALL("sum", name(NULL, "n")));
    corm_statement_from(sum, CORM_SOURCE(.name = "numbers"));
    corm_statement_with(sum, "numbers", (const char *const[]){"n"}, 1, numbers);
    SELECTS(
        sum,
        "WITH RECURSIVE \"numbers\" (\"n\") AS (SELECT ? UNION ALL SELECT \"n\" + ? FROM \"numbers\" WHERE \"n\" < ?) "
        "SELECT sum(\"n\") FROM \"numbers\"",
        "1, 1, 5", "15");
}

static corm_statement *names_of(corm_model *model, const char *least) {
    corm_statement *select = with_column(select_from(model), corm_expr_column(model, "name"));
    return where(select, binary(CORM_OP_GREATER, corm_expr_column(model, "name"), text(least)));
}

static void compounds_of_every_kind(void **state) {
    (void)state;
    static const struct {
        int32_t operation;
        const char *word;
        const char *rows;
    } cases[] = {
        {CORM_UNION, "UNION", "Rex; Stray; Tom; a%b_c\\d; eve"},
        {CORM_UNION_ALL, "UNION ALL", "Rex; Stray; Tom; Tom; a%b_c\\d; eve"},
        {CORM_INTERSECT, "INTERSECT", ""},
        {CORM_EXCEPT, "EXCEPT", "a%b_c\\d; eve"},
    };
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index += 1) {
        char sql[300];
        corm_statement *both = names_of(people, "E");
        corm_statement_compound(both, cases[index].operation, names_of(pets, "J"));
        snprintf(
            sql, sizeof sql,
            "SELECT \"name\" FROM \"person\" WHERE \"name\" > ? %s SELECT \"name\" FROM \"pet\" WHERE \"name\" > ? "
            "ORDER BY \"name\"",
            cases[index].word);
        SELECTS(ordered_by(both, column("name")), sql, "'E', 'J'", cases[index].rows);
    }
}

static void order_and_limit_are_of_the_whole_compound(void **state) {
    (void)state;
    corm_statement *last = ordered_by(names_of(pets, ""), corm_expr_order(pet_column("name"), true, CORM_NULLS_LEAST));
    corm_statement_add(last, CORM_CLAUSE_LIMIT, number(1));
    corm_statement *both = names_of(people, "D");
    corm_statement_compound(both, CORM_UNION, last);
    corm_statement_add(both, CORM_CLAUSE_LIMIT, number(3));
    SELECTS(ordered_by(both, corm_expr_order(column("name"), true, CORM_NULLS_LEAST)),
            "SELECT \"name\" FROM \"person\" WHERE \"name\" > ? UNION SELECT * FROM "
            "(SELECT \"name\" FROM \"pet\" WHERE \"name\" > ? ORDER BY \"name\" DESC LIMIT ?) ORDER BY \"name\" DESC "
            "LIMIT ?",
            "'D', '', 1, 3", "eve; a%b_c\\d; Tom");
}

static void a_chain_of_compounds_groups_from_the_left(void **state) {
    (void)state;
    corm_statement *chain = with_column(select_nothing(), number(1));
    corm_statement_compound(chain, CORM_UNION, with_column(select_nothing(), number(2)));
    corm_statement_compound(chain, CORM_EXCEPT, with_column(select_nothing(), number(1)));
    SELECTS(chain, "SELECT ? UNION SELECT ? EXCEPT SELECT ?", "1, 2, 1", "2");
    corm_statement *inner = with_column(select_nothing(), number(1));
    corm_statement_compound(inner, CORM_EXCEPT, with_column(select_nothing(), number(1)));
    corm_statement *outer = with_column(select_nothing(), number(1));
    corm_statement_compound(outer, CORM_EXCEPT, inner);
    SELECTS(outer, "SELECT ? EXCEPT SELECT * FROM (SELECT ? EXCEPT SELECT ?)", "1, 1, 1", "1");
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
        STATEMENT_TEST(exists_sees_the_row_outside),
        STATEMENT_TEST(a_scalar_is_one_value_or_null),
        STATEMENT_TEST(a_subquery_of_the_same_table),
        STATEMENT_TEST(two_levels_of_correlation),
        STATEMENT_TEST(common_table_expressions),
        STATEMENT_TEST(recursion),
        STATEMENT_TEST(compounds_of_every_kind),
        STATEMENT_TEST(order_and_limit_are_of_the_whole_compound),
        STATEMENT_TEST(a_chain_of_compounds_groups_from_the_left),
        STATEMENT_TEST(compounds_inside_other_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
