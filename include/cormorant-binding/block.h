/*
 * Private (cormorant-binding.h). Rows in blocks: many rows per call, in Python's marshal format, version 2 (Python/marshal.c
 * of CPython). What record.h and query.h are to C programs.
 *
 * Rows go in as a marshalled list or tuple of tuples and come out as a marshalled list of tuples (with the codes of
 * small tuples and short ASCII texts of version 4, which every marshal.loads since Python 3.4 reads; no references).
 * None, int, float, str, bytes and bool are taken; an int beyond 64 bits is CORM_E_RANGE, anything else CORM_E_TYPE.
 * With a model the tuples hold its columns in order; CORM_DATETIME is an int (microseconds since 1970 UTC), UUID,
 * decimal and JSON are str.
 */
#ifndef CORMORANT_BINDING_BLOCK_H
#define CORMORANT_BINDING_BLOCK_H

#include "../cormorant.h"

CORM_BEGIN_DECLS

/*
 * A buffer that grows. The caller may start it with memory of its own (owned false), which the library leaves behind
 * when it is too small; or with zeros. After use: corm_block_free. Threading: one thread at a time.
 */
typedef struct corm_block {
    void *data;
    size_t size;
    size_t capacity;
    bool owned;
} corm_block;

/* Frees the memory if the library made it, and zeroes the block. NULL is a no-op. */
void corm_block_free(corm_block *block);

/* What corm_block_write does with each row, besides CORM_WRITE_INSERT and CORM_WRITE_SAVE (json.h). */
#define CORM_WRITE_UPDATE 3
#define CORM_WRITE_DELETE 4

/*
 * Writes rows in one transaction, as the _many functions of record.h do; one row runs without a transaction of its own.
 *
 * properties INSERT, SAVE and DELETE: NULL. UPDATE: a list of those to write; NULL: all but the key.
 * columns    which columns of the model the rows have, all that are written and those of the key and the version; the rows are one list
 *            then, of the values of one after the other. NULL: each row is a tuple of all columns in order.
 * is_part    the thread has a transaction open that ends with more than these rows, and is rolled back when they fail: they have no
 *            savepoint, for which SQLite would keep a copy of each page that they change.
 * rows, size borrowed until return.
 * block      gets a list, one item per row. INSERT and SAVE: when the model has defaults or computed columns, the whole
 *            row as it is now; else the key if it is generated, else None; for an ignored row, False. UPDATE: when
 *            the model has computed columns or a version, the row as it is now, of properties these columns alone; else None. DELETE: True or False.
 *            NULL: nothing is made.
 * out_count  rows inserted, saved, updated or deleted; NULL accepted.
 *
 * Statuses: as record.h, and CORM_E_MISUSE for a block that cannot be read. Threading: any thread.
 */
corm_status corm_block_write(corm_database *database, const corm_model *model, int32_t operation, int32_t conflict,
                             const char *properties, const int32_t *columns, size_t column_count, bool is_part,
                             const void *rows, size_t size, corm_block *block, int64_t *out_count,
                             corm_error **out_error);

/*
 * corm_record_upsert of rows. block gets a list, one item per row, as corm_block_write says of INSERT; of a row that was there,
 * the whole row. out_count: with keep_row, how many were inserted, else how many rows there were; NULL accepted.
 */
corm_status corm_block_upsert(corm_database *database, const corm_model *model, const corm_upsert_options *options,
                              bool is_part, const void *rows, size_t size, corm_block *block, int64_t *out_count,
                              corm_error **out_error);

/*
 * Finds the row that has a row's values of a unique key, in one transaction with what the thread has open: what an upsert with
 * keep_row begins with, for who calls hooks before it inserts. on: as corm_upsert_options.on. rows: a list of one row. block
 * gets a list of the row that was found. CORM_OK or CORM_NOT_FOUND.
 */
corm_status corm_block_lookup(corm_database *database, const corm_model *model, const char *on, const void *rows,
                              size_t size, corm_block *block, corm_error **out_error);

/*
 * Finds a record by its key, a marshalled tuple. block gets one row tuple; NULL: only whether the row is there, of which
 * nothing is read. CORM_OK or CORM_NOT_FOUND.
 */
corm_status corm_block_find(corm_database *database, const corm_model *model, const void *key, size_t size,
                            corm_block *block, corm_error **out_error);

/*
 * Runs one statement for each set of bindings, as corm_database_execute does; more than one set runs in one
 * transaction.
 *
 * bindings   a marshalled list whose items are tuples (positions) or dicts (names); borrowed until return. NULL: one
 *            run without bindings.
 * is_part    as of corm_block_write.
 * out_changes rows changed by all runs; NULL accepted.
 */
corm_status corm_block_execute(corm_database *database, const char *sql, const void *bindings, size_t size,
                               bool is_part, int64_t *out_changes, corm_error **out_error);

/*
 * Whether a marshalled list holds only tuples of None, int, float, str and bool: marshal writes any object that has a
 * buffer, a number of numpy too, as bytes. False for a block that cannot be read. Threading: any thread.
 */
bool corm_block_is_plain(const void *rows, size_t size);

/*
 * Says that a model is of some rows of the table of another, which is made of that one: where models are synced before their
 * first use, it is, too. The last call counts. No reference is kept.
 */
corm_status corm_block_set_whole(const corm_model *part, const corm_model *whole, corm_error **out_error);

/*
 * Says that a foreign key of a model leads to another: where models are synced before their first use, that one is synced with
 * it, as those that relations lead to. No reference is kept.
 */
corm_status corm_block_refer(const corm_model *model, const corm_model *other, corm_error **out_error);

/*
 * The same of all foreign keys that name their table alone, each of which only counts where that is not there. The last call
 * counts.
 */
corm_status corm_block_refer_by_name(const corm_model *model, const corm_model *const *others, size_t count,
                                     corm_error **out_error);

/*
 * For bindings that tell a model's relations when they are first used: tell(context) adds those that can be told by now. It is
 * called on the calling thread wherever the model is about to be synced before its first use. The last call counts.
 */
corm_status corm_block_tell_relations(const corm_model *model, corm_release tell, void *context,
                                      corm_error **out_error);

/* corm_query_count with marshalled bindings. */
corm_status corm_block_count(corm_database *database, const corm_model *model, const char *sql, const void *bindings,
                             size_t size, int64_t *out_count, corm_error **out_error);

/* corm_query_max_key; block gets one value. CORM_OK or CORM_NOT_FOUND. */
corm_status corm_block_max_key(corm_database *database, const corm_model *model, corm_block *block,
                               corm_error **out_error);

/* Deletes the row with a key, a marshalled tuple: CORM_OK or CORM_NOT_FOUND. */
corm_status corm_block_delete_key(corm_database *database, const corm_model *model, const void *key, size_t size,
                                  corm_error **out_error);

CORM_END_DECLS

#endif
