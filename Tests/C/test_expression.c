/* Expressions: each builder's SQL, bindings and result. The operators have test_operators.c. */
#include "statements.h"

#include <string.h>

static void a_name_that_nothing_has_is_no_text(void **state) {
    (void)state;
    corm_result *result = NULL;
    corm_statement *wrong = where(select_from(people), binary(CORM_OP_EQUAL, column("name"), name(NULL, "Ada")));
    GIVES(CORM_E_SCHEMA, corm_result_open_statement(db, wrong, CORM_NO_VALUES, &result, &failure));
    FAILURE_SAYS("Ada");
    corm_statement_free(wrong);
    assert_null(result);
}

static void nan_is_refused_when_it_is_bound(void **state) {
    (void)state;
    corm_result *result = NULL;
    corm_statement *nan = with_column(select_nothing(), corm_expr_value(corm_value_double(0.0 / 0.0)));
    GIVES(CORM_E_RANGE, corm_result_open_statement(db, nan, CORM_NO_VALUES, &result, &failure));
    corm_statement_free(nan);
    assert_null(result);
}

static void values_of_every_kind_are_bound(void **state) {
    (void)state;
    VALUES(number(INT64_MIN), "?", "-9223372036854775808", "-9223372036854775808");
    VALUES(corm_expr_value(corm_value_double(1.5)), "?", "1.500", "1.500");
    VALUES(text("it's"), "?", "'it's'", "it's");
    VALUES(text(""), "?", "''", "");
    VALUES(corm_expr_value(corm_value_blob("\0\xff", 2)), "?", "x'00ff'", "x'00ff'");
    VALUES(null_value(), "?", "NULL", "NULL");
    VALUES(corm_expr_value(corm_value_uint64(7)), "?", "7", "7");
    EXPRESSION_FAILS(CORM_E_RANGE, "", corm_expr_value(corm_value_uint64(UINT64_MAX)));
    EXPRESSION_FAILS(CORM_E_ENCODING, "", text("\xff"));
    VALUES(CORM_CALL("length", corm_expr_value(corm_value_text_size("a\0b", 3))), "length(?)", "'a'", "1");
}

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
}

static void a_text_with_nul_comes_back_whole(void **state) {
    (void)state;
    corm_statement *echo = with_column(select_nothing(), corm_expr_value(corm_value_text_size("a\0b", 3)));
    corm_result *result;
    corm_value value;
    OK(corm_result_open_statement(db, echo, CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_result_get(result, 0, &value, &failure));
    assert_int_equal(value.as.bytes.size, 3);
    assert_memory_equal(value.as.bytes.data, "a\0b", 3);
    corm_result_close(result);
    corm_statement_free(echo);
}

static void casts_and_collations(void **state) {
    (void)state;
    VALUES(corm_expr_cast(text("12x"), CORM_INT64), "CAST(? AS INTEGER)", "'12x'", "12");
    VALUES(corm_expr_cast(number(1), CORM_DOUBLE), "CAST(? AS REAL)", "1", "1.000");
    VALUES(corm_expr_cast(number(12), CORM_TEXT), "CAST(? AS TEXT)", "12", "12");
    VALUES(corm_expr_cast(text("a"), CORM_BLOB), "CAST(? AS BLOB)", "'a'", "x'61'");
    VALUES(corm_expr_cast(text("5"), CORM_BOOL), "CAST(? AS INTEGER)", "'5'", "5");
    VALUES(corm_expr_cast(number(5), CORM_UUID), "CAST(? AS TEXT)", "5", "5");
    EXPRESSION_FAILS(CORM_E_MISUSE, "", corm_expr_cast(number(1), 0));
    MEETS(binary(CORM_OP_EQUAL, corm_expr_collate(column("name"), "NOCASE"), text("ADA")),
          "\"name\" COLLATE \"NOCASE\" = ?", "'ADA'", "1");
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.name",
                     binary(CORM_OP_EQUAL, corm_expr_collate(column("name"), "NOCASE"), number(1)));
}

static void the_model_may_go_before_the_expression(void **state) {
    (void)state;
    corm_model *brief;
    OK(corm_model_create(&person_def, &brief, &failure));
    corm_expr *old = CORM_GT(brief, "age", corm_value_int64(40));
    corm_statement *select = where(with_column(select_from(brief), corm_expr_column(brief, "name")), old);
    corm_model_free(brief);
    SELECTS(select, "SELECT \"name\" FROM \"person\" WHERE \"age\" > ?", "40", "eve");
}

static void a_copy_is_for_another_use(void **state) {
    (void)state;
    corm_expr *adults = CORM_GE(people, "age", corm_value_int64(36));
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
        STATEMENT_TEST(a_name_that_nothing_has_is_no_text),
        STATEMENT_TEST(values_of_every_kind_are_bound),
        STATEMENT_TEST(nan_is_refused_when_it_is_bound),
        STATEMENT_TEST(values_of_a_type_take_the_form_of_the_file),
        STATEMENT_TEST(a_text_with_nul_comes_back_whole),
        STATEMENT_TEST(casts_and_collations),
        STATEMENT_TEST(the_model_may_go_before_the_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
