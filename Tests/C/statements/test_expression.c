/* Expressions: each builder's SQL, bindings and result. The operators are in Tests/Conformance/expression-*.json. */
#include "statements.h"

#include <string.h>

static void values_of_a_type_take_the_form_of_the_file(void **state) {
    (void)state;
    VALUES(corm_expr_typed_value(corm_value_int64(0), CORM_DATETIME), "?", "'1970-01-01 00:00:00'",
           "1970-01-01 00:00:00");
    VALUES(corm_expr_typed_value(corm_value_text("0F0E0D0C-0B0A-0908-0706-050403020100"), CORM_UUID), "?",
           "'0f0e0d0c-0b0a-0908-0706-050403020100'", "0f0e0d0c-0b0a-0908-0706-050403020100");
    EXPRESSION_FAILS(CORM_E_TYPE, "give a value of type",
                     corm_expr_typed_value(corm_value_text("soon"), CORM_DATETIME));
    EXPRESSION_FAILS(CORM_E_TYPE, "give a value of type", corm_expr_typed_value(corm_value_text("1"), CORM_INT64));
    EXPRESSION_FAILS(CORM_E_RANGE, "9999", corm_expr_typed_value(corm_value_int64(INT64_MAX), CORM_DATETIME));
    EXPRESSION_FAILS(CORM_E_MISUSE, "", corm_expr_typed_value(corm_value_int64(1), 99));
    EXPRESSION_FAILS(CORM_E_ENCODING, "", text("\xff"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "", corm_expr_cast(number(1), 0));
    VALUES(corm_expr_cast(text("5"), CORM_BOOL), "CAST(? AS INTEGER)", "'5'", "5");
    VALUES(corm_expr_cast(number(5), CORM_UUID), "CAST(? AS TEXT)", "5", "5");
}

static void the_model_may_go_before_the_expression(void **state) {
    (void)state;
    corm_model *brief;
    OK(corm_model_create(&person_def, &brief, &failure));
    corm_expr *old = CORM_GT(corm_expr_column(brief, "age"), CORM_INT(40));
    corm_statement *select = where(with_column(select_from(brief), corm_expr_column(brief, "name")), old);
    corm_model_free(brief);
    SELECTS(select, "SELECT \"name\" FROM \"person\" WHERE \"age\" > ?", "40", "eve");
}

static void a_copy_is_for_another_use(void **state) {
    (void)state;
    corm_expr *adults = CORM_GE(corm_expr_column(people, "age"), CORM_INT(36));
    corm_expr *again = corm_expr_copy(adults);
    assert_ptr_not_equal(adults, again);
    MEETS(adults, "\"age\" >= ?", "36", "1 2 5");
    MEETS(unary(CORM_OP_NOT, again), "NOT \"age\" >= ?", "36", "4");
}

static void values_and_names_are_copied(void **state) {
    (void)state;
    char given[] = "Ada";
    char property[] = "name";
    corm_value list[] = {corm_value_text(given)};
    corm_expr *one = corm_expr_in(corm_expr_column(people, property), list, 1);
    memset(given, 'x', sizeof given - 1);
    memset(property, 'x', sizeof property - 1);
    list[0] = corm_value_null();
    MEETS(one, "\"name\" IN (?)", "'Ada'", "1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(a_copy_is_for_another_use),
        STATEMENT_TEST(values_and_names_are_copied),
        STATEMENT_TEST(values_of_a_type_take_the_form_of_the_file),
        STATEMENT_TEST(the_model_may_go_before_the_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
