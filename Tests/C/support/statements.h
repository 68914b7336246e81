/* What tests of expressions and statements share: records to ask about; SQL, bindings and rows compared at once. */
#ifndef STATEMENTS_H
#define STATEMENTS_H

#include "support.h"

typedef struct pet {
    int64_t id;
    corm_optional_int64 owner_id;
    const char *name;
    corm_optional_int64 weight;
} pet;

extern const corm_column_def pet_columns[4];
extern const corm_model_def pet_def;
extern corm_model *pets;

/*
 * As set_up, with these persons and pets:
 *     id name     city   age  height     id owner_id name  weight
 *     1  Ada      London 36   1.7        1  1        Rex   10
 *     2  Bob      NULL   36   1.8        2  1        Tom   4
 *     3  Cora     Rome   NULL 1.6        3  4        Ivy   7
 *     4  Dan      Rome   20   1.9        4  NULL     Stray NULL
 *     5  eve      Paris  50   1.5        5  5        Tom   4
 *     6  a%b_c\d  NULL   NULL 2.5
 */
int set_up_statements(void **state);
int tear_down_statements(void **state);
#define STATEMENT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_statements, tear_down_statements)

/* Short names for what the tests build most. */
corm_expr *column(const char *property);
corm_expr *pet_column(const char *property);
corm_expr *name(const char *source, const char *column);
corm_expr *number(int64_t value);
corm_expr *text(const char *value);
corm_expr *null_value(void);
corm_expr *unary(int32_t operation, corm_expr *operand);
corm_expr *binary(int32_t operation, corm_expr *left, corm_expr *right);
/* An array of expressions without its count. */
#define EXPRS(...) ((corm_expr *const[]){__VA_ARGS__})
/* A SELECT of a model's records, and one of nothing yet. */
corm_statement *select_from(const corm_model *model);
corm_statement *select_nothing(void);
/* Each adds to a clause and returns the statement. */
corm_statement *with_column(corm_statement *statement, corm_expr *expression);
corm_statement *where(corm_statement *statement, corm_expr *condition);
corm_statement *ordered_by(corm_statement *statement, corm_expr *term);

/*
 * The statement has this SQL and these bindings ("35, 'B', NULL, :least") and, when it runs, these rows ("1 Ada; 2 NULL").
 * Frees it.
 */
#define SELECTS(statement, sql, bindings, rows) check_select(statement, sql, bindings, rows, __FILE__, __LINE__)
/* The same; afterwards `probe`, a SELECT as text, has these rows: what the statement did. */
#define CHANGES(statement, sql, bindings, changes, probe, rows)                                                        \
    check_change(statement, sql, bindings, changes, probe, rows, __FILE__, __LINE__)
/* The condition alone has this SQL and these bindings; the persons who meet it have these ids ("1 2 4"). Frees it. */
#define MEETS(condition, sql, bindings, ids) check_condition(condition, sql, bindings, ids, __FILE__, __LINE__)
/* The expression alone has this SQL and these bindings; it has this value. Frees it. */
#define VALUES(expression, sql, bindings, value) check_expression(expression, sql, bindings, value, __FILE__, __LINE__)
/* The SQL of it gives this status, and the message and hint in one text contain this. Frees it. */
#define EXPRESSION_FAILS(status, part, expression) check_bad_expression(expression, status, part, __FILE__, __LINE__)
#define STATEMENT_FAILS(status, part, statement) check_bad_statement(statement, status, part, __FILE__, __LINE__)

void check_select(corm_statement *statement, const char *sql, const char *bindings, const char *rows, const char *file,
                  int line);
void check_change(corm_statement *statement, const char *sql, const char *bindings, int64_t changes, const char *probe,
                  const char *rows, const char *file, int line);
void check_condition(corm_expr *condition, const char *sql, const char *bindings, const char *ids, const char *file,
                     int line);
void check_expression(corm_expr *expression, const char *sql, const char *bindings, const char *value, const char *file,
                      int line);
void check_bad_expression(corm_expr *expression, corm_status status, const char *part, const char *file, int line);
void check_bad_statement(corm_statement *statement, corm_status status, const char *part, const char *file, int line);
/* The message and hint of `failure` contain this. */
#define FAILURE_SAYS(part) check_failure(part, __FILE__, __LINE__)
void check_failure(const char *part, const char *file, int line);
/* The rows of an opened result, which is closed, as text. Valid until the next call. */
const char *rows_of(corm_result *result);

#endif
