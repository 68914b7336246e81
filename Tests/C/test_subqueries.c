/* Subqueries, common table expressions and compounds. */
#include "statements.h"

#include <stdio.h>

static corm_statement *pets_of_the_person(void) {
    return where(select_from(pets), binary(CORM_OP_EQUAL, pet_column("owner_id"), column("id")));
}

static corm_statement *names_of(corm_model *model, const char *least) {
    corm_statement *select = with_column(select_from(model), corm_expr_column(model, "name"));
    return where(select, binary(CORM_OP_GREATER, corm_expr_column(model, "name"), text(least)));
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
        STATEMENT_TEST(compounds_inside_other_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
