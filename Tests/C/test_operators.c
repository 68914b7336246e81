/* Every operator: its SQL, bindings and the rows it gives. */
#include "statements.h"

static void only_is_finds_null(void **state) {
    (void)state;
    MEETS(binary(CORM_OP_EQUAL, column("city"), null_value()), "\"city\" = ?", "NULL", "");
    MEETS(binary(CORM_OP_NOT_EQUAL, column("city"), null_value()), "\"city\" <> ?", "NULL", "");
    MEETS(binary(CORM_OP_IS, column("city"), null_value()), "\"city\" IS ?", "NULL", "2 6");
    MEETS(binary(CORM_OP_IS_NOT, column("city"), null_value()), "\"city\" IS NOT ?", "NULL", "1 3 4 5");
    MEETS(binary(CORM_OP_IS, column("city"), text("Rome")), "\"city\" IS ?", "'Rome'", "3 4");
    MEETS(binary(CORM_OP_IS_NOT, column("city"), text("Rome")), "\"city\" IS NOT ?", "'Rome'", "1 2 5 6");
    MEETS(unary(CORM_OP_IS_NULL, column("city")), "\"city\" IS NULL", "", "2 6");
    MEETS(unary(CORM_OP_IS_NOT_NULL, column("city")), "\"city\" IS NOT NULL", "", "1 3 4 5");
}

static void numbers_that_are_no_operators(void **state) {
    (void)state;
    static const int32_t unary_gaps[] = {-1, 0, 6, 9, 10, 37, 100, INT32_MAX, INT32_MIN};
    static const int32_t binary_gaps[] = {-1, 0, 1, 9, 18, 19, 40, 100, INT32_MAX, INT32_MIN};
    for (size_t index = 0; index < sizeof unary_gaps / sizeof *unary_gaps; index += 1)
        EXPRESSION_FAILS(CORM_E_MISUSE, "is no operator with one operand", unary(unary_gaps[index], number(1)));
    for (size_t index = 0; index < sizeof binary_gaps / sizeof *binary_gaps; index += 1) {
        EXPRESSION_FAILS(CORM_E_MISUSE, "is no operator with two operands",
                         binary(binary_gaps[index], number(1), number(2)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(only_is_finds_null),
        STATEMENT_TEST(numbers_that_are_no_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
