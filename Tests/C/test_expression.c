/* Expressions: each builder's SQL, bindings and result. The operators have test_operators.c. */
#include "statements.h"

#include <string.h>

static void columns_alone_and_under_an_alias(void **state) {
    (void)state;
    SELECTS(where(with_column(select_from(people), column("name")), CORM_EQ(people, "id", corm_value_int64(1))),
            "SELECT \"name\" FROM \"person\" WHERE \"id\" = ?", "1", "Ada");
    corm_statement *aliased = corm_statement_create(CORM_SELECT, people, "p");
    where(with_column(aliased, corm_expr_column_of("p", people, "name")),
          binary(CORM_OP_EQUAL, corm_expr_column_of("P", people, "id"), number(2)));
    SELECTS(aliased, "SELECT \"name\" FROM \"person\" AS \"p\" WHERE \"id\" = ?", "2", "Bob");
    SELECTS(where(with_column(select_from(people), name("person", "name")),
                  binary(CORM_OP_EQUAL, name(NULL, "id"), number(3))),
            "SELECT \"person\".\"name\" FROM \"person\" WHERE \"id\" = ?", "3", "Cora");
}

static void names_are_quoted_whatever_is_in_them(void **state) {
    (void)state;
    SELECTS(with_column(select_nothing(), corm_expr_as(number(1), "a\"; DROP TABLE person; --")),
            "SELECT ? AS \"a\"\"; DROP TABLE person; --\"", "1", "1");
}

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

static void all_and_any_of_none_one_and_many(void **state) {
    (void)state;
    MEETS(corm_expr_all(NULL, 0), "1", "", "1 2 3 4 5 6");
    MEETS(corm_expr_any(NULL, 0), "0", "", "");
    MEETS(CORM_ALL(CORM_EQ(people, "id", corm_value_int64(3))), "\"id\" = ?", "3", "3");
    MEETS(CORM_ALL(CORM_GT(people, "id", corm_value_int64(1)), CORM_LT(people, "id", corm_value_int64(5)),
                   CORM_NE(people, "id", corm_value_int64(3))),
          "\"id\" > ? AND \"id\" < ? AND \"id\" <> ?", "1, 5, 3", "2 4");
    MEETS(CORM_ANY(CORM_LE(people, "id", corm_value_int64(1)), CORM_GE(people, "id", corm_value_int64(6))),
          "\"id\" <= ? OR \"id\" >= ?", "1, 6", "1 6");
    MEETS(CORM_ALL(CORM_ALL(column("id"), column("height")), CORM_ANY(CORM_ANY(column("age"), number(0)), number(0))),
          "\"id\" AND \"height\" AND (\"age\" OR ? OR ?)", "0, 0", "1 2 4 5");
    MEETS(CORM_ANY(corm_expr_all(NULL, 0), number(0)), "1 OR ?", "0", "1 2 3 4 5 6");
}

static void between_takes_values_of_the_columns_type(void **state) {
    (void)state;
    MEETS(corm_expr_between(column("age"), number(20), number(36)), "\"age\" BETWEEN ? AND ?", "20, 36", "1 2 4");
    MEETS(unary(CORM_OP_NOT, corm_expr_between(column("age"), number(20), number(36))), "NOT \"age\" BETWEEN ? AND ?",
          "20, 36", "5");
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.age", corm_expr_between(column("age"), number(20), text("old")));
}

static void case_with_and_without_base(void **state) {
    (void)state;
    corm_expr *sorts =
        corm_expr_case(NULL, EXPRS(CORM_LT(people, "age", corm_value_int64(30)), unary(CORM_OP_IS_NULL, column("age"))),
                       EXPRS(text("young"), text("ageless")), 2, text("old"));
    corm_statement *select = ordered_by(with_column(select_from(people), sorts), column("id"));
    SELECTS(
        select,
        "SELECT CASE WHEN \"age\" < ? THEN ? WHEN \"age\" IS NULL THEN ? ELSE ? END FROM \"person\" ORDER BY \"id\"",
        "30, 'young', 'ageless', 'old'", "old; old; ageless; young; old; ageless");
    corm_expr *named = corm_expr_case(column("city"), EXPRS(text("Rome")), EXPRS(number(1)), 1, NULL);
    SELECTS(ordered_by(with_column(select_from(people), named), column("id")),
            "SELECT CASE \"city\" WHEN ? THEN ? END FROM \"person\" ORDER BY \"id\"", "'Rome', 1",
            "NULL; NULL; 1; 1; NULL; NULL");
    EXPRESSION_FAILS(CORM_E_MISUSE, "WHEN", corm_expr_case(NULL, NULL, NULL, 0, number(1)));
    EXPRESSION_FAILS(CORM_E_TYPE, "Person.age",
                     corm_expr_case(column("age"), EXPRS(text("x")), EXPRS(number(1)), 1, NULL));
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

static void the_model_may_go_before_the_expression(void **state) {
    (void)state;
    corm_model *brief;
    OK(corm_model_create(&person_def, &brief, &failure));
    corm_expr *old = CORM_GT(brief, "age", corm_value_int64(40));
    corm_statement *select = where(with_column(select_from(brief), corm_expr_column(brief, "name")), old);
    corm_model_free(brief);
    SELECTS(select, "SELECT \"name\" FROM \"person\" WHERE \"age\" > ?", "40", "eve");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(columns_alone_and_under_an_alias),
        STATEMENT_TEST(names_are_quoted_whatever_is_in_them),
        STATEMENT_TEST(a_name_that_nothing_has_is_no_text),
        STATEMENT_TEST(values_of_every_kind_are_bound),
        STATEMENT_TEST(nan_is_refused_when_it_is_bound),
        STATEMENT_TEST(values_of_a_type_take_the_form_of_the_file),
        STATEMENT_TEST(a_text_with_nul_comes_back_whole),
        STATEMENT_TEST(all_and_any_of_none_one_and_many),
        STATEMENT_TEST(between_takes_values_of_the_columns_type),
        STATEMENT_TEST(case_with_and_without_base),
        STATEMENT_TEST(casts_and_collations),
        STATEMENT_TEST(a_copy_is_for_another_use),
        STATEMENT_TEST(values_and_names_are_copied),
        STATEMENT_TEST(the_model_may_go_before_the_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
