/* Statements built of expressions: SELECT, INSERT, UPDATE and DELETE as values that can be kept, copied and combined. */
#ifndef CORMORANT_STATEMENT_H
#define CORMORANT_STATEMENT_H

#include "expression.h"
#include "record.h"
#include "result.h"

CORM_BEGIN_DECLS

/*
 * A statement. It belongs to no database; it is compiled when first used and again only after it was changed, and each
 * database keeps it prepared. Setters take expressions and statements over and never fail, as the builders of
 * expression.h: what is wrong is the error of the first call that uses the statement. Threading: one thread at a time.
 *
 *     corm_statement *select = corm_statement_create(CORM_SELECT, people, NULL);
 *     corm_statement_add(select, CORM_CLAUSE_WHERE, CORM_GT(corm_expr_column(people, "age"), CORM_INT(35)));
 *     corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column(people, "name"));
 *     corm_query query = {.struct_size = sizeof query, .statement = select};
 *     corm_query_fetch(db, people, &query, &records, &error);
 *
 * So it is the prepared statement that is kept by hand: built once, with parameters for what changes, and run again and again.
 */

/* corm_statement_create.kind */
typedef int32_t corm_statement_kind;
#define CORM_SELECT 1
#define CORM_INSERT 2
#define CORM_UPDATE 3
#define CORM_DELETE 4

/*
 * A new statement. SELECT: reads whole records of `model` (its alias NULL: the table's name), or with model NULL from
 * nothing until corm_statement_from. The others write the model's table; alias NULL. model: borrowed until return.
 * Returns: owned (corm_statement_free).
 */
corm_statement *corm_statement_create(corm_statement_kind kind, const corm_model *model, const char *alias);
/* Another one of the same. Returns: owned (corm_statement_free). */
corm_statement *corm_statement_copy(const corm_statement *statement);
/* Frees a statement that nothing consumed. NULL, a consumed one and a second free are no-ops. */
void corm_statement_free(corm_statement *statement);

/* Where rows come from: exactly one of model (borrowed until return), select (consumed), name and function (copied). */
typedef struct corm_source {
    uint32_t struct_size;
    const corm_model *model CORM_ZERO;
    corm_statement *select CORM_ZERO;
    /* A common table expression. */
    const char *name CORM_ZERO;
    /* What the statement calls it; NULL: its own name. A select that is joined needs one. */
    const char *alias CORM_ZERO;
    /*
     * A table-valued function, such as "json_each" or "pragma_table_info"; its columns are corm_expr_name(alias, "value"). The
     * arguments, consumed, may name the tables before it; the array is borrowed.
     */
    const char *function CORM_ZERO;
    corm_expr *const *arguments CORM_ZERO;
    size_t argument_count CORM_ZERO;
} corm_source;

/* CORM_SOURCE(.model = people, .alias = "other"): a pointer to a source. */
#define CORM_SOURCE(...) CORM_STRUCT_(corm_source, __VA_ARGS__)

/*
 * Reads from this source instead; an UPDATE reads from it besides its table (UPDATE ... FROM), and a WHERE says which rows of the
 * two belong together. source: borrowed until return; what it says is consumed is so.
 */
void corm_statement_from(corm_statement *statement, const corm_source *source);

/* corm_statement_join.kind */
typedef int32_t corm_join;
#define CORM_JOIN_INNER 0
#define CORM_JOIN_LEFT 1
#define CORM_JOIN_CROSS 2
#define CORM_JOIN_RIGHT 3 /* SQLite has it from 3.39 on, as the next */
#define CORM_JOIN_FULL 4

/* Joins another source, as above. condition: consumed; NULL only for a cross join or a function (CORM_E_MISUSE when it is run). */
void corm_statement_join(corm_statement *statement, corm_join kind, const corm_source *source, corm_expr *condition);

/* corm_statement_add.clause */
typedef int32_t corm_clause;
#define CORM_CLAUSE_COLUMN 1    /* SELECT: a result column; without any, whole records */
#define CORM_CLAUSE_WHERE 2     /* SELECT, UPDATE, DELETE: one more condition, joined with AND */
#define CORM_CLAUSE_GROUP_BY 3  /* SELECT */
#define CORM_CLAUSE_HAVING 4    /* SELECT: joined with AND */
#define CORM_CLAUSE_ORDER_BY 5  /* SELECT: one more term */
#define CORM_CLAUSE_LIMIT 6     /* SELECT: replaces the one before */
#define CORM_CLAUSE_OFFSET 7    /* SELECT: replaces the one before */
#define CORM_CLAUSE_RETURNING 8 /* INSERT, UPDATE, DELETE: a column of the changed rows */

/* Adds to a clause. expression: consumed. */
void corm_statement_add(corm_statement *statement, corm_clause clause, corm_expr *expression);

/*
 * The clauses of a SELECT together: CORM_SELECT_OF(person, .columns = CORM_LIST(CORM_COUNT()), .where = ...). The lists end with
 * NULL. Zero in a member: none. All: consumed; the lists themselves are borrowed until return.
 */
typedef struct corm_select {
    uint32_t struct_size;
    corm_expr *const *columns CORM_ZERO;
    corm_expr *where CORM_ZERO;
    corm_expr *const *group_by CORM_ZERO;
    corm_expr *having CORM_ZERO;
    corm_expr *const *order_by CORM_ZERO;
    /* The greatest number of rows (0: all; CORM_LIMIT_NO_ROWS, value.h), and how many are skipped before. */
    int64_t limit CORM_ZERO;
    int64_t offset CORM_ZERO;
} corm_select;

