/* Grouping: what was built is what SQLite computes. A wrong or missing parenthesis shows in the value or the rows. */
#include "statements.h"

static corm_expr *add(corm_expr *left, corm_expr *right) { return binary(CORM_OP_ADD, left, right); }
static corm_expr *subtract(corm_expr *left, corm_expr *right) { return binary(CORM_OP_SUBTRACT, left, right); }
static corm_expr *multiply(corm_expr *left, corm_expr *right) { return binary(CORM_OP_MULTIPLY, left, right); }
static corm_expr *divide(corm_expr *left, corm_expr *right) { return binary(CORM_OP_DIVIDE, left, right); }
static corm_expr *equal(corm_expr *left, corm_expr *right) { return binary(CORM_OP_EQUAL, left, right); }
static corm_expr *less(corm_expr *left, corm_expr *right) { return binary(CORM_OP_LESS, left, right); }

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
        STATEMENT_TEST(comparisons_of_comparisons),
        STATEMENT_TEST(between_in_case_and_collate_in_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
