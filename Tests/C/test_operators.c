/* Every operator: its SQL, bindings and the rows it gives. */
#include "statements.h"

static void comparisons_keep_the_rows_they_say(void **state) {
    (void)state;
    MEETS(binary(CORM_OP_EQUAL, column("age"), number(36)), "\"age\" = ?", "36", "1 2");
    MEETS(binary(CORM_OP_NOT_EQUAL, column("age"), number(36)), "\"age\" <> ?", "36", "4 5");
    MEETS(binary(CORM_OP_LESS, column("age"), number(36)), "\"age\" < ?", "36", "4");
    MEETS(binary(CORM_OP_LESS_EQUAL, column("age"), number(36)), "\"age\" <= ?", "36", "1 2 4");
    MEETS(binary(CORM_OP_GREATER, column("age"), number(36)), "\"age\" > ?", "36", "5");
    MEETS(binary(CORM_OP_GREATER_EQUAL, column("age"), number(36)), "\"age\" >= ?", "36", "1 2 5");
    MEETS(binary(CORM_OP_LESS, column("name"), column("city")), "\"name\" < \"city\"", "", "1 3 4");
}

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

static void not_of_null_is_null(void **state) {
    (void)state;
    MEETS(unary(CORM_OP_NOT, binary(CORM_OP_EQUAL, column("age"), number(36))), "NOT \"age\" = ?", "36", "4 5");
    MEETS(unary(CORM_OP_NOT, unary(CORM_OP_NOT, binary(CORM_OP_EQUAL, column("age"), number(36)))),
          "NOT NOT \"age\" = ?", "36", "1 2");
    MEETS(unary(CORM_OP_NOT, binary(CORM_OP_IS, column("age"), number(36))), "NOT \"age\" IS ?", "36", "3 4 5 6");
}

static void arithmetic(void **state) {
    (void)state;
    VALUES(binary(CORM_OP_ADD, number(7), number(2)), "? + ?", "7, 2", "9");
    VALUES(binary(CORM_OP_SUBTRACT, number(7), number(2)), "? - ?", "7, 2", "5");
    VALUES(binary(CORM_OP_MULTIPLY, number(7), number(2)), "? * ?", "7, 2", "14");
    VALUES(binary(CORM_OP_DIVIDE, number(7), number(2)), "? / ?", "7, 2", "3");
    VALUES(binary(CORM_OP_DIVIDE, number(7), corm_expr_value(corm_value_double(2))), "? / ?", "7, 2.000", "3.500");
    VALUES(binary(CORM_OP_DIVIDE, number(7), number(0)), "? / ?", "7, 0", "NULL");
    VALUES(binary(CORM_OP_REMAINDER, number(7), number(4)), "? % ?", "7, 4", "3");
    VALUES(unary(CORM_OP_NEGATE, number(7)), "- ?", "7", "-7");
    VALUES(unary(CORM_OP_NEGATE, unary(CORM_OP_NEGATE, number(7))), "- - ?", "7", "7");
    VALUES(binary(CORM_OP_ADD, number(7), null_value()), "? + ?", "7, NULL", "NULL");
    MEETS(binary(CORM_OP_GREATER, binary(CORM_OP_ADD, column("age"), column("height")), number(37)),
          "\"age\" + \"height\" > ?", "37", "1 2 5");
}

static void bits_and_concatenation(void **state) {
    (void)state;
    VALUES(binary(CORM_OP_BIT_AND, number(12), number(10)), "? & ?", "12, 10", "8");
    VALUES(binary(CORM_OP_BIT_OR, number(12), number(10)), "? | ?", "12, 10", "14");
    VALUES(binary(CORM_OP_SHIFT_LEFT, number(3), number(2)), "? << ?", "3, 2", "12");
    VALUES(binary(CORM_OP_SHIFT_RIGHT, number(12), number(2)), "? >> ?", "12, 2", "3");
    VALUES(unary(CORM_OP_BIT_NOT, number(5)), "~ ?", "5", "-6");
    VALUES(binary(CORM_OP_CONCAT, text("a"), text("b")), "? || ?", "'a', 'b'", "ab");
    VALUES(binary(CORM_OP_CONCAT, text("a"), number(1)), "? || ?", "'a', 1", "a1");
    MEETS(binary(CORM_OP_EQUAL, binary(CORM_OP_BIT_AND, column("age"), number(4)), number(4)), "\"age\" & ? = ?",
          "4, 4", "1 2 4");
}

