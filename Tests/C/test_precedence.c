/* Grouping: what was built is what SQLite computes. A wrong or missing parenthesis shows in the value or the rows. */
#include "statements.h"

static corm_expr *add(corm_expr *left, corm_expr *right) { return binary(CORM_OP_ADD, left, right); }
static corm_expr *subtract(corm_expr *left, corm_expr *right) { return binary(CORM_OP_SUBTRACT, left, right); }
static corm_expr *multiply(corm_expr *left, corm_expr *right) { return binary(CORM_OP_MULTIPLY, left, right); }
static corm_expr *divide(corm_expr *left, corm_expr *right) { return binary(CORM_OP_DIVIDE, left, right); }
static corm_expr *equal(corm_expr *left, corm_expr *right) { return binary(CORM_OP_EQUAL, left, right); }
static corm_expr *less(corm_expr *left, corm_expr *right) { return binary(CORM_OP_LESS, left, right); }

static void differences_group_as_built(void **state) {
    (void)state;
    VALUES(subtract(subtract(number(10), number(4)), number(3)), "? - ? - ?", "10, 4, 3", "3");
    VALUES(subtract(number(10), subtract(number(4), number(3))), "? - (? - ?)", "10, 4, 3", "9");
    VALUES(subtract(number(10), add(number(4), number(3))), "? - (? + ?)", "10, 4, 3", "3");
    VALUES(divide(number(100), divide(number(10), number(5))), "? / (? / ?)", "100, 10, 5", "50");
    VALUES(divide(divide(number(100), number(10)), number(5)), "? / ? / ?", "100, 10, 5", "2");
    VALUES(multiply(number(7), divide(number(7), number(2))), "? * (? / ?)", "7, 7, 2", "21");
    VALUES(binary(CORM_OP_REMAINDER, number(100), binary(CORM_OP_REMAINDER, number(37), number(10))), "? % (? % ?)",
           "100, 37, 10", "2");
}

static void products_bind_more_tightly_than_sums(void **state) {
    (void)state;
    VALUES(add(number(2), multiply(number(3), number(4))), "? + ? * ?", "2, 3, 4", "14");
    VALUES(multiply(add(number(2), number(3)), number(4)), "(? + ?) * ?", "2, 3, 4", "20");
    VALUES(unary(CORM_OP_NEGATE, add(number(2), number(3))), "- (? + ?)", "2, 3", "-5");
    VALUES(add(unary(CORM_OP_NEGATE, number(2)), number(3)), "- ? + ?", "2, 3", "1");
    VALUES(subtract(number(2), unary(CORM_OP_NEGATE, number(3))), "? - - ?", "2, 3", "5");
    VALUES(unary(CORM_OP_BIT_NOT, binary(CORM_OP_BIT_OR, number(1), number(2))), "~ (? | ?)", "1, 2", "-4");
}

static void bits_are_looser_than_sums_and_tighter_than_comparisons(void **state) {
    (void)state;
    VALUES(add(number(1), binary(CORM_OP_BIT_AND, number(6), number(3))), "? + (? & ?)", "1, 6, 3", "3");
    VALUES(binary(CORM_OP_BIT_AND, add(number(1), number(6)), number(3)), "? + ? & ?", "1, 6, 3", "3");
    VALUES(binary(CORM_OP_BIT_OR, number(1), binary(CORM_OP_SHIFT_LEFT, number(1), number(3))), "? | (? << ?)",
           "1, 1, 3", "9");
    VALUES(binary(CORM_OP_SHIFT_LEFT, binary(CORM_OP_BIT_OR, number(1), number(1)), number(3)), "? | ? << ?", "1, 1, 3",
           "8");
    VALUES(binary(CORM_OP_BIT_AND, number(1), less(number(1), number(2))), "? & (? < ?)", "1, 1, 2", "1");
}

