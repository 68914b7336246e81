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
    if (corm_statement_open(db, wrong, CORM_NO_VALUES, &result, &failure) == CORM_OK) {
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
        STATEMENT_TEST(only_is_finds_null),
        STATEMENT_TEST(full_text_search),
        STATEMENT_TEST(numbers_that_are_no_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
