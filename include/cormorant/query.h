/* Records of a model in numbers: as an array, one, streamed, counted, paged. */
#ifndef CORMORANT_QUERY_H
#define CORMORANT_QUERY_H

#include "record.h"
#include "statement.h"

CORM_BEGIN_DECLS

/*
 * Which records. Zero everywhere (or a NULL query) is every record in no promised order. Either `sql`, or `statement`, or
 * `values` as attributes with order, limit and offset. Everything is borrowed until the call returns.
 */
typedef struct corm_query {
    uint32_t struct_size;
    /*
     * Exactly one row is expected: none is CORM_E_NO_ROWS, several are CORM_E_SEVERAL_ROWS. Of corm_query_first and
     * corm_query_value; CORM_E_MISUSE elsewhere.
     */
    bool one CORM_ZERO;
    /* A whole SELECT, labelled raw: its columns are matched to the model by name, and every one must be there. */
    const char *sql CORM_ZERO;
    /*
     * With sql its bindings, with statement its parameters by name; else attributes: `name` is a property that must equal
     * the value (NULL equals NULL).
     */
    const corm_value *values CORM_ZERO;
    size_t value_count CORM_ZERO;
    /* A list of properties (value.h), "-" in front means descending: "-year, title". Not with sql. */
    const char *order_by CORM_ZERO;
    /* The greatest number of records. 0: all; CORM_LIMIT_NO_ROWS (value.h), where a number is computed that may be 0: none.
       Not with sql. */
    int64_t limit CORM_ZERO;
    /* How many records to skip. Page p (from 0) of size n: limit n, offset p * n. Not with sql. */
    int64_t offset CORM_ZERO;
    /*
     * A SELECT built of expressions, or a statement with RETURNING. Where it lists columns of its own, these are matched to
     * the model by name, so that any struct with a model can be the result. With it no order, limit and offset here.
     */
    const corm_statement *statement CORM_ZERO;
    /*
     * A condition on the model's columns, with order, limit and offset; `values` are then its parameters by name. Consumed by
     * the call that takes the query, whatever the outcome. Not with sql, nor with statement.
     */
    corm_expr *where CORM_ZERO;
} corm_query;

#define CORM_QUERY_INIT CORM_INIT_(corm_query)
/* CORM_QUERY(.order_by = "-year", .limit = 20): a pointer to a query. */
#define CORM_QUERY(...) CORM_STRUCT_(corm_query, __VA_ARGS__)

/*
 * Rows of several records, and of values beside them: a struct of structs has a model whose columns are CORM_NESTED, and
 * CORM_COLUMN for a value.
 *
 *     typedef struct sale {
 *         order bought;
 *         customer *buyer;
 *         int64_t items;
 *     } sale;
 *     static const corm_column_def sale_columns[] = {
 *         CORM_NESTED(sale, bought, order),
 *         CORM_NESTED(sale, buyer, customer),
 *         CORM_COLUMN(sale, items, CORM_INT64),
 *     };
 *     CORM_DEFINE(sale, "Sale", sale_columns);
 *
 * Such a model reads what a SELECT (corm_query.statement) gives: of a record, the source of its model or, of several, the one whose
 * alias is the field's name, and all its columns are selected; of a value, the column of the statement that is called so. By SQL
 * each column of a record is called "buyer.name". A pointer is NULL where an outer join found no record, and lives as texts do; a
 * record that is no pointer must be there (CORM_E_NULL_VALUE). It has no table: what is about tables and single records refuses it
 * (CORM_E_MISUSE). It is made when the models of its records are made, or together with them; those live as long as it.
 */

/* Fetched records: one array of structs, its texts beside it. Threading: one thread at a time. */
typedef struct corm_records corm_records;

/*
 * Fetches records into an array.
 *
 * query       borrowed until return; NULL: every record.
 * out_records owned (corm_records_free).
 * Statuses: CORM_E_SQL, CORM_E_BINDING, CORM_E_SCHEMA (the SELECT lacks a column of the model), CORM_E_MISUSE (unknown
 * property; model with record_size 0), CORM_E_TYPE, CORM_E_RANGE, CORM_E_NULL_VALUE, CORM_E_ENCODING naming the column.
 * Threading: any thread.
 */
corm_status corm_query_fetch(corm_database *database, const corm_model *model, const corm_query *query,
                             corm_records **out_records, corm_error **out_error);

/* How many records; 0 for a bad handle. */
size_t corm_records_count(const corm_records *records);
/* The array: cast it to your struct. Returns: borrowed until corm_records_free; NULL when empty. */
void *corm_records_data(const corm_records *records);
/* Frees the array and its texts. NULL and a second free are no-ops. */
void corm_records_free(corm_records *records);

/*
 * Fetches records into an arena, with their texts: there is nothing to free but the arena. CORM_FETCH checks that it is an array
 * of the model's structs: CORM_FETCH(person, db, CORM_QUERY(.limit = 20), arena, &people, &count, &error).
 *
 * out_records a pointer to a pointer to the model's struct. The array is borrowed until corm_arena_clear or corm_arena_free; NULL
 *             when it is empty.
 * Statuses: as corm_query_fetch.
 */
corm_status corm_query_fetch_into(corm_database *database, const corm_model *model, const corm_query *query,
                                  corm_arena *arena, void *out_records, size_t *out_count, corm_error **out_error);
#define CORM_FETCH(record, database, query, arena, out_records, out_count, out_error)                                  \
    corm_query_fetch_into(database, record##_model, query, arena, CORM_TYPED_(record **, out_records), out_count,      \
                          out_error)

