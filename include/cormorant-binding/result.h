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
                            size_t size, const char *const *order_by, size_t order_by_count, int64_t limit,
                            int64_t offset, corm_result **out_result, corm_error **out_error);

/* Puts up to max_rows rows into the block: CORM_ROW, or CORM_DONE when there were none left. */
corm_status corm_block_next(corm_result *result, int64_t max_rows, corm_block *block, corm_error **out_error);

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
