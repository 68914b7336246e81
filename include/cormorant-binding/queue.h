/* Private (cormorant-binding.h). Parts of batches from blocks (block.h). */
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

CORM_END_DECLS

#endif