/*
 * The value of a query of one column, by SQL or a statement: that of the first row. CORM_OK, or CORM_NOT_FOUND when there is no
 * row; with query.one set that of the only row, or an error. arena: where a text or blob lives; needed whatever the value is.
 * Statuses: CORM_E_MISUSE for more columns or no arena, and those of corm_result_open.
 */
corm_status corm_query_value(corm_database *database, const corm_query *query, corm_arena *arena, corm_value *out_value,
                             corm_error **out_error);
/* All of them, an array in the arena; NULL when there are no rows. */
corm_status corm_query_values(corm_database *database, const corm_query *query, corm_arena *arena,
                              const corm_value **out_values, size_t *out_count, corm_error **out_error);

/*
 * The first record of a query: CORM_OK and `record` is filled, or CORM_NOT_FOUND. With query.one set it is the only record, or an
 * error. arena as in record.h.
 */
corm_status corm_query_first(corm_database *database, const corm_model *model, const corm_query *query, void *record,
                             corm_arena *arena, corm_error **out_error);

/*
 * The first record of a query in memory of its own, with its texts: there is no arena, and nothing to free but the record. CORM_OK,
 * or CORM_NOT_FOUND and *out_record is NULL; with query.one as corm_query_first. CORM_FIRST checks that it is one of the model's structs: CORM_FIRST(person, db,
 * CORM_QUERY(.where = CORM_EQ(CORM_COL(person, id), CORM_INT(7))), &ada, &error).
 *
 * out_record a pointer to a pointer to the model's struct: owned (corm_record_free).
 */
corm_status corm_query_first_owned(corm_database *database, const corm_model *model, const corm_query *query,
                                   void *out_record, corm_error **out_error);
#define CORM_FIRST(record, database, query, out_record, out_error)                                                     \
    corm_query_first_owned(database, record##_model, query, CORM_TYPED_(record **, out_record), out_error)

/*
 * Frees a record that corm_query_first_owned gave, with its texts. NULL and any other pointer are no-ops. A record has no handle: once it
 * is freed, its address may be that of a newer one, so that a second free is a no-op only where no other has been given since.
 */
void corm_record_free(void *record);

/* A property and the value that it is set to. */
typedef struct corm_assignment {
    const char *property;
    /* Consumed. */
    corm_expr *value;
} corm_assignment;

/* CORM_SET({"returned", CORM_INT(9)}, {"note", CORM_STR("late")}): an array of assignments and its count, two arguments. */
#define CORM_SET(...) CORM_ARRAY_(corm_assignment, __VA_ARGS__), CORM_COUNT_(corm_assignment, __VA_ARGS__)

/*
 * Updates all records that a query finds, in one statement: CORM_UPDATE of statement.h.
 *
 * query       with a condition, attributes or, NULL, nothing: all records. What else it may have is CORM_E_MISUSE.
 * assignments borrowed until return; their values are consumed, whatever the outcome.
 * out_changes how many were updated; NULL accepted.
 * Statuses: as corm_statement_execute. Threading: any thread.
 */
corm_status corm_query_update(corm_database *database, const corm_model *model, const corm_query *query,
                              const corm_assignment *assignments, size_t count, int64_t *out_changes,
                              corm_error **out_error);

/* Deletes all records that a query finds, as above; NULL: every record of the table. out_count: how many; NULL accepted. */
corm_status corm_query_delete(corm_database *database, const corm_model *model, const corm_query *query,
                              int64_t *out_count, corm_error **out_error);

/* How many records a query has. model NULL: query.sql or query.statement alone counts, any SELECT. */
corm_status corm_query_count(corm_database *database, const corm_model *model, const corm_query *query,
                             int64_t *out_count, corm_error **out_error);

/* Whether a query has any record: CORM_OK or CORM_NOT_FOUND. model NULL as above. */
corm_status corm_query_exists(corm_database *database, const corm_model *model, const corm_query *query,
                              corm_error **out_error);

/* How many pages of `page_size` records; page_size below 1 is CORM_E_MISUSE. model NULL as above. */
corm_status corm_query_page_count(corm_database *database, const corm_model *model, const corm_query *query,
                                  int64_t page_size, int64_t *out_count, corm_error **out_error);

/*
 * The greatest primary key; CORM_NOT_FOUND for an empty table, CORM_E_MISUSE for a composite key. A text key lives in
 * the arena.
 */
corm_status corm_query_max_key(corm_database *database, const corm_model *model, corm_value *out_key, corm_arena *arena,
                               corm_error **out_error);

/*
 * Records streamed in constant memory. Threading: one thread at a time; calls wait for another thread's transaction to end.
 * Close does not: within such a transaction, the statement ends with that thread's next call. Closed with its database at
 * the latest.
 */
typedef struct corm_cursor corm_cursor;

/* Opens a cursor; as corm_query_fetch. out_cursor: owned (corm_cursor_close). */
corm_status corm_cursor_open(corm_database *database, const corm_model *model, const corm_query *query,
                             corm_cursor **out_cursor, corm_error **out_error);

/*
 * Fills `record` with the next one: CORM_ROW, or CORM_DONE and it is left alone. Its texts are borrowed until the next
 * call or close. A row that the record cannot hold is an error of its own: corm_error_info.record_index counts the rows from 0,
 * the record has what was read before, and the next call goes on with the next row. After any other error the cursor has ended,
 * and each call gives that error again.
 */
corm_status corm_cursor_next(corm_cursor *cursor, void *record, corm_error **out_error);

/* Ends the cursor. NULL and a second close are no-ops. */
void corm_cursor_close(corm_cursor *cursor);

CORM_END_DECLS

#endif
