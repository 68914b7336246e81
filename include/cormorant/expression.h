/* Expressions: conditions, computed columns and order terms as values, without SQL text. Statements: statement.h. */
#ifndef CORMORANT_EXPRESSION_H
#define CORMORANT_EXPRESSION_H

#include "model.h"

CORM_BEGIN_DECLS

/*
 * An SQL expression. Values in it are always bound, never pasted into SQL.
 *
 *     corm_expr *adults = CORM_AND(CORM_GT(CORM_COL(person, age), CORM_INT(35)),
 *                                  CORM_LIKE(CORM_COL(person, name), CORM_STR("B%")));
 *
 * Builders take the expressions and statements they are given over ("consumed": the caller must not use or free them
 * again, whatever the outcome); corm_expr_copy keeps one for another use. A builder never fails: what is wrong with its
 * arguments (an unknown property, NULL, an expression that was consumed before) stays in what it returns and is the
 * error of the first call that uses it. NULL is returned only without memory. Models are borrowed until the builder
 * returns; values and names are copied. Threading: builders on any thread; one expression on one thread at a time.
 */
typedef struct corm_expr corm_expr;

/* corm_statement of statement.h. */
typedef struct corm_statement corm_statement;

/* What corm_expr_unary and corm_expr_binary do. */
typedef int32_t corm_operator;

/* Operators with one operand. */
#define CORM_OP_NOT 1
#define CORM_OP_NEGATE 2
#define CORM_OP_BIT_NOT 3
#define CORM_OP_IS_NULL 4
#define CORM_OP_IS_NOT_NULL 5

/* Operators with two operands. With NULL, comparisons give NULL, which no condition accepts; IS and IS_NOT do not. */
#define CORM_OP_EQUAL 10
#define CORM_OP_NOT_EQUAL 11
#define CORM_OP_LESS 12
#define CORM_OP_LESS_EQUAL 13
#define CORM_OP_GREATER 14
#define CORM_OP_GREATER_EQUAL 15
#define CORM_OP_IS 16     /* equal, with NULL equal to NULL (IS NOT DISTINCT FROM) */
#define CORM_OP_IS_NOT 17 /* IS DISTINCT FROM */
/* Of decimals + - * are exact; what is not is CORM_E_TYPE: / and %, a real beside a decimal, avg, total and round. */
#define CORM_OP_ADD 20
#define CORM_OP_SUBTRACT 21
#define CORM_OP_MULTIPLY 22
#define CORM_OP_DIVIDE 23
#define CORM_OP_REMAINDER 24
#define CORM_OP_CONCAT 25
#define CORM_OP_BIT_AND 26
#define CORM_OP_BIT_OR 27
#define CORM_OP_SHIFT_LEFT 28
#define CORM_OP_SHIFT_RIGHT 29
#define CORM_OP_LIKE 30 /* the pattern as it is: % and _ are wildcards; ignores the case of ASCII letters */
#define CORM_OP_NOT_LIKE 31
#define CORM_OP_GLOB 32 /* * ? [...] are wildcards; minds case */
#define CORM_OP_NOT_GLOB 33
#define CORM_OP_MATCH 34      /* full-text search: the model's own name or a column of an FTS5 table, and a query */
#define CORM_OP_HAS_PREFIX 35 /* LIKE with the text taken as it is: % and _ in it are no wildcards */
#define CORM_OP_HAS_SUFFIX 36
#define CORM_OP_CONTAINS 37
#define CORM_OP_JSON_AT 38       /* -> : the element at a path such as "$.a[0]", as JSON */
#define CORM_OP_JSON_VALUE_AT 39 /* ->> : the same as a value of SQL */
/*
 * A path begins with $ ($."a.b" of a key with other signs), or is one word, a key, or an integer, an index; any other text is
 * CORM_E_SQL when the statement is made.
 */