static void concatenation_binds_more_tightly_than_products(void **state) {
    (void)state;
    VALUES(binary(CORM_OP_CONCAT, add(number(1), number(2)), number(3)), "(? + ?) || ?", "1, 2, 3", "33");
    VALUES(multiply(binary(CORM_OP_CONCAT, number(1), number(2)), number(3)), "? || ? * ?", "1, 2, 3", "36");
    VALUES(binary(CORM_OP_CONCAT, text("-"), unary(CORM_OP_NEGATE, number(3))), "? || - ?", "'-', 3", "--3");
    VALUES(unary(CORM_OP_NEGATE, binary(CORM_OP_CONCAT, number(1), number(2))), "- (? || ?)", "1, 2", "-12");
}

static void comparisons_of_comparisons(void **state) {
    (void)state;
    VALUES(equal(equal(number(2), number(2)), number(1)), "(? = ?) = ?", "2, 2, 1", "1");
    VALUES(equal(number(2), equal(number(2), number(1))), "? = (? = ?)", "2, 2, 1", "0");
    VALUES(less(less(number(3), number(2)), number(1)), "(? < ?) < ?", "3, 2, 1", "1");
    VALUES(less(number(0), less(number(1), number(2))), "? < (? < ?)", "0, 1, 2", "1");
    VALUES(unary(CORM_OP_IS_NULL, equal(number(1), null_value())), "(? = ?) IS NULL", "1, NULL", "1");
    VALUES(equal(number(0), unary(CORM_OP_IS_NULL, null_value())), "? = (? IS NULL)", "0, NULL", "0");
    VALUES(equal(unary(CORM_OP_IS_NULL, null_value()), number(1)), "(? IS NULL) = ?", "NULL, 1", "1");
    VALUES(equal(number(0), binary(CORM_OP_LIKE, text("a"), text("b"))), "? = (? LIKE ?)", "0, 'a', 'b'", "1");
    VALUES(equal(number(0), binary(CORM_OP_HAS_PREFIX, text("a"), text("b"))), "? = (? LIKE ? ESCAPE '\\')",
           "0, 'a', 'b%'", "1");
}

static void not_stands_over_and_and_or(void **state) {
    (void)state;
    VALUES(unary(CORM_OP_NOT, CORM_ALL(number(0), number(0))), "NOT (? AND ?)", "0, 0", "1");
    VALUES(CORM_ALL(unary(CORM_OP_NOT, number(0)), number(0)), "NOT ? AND ?", "0, 0", "0");
    VALUES(unary(CORM_OP_NOT, CORM_ANY(number(1), number(1))), "NOT (? OR ?)", "1, 1", "0");
    VALUES(CORM_ANY(unary(CORM_OP_NOT, number(1)), number(1)), "NOT ? OR ?", "1, 1", "1");
    VALUES(equal(unary(CORM_OP_NOT, number(1)), number(0)), "(NOT ?) = ?", "1, 0", "1");
    VALUES(unary(CORM_OP_NOT, equal(number(1), number(0))), "NOT ? = ?", "1, 0", "1");
    VALUES(equal(number(0), unary(CORM_OP_NOT, number(1))), "? = (NOT ?)", "0, 1", "1");
    VALUES(unary(CORM_OP_IS_NULL, unary(CORM_OP_NOT, null_value())), "(NOT ?) IS NULL", "NULL", "1");
    VALUES(unary(CORM_OP_NOT, unary(CORM_OP_IS_NULL, null_value())), "NOT ? IS NULL", "NULL", "0");
    VALUES(add(unary(CORM_OP_NOT, number(0)), number(1)), "(NOT ?) + ?", "0, 1", "2");
    VALUES(unary(CORM_OP_NEGATE, unary(CORM_OP_NOT, number(0))), "- (NOT ?)", "0", "-1");
}

static void or_inside_and(void **state) {
    (void)state;
    MEETS(CORM_ALL(
              CORM_ANY(CORM_EQ(people, "city", corm_value_text("Rome")), CORM_EQ(people, "age", corm_value_int64(36))),
              CORM_GT(people, "height", corm_value_double(1.75))),
          "(\"city\" = ? OR \"age\" = ?) AND \"height\" > ?", "'Rome', 36, 1.750", "2 4");
    MEETS(CORM_ANY(CORM_EQ(people, "city", corm_value_text("Rome")),
                   CORM_ALL(CORM_EQ(people, "age", corm_value_int64(36)),
                            CORM_GT(people, "height", corm_value_double(1.75)))),
          "\"city\" = ? OR \"age\" = ? AND \"height\" > ?", "'Rome', 36, 1.750", "2 3 4");
    MEETS(unary(CORM_OP_NOT, CORM_ANY(CORM_EQ(people, "city", corm_value_text("Rome")),
                                      CORM_EQ(people, "age", corm_value_int64(36)))),
          "NOT (\"city\" = ? OR \"age\" = ?)", "'Rome', 36", "5");
}

