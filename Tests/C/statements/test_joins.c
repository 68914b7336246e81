/* Joins that cannot be, and models of one table; the others are in Tests/Conformance/statement-joins.json. */
#include "statements.h"

static corm_expr *owned(void) { return binary(CORM_OP_EQUAL, pet_column("owner_id"), column("id")); }

static void two_models_of_one_table_are_two(void **state) {
    (void)state;
    corm_model *twin;
    OK(corm_model_create(&person_def, &twin, &failure));
    STATEMENT_FAILS(CORM_E_MISUSE, "does not read from Person",
                    where(select_from(people), corm_expr_column(twin, "id")));
    corm_model_free(twin);
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
    corm_statement_join(wrong, 5, CORM_SOURCE(.model = pets), owned());
    STATEMENT_FAILS(CORM_E_MISUSE, "CORM_JOIN_", wrong);
    wrong = with_column(select_nothing(), number(1));
    corm_statement_join(wrong, CORM_JOIN_CROSS, CORM_SOURCE(.model = pets), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "source", wrong);
    wrong = select_from(people);
    corm_statement_join(wrong, CORM_JOIN_INNER, CORM_SOURCE(.select = select_from(pets), .alias = "\xff"), NULL);
    STATEMENT_FAILS(CORM_E_ENCODING, "UTF-8", wrong);
    STATEMENT_FAILS(CORM_E_MISUSE, "nothing", with_column(select_nothing(), column("id")));
}

static void what_a_function_is_given_is_consumed(void **state) {
    (void)state;
    corm_expr *argument = text("[1]");
    corm_statement *wrong = select_from(people);
    corm_statement_join(
        wrong, CORM_JOIN_CROSS,
        CORM_SOURCE(.model = pets, .function = "json_each", .arguments = &argument, .argument_count = 1), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "exactly one", wrong);
    wrong = select_nothing();
    corm_statement_from(wrong, CORM_SOURCE(.function = "json_each", .arguments = &argument, .argument_count = 1));
    STATEMENT_FAILS(CORM_E_MISUSE, "consumed", with_column(wrong, corm_expr_name(NULL, "value")));
    wrong = select_nothing();
    corm_statement_from(wrong, CORM_SOURCE(.function = "json_each", .argument_count = 1));
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", with_column(wrong, corm_expr_name(NULL, "value")));
    wrong = corm_statement_create(CORM_DELETE, people, NULL);
    corm_statement_from(wrong, CORM_SOURCE(.model = pets));
    STATEMENT_FAILS(CORM_E_MISUSE, "no other source", wrong);
    wrong = corm_statement_create(CORM_UPDATE, people, NULL);
    corm_statement_from(wrong, CORM_SOURCE(.model = people));
    corm_statement_set(wrong, "age", number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "two tables", wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(two_models_of_one_table_are_two),
        STATEMENT_TEST(sources_that_are_none_or_two),
        STATEMENT_TEST(what_a_function_is_given_is_consumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