/*
 * A regular expression fits somewhere in the text: . * + ? {n,m} [...] (...) | ^ $ and \b \d \s \w with their opposites, of
 * characters, not bytes; at its beginning (?i) ignores the case of ASCII letters. The time that it takes grows with the text
 * alone. `text REGEXP pattern` in SQL is the same, but not in a file's schema; corm_database_register_function puts a
 * function of yours in its place, regexp of 2 arguments. A pattern that is none is CORM_E_SQL.
 */
#define CORM_OP_REGEXP 40
/*
 * left IN right, which is a parameter that is given a list when the statement runs (corm_value_list): the statement stays the
 * same, and prepared, whatever the list's length. A NULL in it is found by IS NULL. CORM_E_BINDING where it is given one value.
 */
#define CORM_OP_IN 41

/* Which way an order term sorts. */
typedef int32_t corm_direction;
#define CORM_ASCENDING 0
#define CORM_DESCENDING 1

/* How NULLs sort in an order term. */
typedef int32_t corm_nulls;
#define CORM_NULLS_LEAST 0 /* SQLite's way: before everything ascending, after everything descending */
#define CORM_NULLS_FIRST 1
#define CORM_NULLS_LAST 2

/*
 * A column of a model that the statement reads from; with dots, one at the end of to-one relations (relation.h), such as
 * "album.artist.name". Returns: owned.
 */
corm_expr *corm_expr_column(const corm_model *model, const char *property);
/* The same where the statement has the model under an alias. Returns: owned. */
corm_expr *corm_expr_column_of(const char *alias, const corm_model *model, const char *property);
/*
 * A name that no model describes: a column of a subquery or common table expression (source: its name, or NULL), the
 * new row in an upsert (source "excluded"), a result column. Returns: owned.
 */
corm_expr *corm_expr_name(const char *source, const char *name);
/*
 * A value, bound. Beside a column it must be of the column's type, in the form of records (CORM_DATETIME: microseconds).
 * Returns: owned.
 */
corm_expr *corm_expr_value(corm_value value);
/* A value of a type, where no column beside it tells: CORM_DATETIME of microseconds, CORM_UUID, ... Returns: owned. */
corm_expr *corm_expr_typed_value(corm_value value, corm_type type);
/* A value that is given by name when the statement runs. Returns: owned. */
corm_expr *corm_expr_parameter(const char *name);

/* operand: consumed. Returns: owned. */
corm_expr *corm_expr_unary(corm_operator operation, corm_expr *operand);
/* left, right: consumed. Returns: owned. */
corm_expr *corm_expr_binary(corm_operator operation, corm_expr *left, corm_expr *right);
/* AND of all parts (none: true). parts: consumed; the array itself is borrowed. Returns: owned. */
corm_expr *corm_expr_all(corm_expr *const *parts, size_t count);
/* OR of all parts (none: false). parts: consumed; the array itself is borrowed. Returns: owned. */
corm_expr *corm_expr_any(corm_expr *const *parts, size_t count);
/* operand BETWEEN low AND high. All: consumed. Returns: owned. */
corm_expr *corm_expr_between(corm_expr *operand, corm_expr *low, corm_expr *high);
/*
 * A row of values, 2 to 8 of them, which is compared as one: with another row or a SELECT of as many columns (corm_expr_select),
 * by = <> < <= > >= IS, IS NOT and BETWEEN, and by IN with rows. Rows sort by their first value, then by the next. Anywhere else
 * it is CORM_E_MISUSE. parts: consumed; the array itself is borrowed. Returns: owned.
 */
corm_expr *corm_expr_row(corm_expr *const *parts, size_t count);
/*
 * operand IN (values): any number of them, also none; a NULL is found by IS NULL. Of a row, `values` has a value for each part,
 * one row after the other. operand: consumed. Returns: owned.
 */
corm_expr *corm_expr_in(corm_expr *operand, const corm_value *values, size_t count);
/* operand IN (SELECT ...); its opposite holds for no row where the SELECT gives a NULL. Both: consumed. Returns: owned. */
corm_expr *corm_expr_in_select(corm_expr *operand, corm_statement *select);
/*
 * CASE base WHEN whens[i] THEN thens[i] ... ELSE otherwise END. base (NULL: the whens are conditions), whens, thens,
 * otherwise (NULL: none): consumed; the arrays are borrowed. Returns: owned.
 */