/* corm_statement_create, then the clauses. Returns: owned (corm_statement_free). */
corm_statement *corm_statement_select(const corm_model *model, const corm_select *clauses);
#define CORM_SELECT_OF(record, ...) corm_statement_select(record##_model, CORM_STRUCT_(corm_select, __VA_ARGS__))
/* A list of expressions that ends with NULL. */
#define CORM_LIST(...) CORM_ARRAY_(corm_expr *, __VA_ARGS__, NULL)

/* SELECT DISTINCT. */
void corm_statement_distinct(corm_statement *statement);

/* corm_statement_compound.operation */
typedef int32_t corm_compound;
#define CORM_UNION 0
#define CORM_UNION_ALL 1
#define CORM_INTERSECT 2
#define CORM_EXCEPT 3

/* Combines the rows with those of another SELECT, which is consumed. Order and limit are those of the whole. */
void corm_statement_compound(corm_statement *statement, corm_compound operation, corm_statement *select);

/*
 * WITH name (columns) AS (select): a common table expression, recursive where it reads from its own name. columns: a list
 * of names (value.h), copied; NULL: those of the SELECT. select: consumed.
 */
void corm_statement_with(corm_statement *statement, const char *name, const char *columns, corm_statement *select);

/*
 * The rows that follow the one with these values of the ORDER BY terms, one each: paging that stays right when rows come
 * and go. The terms so far must make rows unique (add the key last). values: copied.
 */
void corm_statement_after(corm_statement *statement, const corm_value *values, size_t count);

/* UPDATE: SET property = value. INSERT: the value of a property of its one row; without any, a row of defaults. value: consumed. */
void corm_statement_set(corm_statement *statement, const char *property, corm_expr *value);
/*
 * INSERT: one more row, of a value for each of a list of properties, which is the same in every row but for its order; then
 * corm_statement_set is CORM_E_MISUSE. One statement takes as many values as SQLite does, 32,766 unless it was built otherwise, or
 * a server, 7,498; of more it is CORM_E_TOO_BIG, and nothing is inserted. With RETURNING the rows come in no promised order.
 * values: consumed; the array itself is borrowed.
 */
void corm_statement_values(corm_statement *statement, const char *properties, corm_expr *const *values, size_t count);
/*
 * INSERT: the rows of a SELECT instead, its columns for this list of properties in order. Times of creation and update are set, where the
 * list has them not. select: consumed.
 */
void corm_statement_insert_select(corm_statement *statement, const char *properties, corm_statement *select);
/* INSERT, UPDATE: OR IGNORE, OR REPLACE, ... (record.h). */
void corm_statement_conflict(corm_statement *statement, corm_conflict policy);
/*
 * INSERT: ON CONFLICT of the key or unique index over this list of properties (NULL: of any). DO NOTHING, unless
 * corm_statement_upsert_set follows.
 */
void corm_statement_upsert(corm_statement *statement, const char *properties);
/* ON CONFLICT ... DO UPDATE SET property = value; corm_expr_name("excluded", column) is the new row's. value: consumed. */
void corm_statement_upsert_set(corm_statement *statement, const char *property, corm_expr *value);

/*
 * The statement as SQL text, and the values bound to its `?` in order; a parameter is NULL there with its name, and all
 * values of a long IN follow each other, though they share one `?` (`corm_values(?)`).
 *
 * out_sql, out_values  borrowed until corm_arena_clear or corm_arena_free; out_values may be NULL.
 * Statuses: what is wrong with the statement.
 */
corm_status corm_statement_sql(const corm_statement *statement, corm_arena *arena, const char **out_sql,
                               const corm_value **out_values, size_t *out_count, corm_error **out_error);

/*
 * Runs an INSERT, UPDATE or DELETE; a SELECT is CORM_E_MISUSE.
 *
 * statement   borrowed until return.
 * values      the statement's parameters by name, borrowed until return.
 * out_changes rows written; NULL accepted.
 * Statuses: what is wrong with the statement; CORM_E_BINDING for a parameter without a value; the constraint statuses.
 * Threading: any thread.
 */
corm_status corm_statement_execute(corm_database *database, const corm_statement *statement, const corm_value *values,
                                   size_t value_count, int64_t *out_changes, corm_error **out_error);

/*
 * Starts a SELECT, or a statement with RETURNING; corm_result_next (result.h) steps it. Arguments as above.
 * out_result: owned (corm_result_close).
 */
corm_status corm_result_open_statement(corm_database *database, const corm_statement *statement,
                                       const corm_value *values, size_t value_count, corm_result **out_result,
                                       corm_error **out_error);

/*
 * The engine's plan for the statement as an indented tree, a line per step: SQLite's (https://www.sqlite.org/eqp.html), or PostgreSQL's
 * with what it thinks each step costs. Nothing runs.
 *
 * out_tree borrowed until corm_arena_clear or corm_arena_free.
 */
corm_status corm_statement_explain(corm_database *database, const corm_statement *statement, corm_arena *arena,
                                   const char **out_tree, corm_error **out_error);

CORM_END_DECLS

#endif