static void patterns_of_like_and_glob(void **state) {
    (void)state;
    MEETS(binary(CORM_OP_LIKE, column("name"), text("%A%")), "\"name\" LIKE ?", "'%A%'", "1 3 4 6");
    MEETS(binary(CORM_OP_LIKE, column("name"), text("_ob")), "\"name\" LIKE ?", "'_ob'", "2");
    MEETS(binary(CORM_OP_NOT_LIKE, column("name"), text("%a%")), "\"name\" NOT LIKE ?", "'%a%'", "2 5");
    MEETS(binary(CORM_OP_GLOB, column("name"), text("*a*")), "\"name\" GLOB ?", "'*a*'", "1 3 4 6");
    MEETS(binary(CORM_OP_GLOB, column("name"), text("[A-B]*")), "\"name\" GLOB ?", "'[A-B]*'", "1 2");
    MEETS(binary(CORM_OP_NOT_GLOB, column("name"), text("?o*")), "\"name\" NOT GLOB ?", "'?o*'", "1 4 5 6");
    MEETS(binary(CORM_OP_LIKE, column("city"), text("%")), "\"city\" LIKE ?", "'%'", "1 3 4 5");
}

static void json(void **state) {
    (void)state;
    const char *document = "{\"a\":[1,\"x\",null]}";
    VALUES(binary(CORM_OP_JSON_AT, text(document), text("$.a")), "? -> ?", "'{\"a\":[1,\"x\",null]}', '$.a'",
           "[1,\"x\",null]");
    VALUES(binary(CORM_OP_JSON_AT, text(document), text("$.a[1]")), "? -> ?", "'{\"a\":[1,\"x\",null]}', '$.a[1]'",
           "\"x\"");
    VALUES(binary(CORM_OP_JSON_VALUE_AT, text(document), text("$.a[1]")), "? ->> ?",
           "'{\"a\":[1,\"x\",null]}', '$.a[1]'", "x");
    VALUES(binary(CORM_OP_JSON_VALUE_AT, text(document), text("$.b")), "? ->> ?", "'{\"a\":[1,\"x\",null]}', '$.b'",
           "NULL");
    VALUES(binary(CORM_OP_CONCAT, text("<"), binary(CORM_OP_JSON_VALUE_AT, text("[5]"), text("$[0]"))),
           "? || (? ->> ?)", "'<', '[5]', '$[0]'", "<5");
}

static void full_text_search(void **state) {
    (void)state;
    corm_result *result;
    OK(corm_database_execute(db, "CREATE VIRTUAL TABLE notes USING fts5(title, body)", CORM_NO_VALUES, NULL, &failure));
    OK(corm_database_execute(db, "INSERT INTO notes VALUES ('cats', 'they purr'), ('dogs', 'no cats here')",
                             CORM_NO_VALUES, NULL, &failure));
    typedef struct note {
        const char *title;
        const char *body;
    } note;
    static const corm_column_def columns[] = {CORM_COLUMN(note, title, CORM_TEXT), CORM_COLUMN(note, body, CORM_TEXT)};
    static const corm_model_def definition = CORM_MODEL(note, "Note", columns, .table = "notes");
    corm_model *notes;
    OK(corm_model_create(&definition, &notes, &failure));
    corm_statement *any = where(with_column(select_from(notes), corm_expr_column(notes, "title")),
                                binary(CORM_OP_MATCH, name(NULL, "notes"), text("cats")));
    SELECTS(ordered_by(any, name(NULL, "rank")),
            "SELECT \"title\" FROM \"notes\" WHERE \"notes\" MATCH ? ORDER BY \"rank\"", "'cats'", "cats; dogs");
    SELECTS(where(with_column(select_from(notes), corm_expr_column(notes, "title")),
                  binary(CORM_OP_MATCH, corm_expr_column(notes, "body"), text("cats"))),
            "SELECT \"title\" FROM \"notes\" WHERE \"body\" MATCH ?", "'cats'", "dogs");
    corm_statement *wrong = where(select_from(notes), binary(CORM_OP_MATCH, name(NULL, "notes"), text("AND AND")));
    if (corm_result_open_statement(db, wrong, CORM_NO_VALUES, &result, &failure) == CORM_OK) {
        GIVES(CORM_E_SQL, corm_result_next(result, &failure));
        corm_result_close(result);
    }
    corm_statement_free(wrong);
    corm_model_free(notes);
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
        STATEMENT_TEST(comparisons_keep_the_rows_they_say),
        STATEMENT_TEST(only_is_finds_null),
        STATEMENT_TEST(not_of_null_is_null),
        STATEMENT_TEST(arithmetic),
        STATEMENT_TEST(bits_and_concatenation),
        STATEMENT_TEST(patterns_of_like_and_glob),
        STATEMENT_TEST(json),
        STATEMENT_TEST(full_text_search),
        STATEMENT_TEST(numbers_that_are_no_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