corm_expr *corm_expr_case(corm_expr *base, corm_expr *const *whens, corm_expr *const *thens, size_t count,
                          corm_expr *otherwise);
/* CAST to INTEGER, REAL, TEXT or BLOB, as the type is stored. operand: consumed. Returns: owned. */
corm_expr *corm_expr_cast(corm_expr *operand, corm_type type);
/*
 * Compares and sorts by a collation: BINARY, NOCASE, RTRIM, one of yours (function.h), or corm_nocase, which minds the case of no
 * letter of Unicode; LIKE, HAS_PREFIX, HAS_SUFFIX and CONTAINS of what has that mind none either. operand: consumed. Returns: owned.
 */
corm_expr *corm_expr_collate(corm_expr *operand, const char *collation);
/*
 * A call of any function that SQLite has: "lower", "count" (without arguments: count(*)), "json_extract", "date".
 * Order terms (corm_expr_order) behind the arguments say in which order an aggregate takes its rows: group_concat(title, ', '
 * ORDER BY year). SQLite knows that from 3.44 on; of an older one it is CORM_E_SQL. arguments: consumed; the array is borrowed.
 * Returns: owned.
 */
corm_expr *corm_expr_call(const char *function, corm_expr *const *arguments, size_t count);
/* An aggregate call over distinct values. call: consumed. Returns: owned. */
corm_expr *corm_expr_distinct(corm_expr *call);
/* An aggregate call over the rows that meet a condition: FILTER (WHERE ...). Both: consumed. Returns: owned. */
corm_expr *corm_expr_filter(corm_expr *call, corm_expr *condition);
/*
 * A call over a window: OVER (PARTITION BY ... ORDER BY ... frame). call, partition, order: consumed; the arrays are
 * borrowed. frame: NULL, or as SQL writes it, such as "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW". Returns: owned.
 */
corm_expr *corm_expr_over(corm_expr *call, corm_expr *const *partition, size_t partition_count, corm_expr *const *order,
                          size_t order_count, const char *frame);
/* The value of a SELECT with one column: its first row's, or NULL. select: consumed. Returns: owned. */
corm_expr *corm_expr_select(corm_statement *select);
/* Whether a SELECT has a row. select: consumed. Returns: owned. */
corm_expr *corm_expr_exists(corm_statement *select);
/*
 * SQL as it is, with its values bound to its `?`, in order. It must be whole in itself: no open quote or parenthesis, no
 * `--`, no semicolon, no other parameters. Returns: owned.
 */
corm_expr *corm_expr_raw(const char *sql, const corm_value *values, size_t count);
/* An order term. operand: consumed. Returns: owned. */
corm_expr *corm_expr_order(corm_expr *operand, corm_direction direction, corm_nulls nulls);
/* A result column with a name. operand: consumed. Returns: owned. */
corm_expr *corm_expr_as(corm_expr *operand, const char *name);

/* Another one of the same. expression: borrowed until return. Returns: owned. */
corm_expr *corm_expr_copy(const corm_expr *expression);
/* Frees an expression that nothing consumed. NULL, a consumed one and a second free are no-ops. */
void corm_expr_free(corm_expr *expression);

/*
 * The expression alone as SQL text, and the values bound to its `?` in order; a parameter is NULL there with its name.
 *
 * expression           borrowed until return.
 * out_sql, out_values  borrowed until corm_arena_clear or corm_arena_free; out_values may be NULL.
 * Statuses: what is wrong with the expression.
 */
corm_status corm_expr_sql(const corm_expr *expression, corm_arena *arena, const char **out_sql,
                          const corm_value **out_values, size_t *out_count, corm_error **out_error);

