/* Private (cormorant-binding.h). Running statements read in blocks (block.h), or given out as columns and as JSON. */
#ifndef CORMORANT_BINDING_CURSOR_H
#define CORMORANT_BINDING_CURSOR_H

#include "block.h"

CORM_BEGIN_DECLS

/*
 * A running statement read in blocks. Threading: one thread at a time; calls, close included, wait for another thread's
 * transaction to end. Closed with its database at the latest.
 */
typedef struct corm_block_cursor corm_block_cursor;

/*
 * Opens a cursor over rows.
 *
 * model      NULL: sql alone gives the rows, any columns. Else rows hold the model's columns in order.
 * sql        NULL: the model's records, with bindings (a dict) as attributes that must be equal.
 * bindings   a marshalled tuple or dict; NULL: none. Borrowed until return.
 * order_by   as in corm_query, as are limit and offset.
 * out_cursor owned (corm_block_cursor_close).
 */
corm_status corm_block_cursor_open(corm_database *database, const corm_model *model, const char *sql,
                                   const void *bindings, size_t size, const char *const *order_by,
                                   size_t order_by_count, int64_t limit, int64_t offset, corm_block_cursor **out_cursor,
                                   corm_error **out_error);

/* Puts up to max_rows rows into the block: CORM_ROW, or CORM_DONE when there were none left. */
corm_status corm_block_cursor_next(corm_block_cursor *cursor, int64_t max_rows, corm_block *block,
                                   corm_error **out_error);

/* How many columns a row has; 0 for a bad handle. */
int32_t corm_block_cursor_column_count(corm_block_cursor *cursor);
/* A column's name; NULL out of range. Returns: borrowed until close. */
const char *corm_block_cursor_column_name(corm_block_cursor *cursor, int32_t column);
/* Ends the cursor. NULL and a second close are no-ops. */
void corm_block_cursor_close(corm_block_cursor *cursor);

/*
 * corm_result_columns of a block cursor, or corm_query_columns where it has a model. As long as no batch was taken, it can be
 * called again, for those who look at a schema first: then the former stream has no rows. CORM_E_MISUSE later.
 *
 * cursor borrowed; its rows are the stream's, which outlives it.
 * names  what the columns are called, copied; name_count 0: as above. Another count than that of the columns is
 *        CORM_E_MISUSE.
 */
corm_status corm_block_cursor_columns(corm_block_cursor *cursor, const char *const *names, size_t name_count,
                                      struct ArrowArrayStream *out_stream, corm_error **out_error);

/* corm_result_json of a block cursor, with names as above for its keys; block gets the text. */
corm_status corm_block_cursor_json(corm_block_cursor *cursor, const char *const *names, size_t name_count,
                                   corm_block *block, corm_error **out_error);

CORM_END_DECLS

#endif
