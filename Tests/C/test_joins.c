/* Joins, and which table a column is of. */
#include "statements.h"

static corm_expr *owned(void) { return binary(CORM_OP_EQUAL, pet_column("owner_id"), column("id")); }

static void inner_left_and_cross(void **state) {
    (void)state;
    corm_statement *inner = with_column(with_column(select_from(people), column("name")), pet_column("name"));
    corm_statement_join(inner, CORM_JOIN_INNER, CORM_SOURCE(.model = pets), owned());
    SELECTS(ordered_by(inner, pet_column("id")),
            "SELECT \"person\".\"name\", \"pet\".\"name\" FROM \"person\" "
            "JOIN \"pet\" ON \"pet\".\"owner_id\" = \"person\".\"id\" ORDER BY \"pet\".\"id\"",
            "", "Ada Rex; Ada Tom; Dan Ivy; eve Tom");
    corm_statement *left = with_column(with_column(select_from(people), column("name")), pet_column("name"));
    corm_statement_join(left, CORM_JOIN_LEFT, CORM_SOURCE(.model = pets), owned());
    where(left, CORM_LE(people, "id", corm_value_int64(2)));
    SELECTS(ordered_by(ordered_by(left, column("id")), pet_column("id")),
            "SELECT \"person\".\"name\", \"pet\".\"name\" FROM \"person\" "
            "LEFT JOIN \"pet\" ON \"pet\".\"owner_id\" = \"person\".\"id\" WHERE \"person\".\"id\" <= ? "
            "ORDER BY \"person\".\"id\", \"pet\".\"id\"",
            "2", "Ada Rex; Ada Tom; Bob NULL");
    corm_statement *cross = with_column(select_from(people), corm_expr_call("count", NULL, 0));
    corm_statement_join(cross, CORM_JOIN_CROSS, CORM_SOURCE(.model = pets), NULL);
    SELECTS(cross, "SELECT count(*) FROM \"person\" CROSS JOIN \"pet\"", "", "30");
}

static void whole_records_are_those_of_the_first_source(void **state) {
    (void)state;
    corm_statement *owners = select_from(people);
    corm_statement_join(owners, CORM_JOIN_INNER, CORM_SOURCE(.model = pets), owned());
    where(owners, CORM_EQ(pets, "name", corm_value_text("Ivy")));
    corm_query query = {.struct_size = sizeof query, .statement = owners};
    corm_records *records;
    OK(corm_query_fetch(db, people, &query, &records, &failure));
    assert_int_equal(corm_records_count(records), 1);
    assert_string_equal(((person *)corm_records_data(records))->name, "Dan");
    corm_records_free(records);
    SELECTS(
        owners,
        "SELECT \"person\".\"id\", \"person\".\"name\", \"person\".\"city\", \"person\".\"age\", \"person\".\"height\" "
        "FROM \"person\" JOIN \"pet\" ON \"pet\".\"owner_id\" = \"person\".\"id\" WHERE \"pet\".\"name\" = ?",
        "'Ivy'", "4 Dan Rome 20 1.900");
}

static void a_table_joined_with_itself(void **state) {
    (void)state;
    corm_statement *same_age = corm_statement_create(CORM_SELECT, people, "a");
    with_column(with_column(same_age, corm_expr_column_of("a", people, "name")),
                corm_expr_column_of("b", people, "name"));
    corm_statement_join(
        same_age, CORM_JOIN_INNER, CORM_SOURCE(.model = people, .alias = "b"),
        CORM_ALL(
            binary(CORM_OP_EQUAL, corm_expr_column_of("a", people, "age"), corm_expr_column_of("b", people, "age")),
            binary(CORM_OP_LESS, corm_expr_column_of("a", people, "id"), corm_expr_column_of("b", people, "id"))));
    SELECTS(same_age,
            "SELECT \"a\".\"name\", \"b\".\"name\" FROM \"person\" AS \"a\" JOIN \"person\" AS \"b\" "
            "ON \"a\".\"age\" = \"b\".\"age\" AND \"a\".\"id\" < \"b\".\"id\"",
            "", "Ada Bob");
}

static void the_same_table_twice_needs_an_alias(void **state) {
    (void)state;
    corm_statement *twice = select_from(people);
    corm_statement_join(twice, CORM_JOIN_CROSS, CORM_SOURCE(.model = people), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "alias", twice);
    corm_statement *same_alias = corm_statement_create(CORM_SELECT, people, "x");
    corm_statement_join(same_alias, CORM_JOIN_CROSS, CORM_SOURCE(.model = pets, .alias = "X"), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "\"X\"", same_alias);
    corm_statement *once = select_from(people);
    corm_statement_join(once, CORM_JOIN_CROSS, CORM_SOURCE(.model = people, .alias = "other"), NULL);
    SELECTS(
        with_column(where(once, binary(CORM_OP_LESS, column("id"), corm_expr_column_of("other", people, "id"))),
                    corm_expr_call("count", NULL, 0)),
        "SELECT count(*) FROM \"person\" CROSS JOIN \"person\" AS \"other\" WHERE \"person\".\"id\" < \"other\".\"id\"",
        "", "15");
}