/*
 * Short forms; each takes and gives expressions. CORM_COL(person, age) is the column of a field of a struct with a model
 * (CORM_DEFINE), which the compiler looks up; corm_expr_column(model, "owner.name") goes along relations.
 */
#define CORM_COL(record, member) corm_expr_column(record##_model, CORM_SIZE_(record, member) > 0 ? #member : "")
#define CORM_INT(integer) corm_expr_value(corm_value_int64(integer))
#define CORM_REAL(real) corm_expr_value(corm_value_double(real))
#define CORM_STR(text) corm_expr_value(corm_value_text(text))

#define CORM_EQ(left, right) corm_expr_binary(CORM_OP_EQUAL, left, right)
#define CORM_NE(left, right) corm_expr_binary(CORM_OP_NOT_EQUAL, left, right)
#define CORM_LT(left, right) corm_expr_binary(CORM_OP_LESS, left, right)
#define CORM_LE(left, right) corm_expr_binary(CORM_OP_LESS_EQUAL, left, right)
#define CORM_GT(left, right) corm_expr_binary(CORM_OP_GREATER, left, right)
#define CORM_GE(left, right) corm_expr_binary(CORM_OP_GREATER_EQUAL, left, right)
#define CORM_LIKE(left, pattern) corm_expr_binary(CORM_OP_LIKE, left, pattern)
#define CORM_HAS_PREFIX(left, text) corm_expr_binary(CORM_OP_HAS_PREFIX, left, text)
#define CORM_HAS_SUFFIX(left, text) corm_expr_binary(CORM_OP_HAS_SUFFIX, left, text)
#define CORM_CONTAINS(left, text) corm_expr_binary(CORM_OP_CONTAINS, left, text)
#define CORM_BETWEEN(operand, low, high) corm_expr_between(operand, low, high)
#define CORM_IS_NULL(operand) corm_expr_unary(CORM_OP_IS_NULL, operand)
#define CORM_IS_NOT_NULL(operand) corm_expr_unary(CORM_OP_IS_NOT_NULL, operand)
#define CORM_NOT(operand) corm_expr_unary(CORM_OP_NOT, operand)
#define CORM_ADD(left, right) corm_expr_binary(CORM_OP_ADD, left, right)
#define CORM_SUBTRACT(left, right) corm_expr_binary(CORM_OP_SUBTRACT, left, right)
#define CORM_MULTIPLY(left, right) corm_expr_binary(CORM_OP_MULTIPLY, left, right)
#define CORM_DIVIDE(left, right) corm_expr_binary(CORM_OP_DIVIDE, left, right)
/* CORM_ROW_VALUE(a, b): a row of values, compared with another. */
#define CORM_ROW_VALUE(...) corm_expr_row(CORM_EXPRS(__VA_ARGS__))
/* CORM_IN(x, corm_value_int64(1), corm_value_int64(2)) */
#define CORM_IN(operand, ...) corm_expr_in(operand, CORM_VALUES(__VA_ARGS__))

/* CORM_AND(a, b, c), CORM_OR(a, b): of as many as are given. CORM_CALL("max", x): with at least one argument. */
#define CORM_AND(...) corm_expr_all(CORM_EXPRS(__VA_ARGS__))
#define CORM_OR(...) corm_expr_any(CORM_EXPRS(__VA_ARGS__))
#define CORM_CALL(function, ...) corm_expr_call(function, CORM_EXPRS(__VA_ARGS__))
/* How many rows: count(*). */
#define CORM_COUNT() corm_expr_call("count", NULL, 0)
#define CORM_SUM(operand) CORM_CALL("sum", operand)
#define CORM_DESC(operand) corm_expr_order(operand, CORM_DESCENDING, CORM_NULLS_LEAST)
#define CORM_AS(operand, name) corm_expr_as(operand, name)
/* An array of expressions and its count: two arguments. */
#define CORM_EXPRS(...) CORM_ARRAY_(corm_expr *, __VA_ARGS__), CORM_COUNT_(corm_expr *, __VA_ARGS__)

CORM_END_DECLS

#endif
