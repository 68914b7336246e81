/* Private (cormorant-binding.h). Results (result.h) read in blocks (block.h), or given out as columns and as JSON. */
#ifndef CORMORANT_BINDING_RESULT_H
#define CORMORANT_BINDING_RESULT_H

#include "block.h"

CORM_BEGIN_DECLS

/*
 * Opens a result: rows of SQL, or of a model.
 *
 * model      NULL: sql alone gives the rows, any columns. Else rows hold the model's columns in order.
 * sql        NULL: the model's records, with bindings (a dict) as attributes that must be equal.
 * bindings   a marshalled tuple or dict; NULL: none. Borrowed until return.
 * order_by   as in corm_query, as are limit and offset.
 * out_result owned (corm_result_close).
 */
corm_status corm_block_open(corm_database *database, const corm_model *model, const char *sql, const void *bindings,
                            size_t size, const char *order_by, int64_t limit, int64_t offset, corm_result **out_result,
                            corm_error **out_error);

/*
 * Runs one statement, whatever it is, and gives all at once that a cursor of PEP 249 tells of it; for a database without
 * readers. One that writes runs to its end; one that only reads until it has given max_rows.
 *
 * begin      SQL that begins a transaction, run before the first step where none is open, unless the statement begins or
 *            ends one itself, or is a PRAGMA, VACUUM, ATTACH or DETACH; NULL: none. The transaction is nobody's: any thread
 *            may go on with it, and ends it by SQL.
 * bindings   a marshalled tuple or dict; NULL: none. Borrowed until return.
 * max_rows   0: bindings is a list of tuples and dicts, for each of which a statement without rows runs, as a whole or not
 *            at all.
 * block      gets a tuple: the list of rows; a tuple of the columns' names; one of their declared types, None where there
 *            is none; rows changed, or -1 where it is not one that changes rows; the rowid of what an INSERT or REPLACE
 *            inserted, else None; a corm_result * (owned; corm_result_close) that gives the rows that are left, as an int,
 *            or None.
 */
corm_status corm_block_run(corm_database *database, const char *sql, const char *begin, const void *bindings,
                           size_t size, int64_t max_rows, corm_block *block, corm_error **out_error);

/*
 * Whether a transaction is open that calls or raw SQL began, as 1 or 0.
 *
 * Statuses: CORM_E_BUSY where another thread's call lasts longer than the busy timeout. Threading: any thread; it waits.
 */
corm_status corm_block_in_transaction(corm_database *database, int64_t *out_open, corm_error **out_error);

/*
 * Has undo(context) called, on this thread, where this thread's innermost transaction is rolled back, by itself or with one around
 * it; the newest first. release: called once with the context, when it will not be, or was. In no transaction that is at once.
 */
corm_status corm_block_on_rollback(corm_database *database, corm_release undo, void *context, corm_release release,
                                   corm_error **out_error);

/* Whether anybody is to be told of statements, asked while none runs and no other call sets the callback. */
typedef bool (*corm_trace_wanted)(void *context);

/* corm_database_set_trace with the callback where is_wanted says so, else with none. It must not call the library. */
corm_status corm_block_set_trace(corm_database *database, corm_trace_callback callback, corm_trace_wanted is_wanted,
                                 void *context, corm_error **out_error);

/*
 * Puts up to max_rows rows into the block: CORM_ROW, or CORM_DONE when there were none left. CORM_OK: those before a faulty one,
 * whose error the next call gives, and each one after it. Below 0: as many without the sign, of a result whose rows are all
 * kept in memory, so that a server need not stream them. 0: runs a statement that writes up to its first row, which comes next;
 * one that only reads is left alone; CORM_OK.
 */
corm_status corm_block_next(corm_result *result, int64_t max_rows, corm_block *block, corm_error **out_error);

/* Whether the statement of a result, which need not have run yet, changes nothing: 1 or 0. */
corm_status corm_block_only_reads(corm_result *result, int64_t *out_reads, corm_error **out_error);

/*
 * corm_result_arrow, or corm_query_arrow where the result has a model. As long as no batch was taken, it can be
 * called again, for those who look at a schema first: then the former stream has no rows. CORM_E_MISUSE later.
 *
 * result borrowed; its rows are the stream's, which outlives it.
 * names  what the columns are called, copied; name_count 0: as above. Another count than that of the columns is
 *        CORM_E_MISUSE.
 */
corm_status corm_block_columns(corm_result *result, const char *const *names, size_t name_count,
                               struct ArrowArrayStream *out_stream, corm_error **out_error);

/* corm_result_json, with names as above for its keys; block gets the text. */
corm_status corm_block_json(corm_result *result, const char *const *names, size_t name_count, corm_block *block,
                            corm_error **out_error);

CORM_END_DECLS

#endif