static void a_column_of_a_model_that_is_not_read(void **state) {
    (void)state;
    STATEMENT_FAILS(CORM_E_MISUSE, "does not read from Pet", where(select_from(people), pet_column("name")));
    STATEMENT_FAILS(CORM_E_MISUSE, "the query reads from person", with_column(select_from(people), pet_column("name")));
    STATEMENT_FAILS(CORM_E_MISUSE, "Person as \"p\"",
                    where(select_from(people), corm_expr_column_of("p", people, "id")));
    corm_statement *aliased = corm_statement_create(CORM_SELECT, people, "p");
    STATEMENT_FAILS(CORM_E_MISUSE, "does not read from Person", where(aliased, column("id")));
    STATEMENT_FAILS(CORM_E_MISUSE, "nothing", with_column(select_nothing(), column("id")));
    corm_statement *change = corm_statement_create(CORM_DELETE, people, NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "does not read from Pet", where(change, pet_column("name")));
}

static void two_models_of_one_table_are_two(void **state) {
    (void)state;
    corm_model *twin;
    OK(corm_model_create(&person_def, &twin, &failure));
    STATEMENT_FAILS(CORM_E_MISUSE, "does not read from Person",
                    where(select_from(people), corm_expr_column(twin, "id")));
    corm_model_free(twin);
}

static void a_select_joined_under_a_name(void **state) {
    (void)state;
    corm_statement *weights = with_column(select_from(pets), pet_column("owner_id"));
    with_column(weights, corm_expr_as(CORM_CALL("sum", pet_column("weight")), "total"));
    corm_statement_add(weights, CORM_CLAUSE_GROUP_BY, pet_column("owner_id"));
    corm_statement *unnamed = select_from(people);
    corm_statement_join(unnamed, CORM_JOIN_INNER, CORM_SOURCE(.select = corm_statement_copy(weights)), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "alias", unnamed);
    corm_statement *joined = with_column(with_column(select_from(people), column("name")), name("w", "total"));
    corm_statement_join(joined, CORM_JOIN_INNER, CORM_SOURCE(.select = weights, .alias = "w"),
                        binary(CORM_OP_EQUAL, name("w", "owner_id"), column("id")));
    SELECTS(ordered_by(joined, name("w", "total")),
            "SELECT \"person\".\"name\", \"w\".\"total\" FROM \"person\" JOIN "
            "(SELECT \"owner_id\", sum(\"weight\") AS \"total\" FROM \"pet\" GROUP BY \"owner_id\") AS \"w\" "
            "ON \"w\".\"owner_id\" = \"person\".\"id\" ORDER BY \"w\".\"total\"",
            "", "eve 4; Dan 7; Ada 14");
}

static void sources_that_are_none_or_two(void **state) {
    (void)state;
    corm_statement *wrong = select_from(people);
    corm_statement_join(wrong, CORM_JOIN_INNER, CORM_SOURCE(.model = NULL), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "exactly one", wrong);
    wrong = select_from(people);
    corm_statement_join(wrong, CORM_JOIN_INNER, CORM_SOURCE(.model = pets, .select = select_from(pets)), owned());
    STATEMENT_FAILS(CORM_E_MISUSE, "exactly one", wrong);
    wrong = select_from(people);
    corm_statement_from(wrong, CORM_SOURCE(.model = pets, .name = "x"));
    STATEMENT_FAILS(CORM_E_MISUSE, "exactly one", wrong);
    wrong = select_from(people);
    corm_statement_join(wrong, 3, CORM_SOURCE(.model = pets), owned());
    STATEMENT_FAILS(CORM_E_MISUSE, "CORM_JOIN_", wrong);
    wrong = with_column(select_nothing(), number(1));
    corm_statement_join(wrong, CORM_JOIN_CROSS, CORM_SOURCE(.model = pets), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "source", wrong);
    wrong = select_from(people);
    corm_statement_join(wrong, CORM_JOIN_INNER, CORM_SOURCE(.select = select_from(pets), .alias = "\xff"), NULL);
    STATEMENT_FAILS(CORM_E_ENCODING, "UTF-8", wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(inner_left_and_cross),
        STATEMENT_TEST(whole_records_are_those_of_the_first_source),
        STATEMENT_TEST(a_table_joined_with_itself),
        STATEMENT_TEST(the_same_table_twice_needs_an_alias),
        STATEMENT_TEST(a_column_of_a_model_that_is_not_read),
        STATEMENT_TEST(two_models_of_one_table_are_two),
        STATEMENT_TEST(a_select_joined_under_a_name),
        STATEMENT_TEST(sources_that_are_none_or_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
