/* Private (cormorant-binding.h). JSON to blocks and back (block.h), also with related records. */
#ifndef CORMORANT_BINDING_JSON_H
#define CORMORANT_BINDING_JSON_H

#include "block.h"

CORM_BEGIN_DECLS

/*
 * corm_json_reader_fetch into a block: a list of levels, the records first, then their related ones. A level is a tuple:
 * the index of the level above (None: the records), the relation, a flat tuple (position above, how many, ...; of the
 * records the number of the first, where they are elements), the rows as bytes that hold a marshalled list, and a flat
 * tuple (row, column, ...) of what was missing and is json_optional.
 */
corm_status corm_block_read_json(corm_json_reader *reader, size_t max_records, corm_block *block,
                                 corm_error **out_error);

/*
 * corm_json_write of a block: a list of levels as those, but for what each has of rows: a list of tuples (model, rows), one
 * for each model whose records lie there, and a list that says, in the order of their owners, of which of them each
 * record is; it is empty where there is one. block: gets one text.
 */
corm_status corm_block_write_json(const void *levels, size_t size, const corm_json_options *options, corm_block *block,
                                  corm_error **out_error);

CORM_END_DECLS

#endif
