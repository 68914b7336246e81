/* Private (cormorant-binding.h). Entries of stores in blocks (block.h). */
#ifndef CORMORANT_BINDING_KEY_VALUE_H
#define CORMORANT_BINDING_KEY_VALUE_H

#include "block.h"

CORM_BEGIN_DECLS

/*
 * corm_block_store_get: a tuple of value, json, created, updated, expires (or None) and version, or CORM_NOT_FOUND.
 * corm_block_store_put: rows is a marshalled list of tuples of key, json, expires (or None), version (None: whatever is
 * there) and value; out_count: how many were written. Several rows are one transaction.
 * corm_block_store_expiry: the time that lies so many milliseconds ahead, as the rows have it. CORM_E_RANGE below 1.
 */
corm_status corm_block_store_get(corm_store *store, const char *key, size_t key_size, corm_block *block,
                                 corm_error **out_error);
corm_status corm_block_store_put(corm_store *store, const void *rows, size_t size, int64_t *out_count,
                                 corm_error **out_error);
corm_status corm_block_store_expiry(int64_t milliseconds, int64_t *out_expires, corm_error **out_error);

CORM_END_DECLS

#endif