static void two_wheres_are_joined_with_and(void **state) {
    (void)state;
    corm_statement *both = with_column(select_from(people), column("id"));
    where(both, CORM_ANY(CORM_EQ(people, "id", corm_value_int64(1)), CORM_EQ(people, "id", corm_value_int64(2))));
    where(both, CORM_ANY(CORM_EQ(people, "id", corm_value_int64(2)), CORM_EQ(people, "id", corm_value_int64(3))));
    SELECTS(both, "SELECT \"id\" FROM \"person\" WHERE (\"id\" = ? OR \"id\" = ?) AND (\"id\" = ? OR \"id\" = ?)",
            "1, 2, 2, 3", "2");
}

static void raw_fragments_hold_together(void **state) {
    (void)state;
    VALUES(multiply(corm_expr_raw("? + 1", CORM_VALUES(corm_value_int64(2))), number(3)), "(? + 1) * ?", "2, 3", "9");
    VALUES(unary(CORM_OP_NOT, corm_expr_raw("0 OR 1", CORM_NO_VALUES)), "NOT (0 OR 1)", "", "0");
    MEETS(CORM_ALL(corm_expr_raw("id = 1 OR id = 2", CORM_NO_VALUES), CORM_GT(people, "id", corm_value_int64(1))),
          "(id = 1 OR id = 2) AND \"id\" > ?", "1", "2");
}

static void between_in_case_and_collate_in_operators(void **state) {
    (void)state;
    VALUES(equal(corm_expr_between(number(2), number(1), number(3)), number(1)), "(? BETWEEN ? AND ?) = ?",
           "2, 1, 3, 1", "1");
    VALUES(corm_expr_between(equal(number(2), number(2)), number(1), number(1)), "(? = ?) BETWEEN ? AND ?",
           "2, 2, 1, 1", "1");
    VALUES(corm_expr_between(number(1), CORM_ALL(number(0), number(1)), CORM_ANY(number(0), number(1))),
           "? BETWEEN (? AND ?) AND (? OR ?)", "1, 0, 1, 0, 1", "1");
    VALUES(equal(number(0), corm_expr_in(number(1), CORM_VALUES(corm_value_int64(2)))), "? = (? IN (?))", "0, 1, 2",
           "1");
    VALUES(equal(corm_expr_collate(text("a"), "NOCASE"), text("A")), "? COLLATE \"NOCASE\" = ?", "'a', 'A'", "1");
    VALUES(corm_expr_collate(equal(text("a"), text("A")), "NOCASE"), "(? = ?) COLLATE \"NOCASE\"", "'a', 'A'", "0");
    VALUES(corm_expr_collate(binary(CORM_OP_CONCAT, text("a"), text("b")), "NOCASE"), "(? || ?) COLLATE \"NOCASE\"",
           "'a', 'b'", "ab");
    VALUES(add(corm_expr_case(NULL, EXPRS(number(1)), EXPRS(number(5)), 1, number(6)), number(1)),
           "CASE WHEN ? THEN ? ELSE ? END + ?", "1, 5, 6, 1", "6");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(differences_group_as_built),
        STATEMENT_TEST(products_bind_more_tightly_than_sums),
        STATEMENT_TEST(bits_are_looser_than_sums_and_tighter_than_comparisons),
        STATEMENT_TEST(concatenation_binds_more_tightly_than_products),
        STATEMENT_TEST(comparisons_of_comparisons),
        STATEMENT_TEST(not_stands_over_and_and_or),
        STATEMENT_TEST(or_inside_and),
        STATEMENT_TEST(two_wheres_are_joined_with_and),
        STATEMENT_TEST(raw_fragments_hold_together),
        STATEMENT_TEST(between_in_case_and_collate_in_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
