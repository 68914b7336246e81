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
    corm_statement_join(wrong, 3, CORM_SOURCE(.model = pets), owned());
    STATEMENT_FAILS(CORM_E_MISUSE, "CORM_JOIN_", wrong);
    wrong = with_column(select_nothing(), number(1));
    corm_statement_join(wrong, CORM_JOIN_CROSS, CORM_SOURCE(.model = pets), NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "source", wrong);
    wrong = select_from(people);
    corm_statement_join(wrong, CORM_JOIN_INNER, CORM_SOURCE(.select = select_from(pets), .alias = "\xff"), NULL);
    STATEMENT_FAILS(CORM_E_ENCODING, "UTF-8", wrong);
    STATEMENT_FAILS(CORM_E_MISUSE, "nothing", with_column(select_nothing(), column("id")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(two_models_of_one_table_are_two),
        STATEMENT_TEST(sources_that_are_none_or_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
