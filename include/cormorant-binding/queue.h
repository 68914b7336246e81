/* Private (cormorant-binding.h). Parts of batches: of blocks (block.h), and functions of the binding. */
#ifndef CORMORANT_BINDING_QUEUE_H
#define CORMORANT_BINDING_QUEUE_H

#include "block.h"

CORM_BEGIN_DECLS

/* corm_batch_execute with values as a marshalled tuple or dict, and one record as a list of one row, as corm_block_write takes
   it. All is copied. */
corm_status corm_block_batch_execute(corm_batch *batch, const char *sql, const void *bindings, size_t size,
                                     corm_error **out_error);
corm_status corm_block_batch_write(corm_batch *batch, const corm_model *model, int32_t operation, int32_t conflict,
                                   const char *properties, const void *rows, size_t size, corm_error **out_error);

/*
 * A part of a batch that the binding writes itself, such as a record with hooks: on the queue's thread, in the batch's savepoint. It
 * sets how many rows it has written, and the key that was made or 0. Below zero the part has failed, as a corm_queue_body does.
 */
typedef corm_status (*corm_block_part)(void *context, int64_t *out_changes, int64_t *out_key, corm_error **out_error);

/* Adds one. It may be called several times, as the body of a queue. release: called once with the context, when it will not be. */
corm_status corm_block_batch_add(corm_batch *batch, corm_block_part part, void *context, corm_release release,
                                 corm_error **out_error);

CORM_END_DECLS

#endif
