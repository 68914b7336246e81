/* Private (cormorant-binding.h). Observers and their events in blocks (block.h). */
#ifndef CORMORANT_BINDING_OBSERVATION_H
#define CORMORANT_BINDING_OBSERVATION_H

#include "block.h"

CORM_BEGIN_DECLS

/*
 * corm_block_observe: bindings holds the values of options->key or options->query, marshalled as for corm_block_open
 * or, with a statement, corm_tree_open.
 * corm_block_event: a tuple of whether it is foreign, the changes and the rows, or None where it is no live query's. A
 * change is a tuple of kind, table, rowid, a tuple of the key, tuples of the old and new values or None, and position.
 * Values are those of the model where there is one, else the file's.
 */
corm_status corm_block_observe(corm_database *database, const corm_observe_options *options, const void *bindings,
                               size_t size, corm_observer **out_observer, corm_error **out_error);
corm_status corm_block_event(corm_event *event, corm_block *block, corm_error **out_error);

CORM_END_DECLS

#endif
