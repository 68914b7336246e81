/* Records: C structs that are inserted, saved, updated, deleted and found. */
#ifndef CORMORANT_RECORD_H
#define CORMORANT_RECORD_H

#include "model.h"

CORM_BEGIN_DECLS

/*
 * Common to all functions here.
 *
 * record    a struct of the model's record_size. Its texts are borrowed until return. What the database makes comes
 *           back into it: the generated key, defaults, computed columns. They stay in it when the transaction is rolled
 *           back later: the caller clears the key before the record is inserted anew.
 * arena     where texts that come back live, borrowed until return. NULL is refused (CORM_E_MISUSE, naming the column) where
 *           a text or blob would come back: in a write where it is computed, the model's discriminator, or NULL with a default; in an upsert and in
 *           what reads records wherever the model has one.
 * Statuses: CORM_E_MISUSE (bad handle, model with record_size 0), CORM_E_SCHEMA (no such table or column; call
 *           corm_model_create_tables), the constraint statuses with table, columns and constraint, CORM_E_STALE_RECORD
 *           with table and key columns where the model has a version, CORM_E_RANGE
 *           (also the key 0 for a key that is a plain integer, where 0 is no key yet), CORM_E_ENCODING and CORM_E_CALLBACK naming the column, CORM_E_BUSY, CORM_E_READ_ONLY.
 * Threading: any thread; a call waits for another thread's transaction to end.
 */

/* What an insert does when a UNIQUE, NOT NULL or key constraint refuses it (https://www.sqlite.org/lang_conflict.html). */
typedef int32_t corm_conflict;
#define CORM_CONFLICT_ABORT 0    /* error; the statement is undone */
#define CORM_CONFLICT_IGNORE 1   /* the row is skipped: CORM_IGNORED */
#define CORM_CONFLICT_REPLACE 2  /* rows in the way are deleted */
#define CORM_CONFLICT_FAIL 3     /* error; what the statement did before stays */
#define CORM_CONFLICT_ROLLBACK 4 /* error; the whole transaction is rolled back */

/* Inserts a record. Statuses also: CORM_IGNORED, also when a trigger skips the row. */
corm_status corm_record_insert(corm_database *database, const corm_model *model, void *record, corm_conflict conflict,
                               corm_arena *arena, corm_error **out_error);

/*
 * Inserts the record or, when its primary key is there, updates that row, in one statement. Without a key value a
 * generated key is filled in. Another UNIQUE constraint in the way is an error, and so is a trigger that skips the row
 * (CORM_E_CONSTRAINT).
 */
corm_status corm_record_save(corm_database *database, const corm_model *model, void *record, corm_arena *arena,
                             corm_error **out_error);

/* What corm_record_upsert takes for the same row, and what that keeps. Zero everywhere is what corm_record_save_many does. */
typedef struct corm_upsert_options {
    uint32_t struct_size;
    /*
     * Whether a row that is there stays as it is, whole: it is read into the record, which then needs an arena where it has
     * texts or blobs.
     */
    bool keep_row CORM_ZERO;
    /* Properties that are unique together, as a list (value.h), borrowed until return. NULL: the primary key. */
    const char *on CORM_ZERO;
    /* Properties that a row which is there keeps, as a list, borrowed until return; its primary key it keeps anyway. */
    const char *keep CORM_ZERO;
} corm_upsert_options;

#define CORM_UPSERT_OPTIONS_INIT CORM_INIT_(corm_upsert_options)
/* CORM_UPSERT(.on = "email", .keep = "created_at"): a pointer to options. */
#define CORM_UPSERT(...) CORM_STRUCT_(corm_upsert_options, __VA_ARGS__)

/*
 * Inserts records or, where a row has the same values of a unique key, updates that row, each in one statement. The row as it
 * then is comes back into the record: its primary key, what it kept, what the database made. NULL in the key is the same as
 * no other, so that the record is inserted. With keep_row it is looked for and, where it is missing, inserted, in one
 * transaction: of those that do it at once for one key, one inserts.
 *
 * records      `count` structs side by side; more than one are a batch, as below.
 * options      borrowed until return; NULL: all zero.
 * out_inserted with keep_row, how many were inserted; else 0. NULL accepted.
 * Statuses also: CORM_E_MISUSE for properties that the model does not make unique, CORM_E_UNIQUE where the record has the
 * values of another unique key that another row has, CORM_E_CONSTRAINT when a trigger skips a row.
 */
corm_status corm_record_upsert(corm_database *database, const corm_model *model, void *records, size_t count,
                               const corm_upsert_options *options, corm_arena *arena, int64_t *out_inserted,
                               corm_error **out_error);

/*
 * Writes the record's fields to the row with its key. Of properties, only what the database fills in comes back: computed
 * columns and the version; the other fields stay as they are, written or not.
 *
 * properties a list of those to write (value.h), borrowed until return; NULL: all but the key. An empty text is a list of none:
 *            nothing is run, no hooks are called, CORM_IGNORED.
 * Statuses also: CORM_E_NO_RECORD when no row has that key, CORM_E_MISUSE for an unknown property.
 */
corm_status corm_record_update(corm_database *database, const corm_model *model, void *record, const char *properties,
                               corm_arena *arena, corm_error **out_error);

/*
 * What changed in a record: the properties that differ from those of another record of the model, mostly a copy of what was
 * fetched, by the values that the file would hold of them. What the database fills in by each write is not among them: computed
 * columns, the version, the time of the update. A field that is a pointer is compared by what it points to, so that what a copy
 * of the struct points to must not be written over.
 *
 * record, since  borrowed until return.
 * out_properties a list (value.h) that corm_record_update takes, a text of the arena; NULL where none differs.
 * Statuses also: CORM_IGNORED where none differs. Threading: any thread.
 */
corm_status corm_record_changes(const corm_model *model, const void *record, const void *since, corm_arena *arena,
                                const char **out_properties, corm_error **out_error);

/*
 * corm_record_update of what corm_record_changes gives. Statuses also: CORM_IGNORED where none differs: nothing is run;
 * CORM_E_MISUSE where the key does.
 */
corm_status corm_record_update_changes(corm_database *database, const corm_model *model, void *record,
                                       const void *since, corm_arena *arena, corm_error **out_error);

/* Deletes the row with the record's key: CORM_OK, or CORM_NOT_FOUND when there is none. */
corm_status corm_record_delete(corm_database *database, const corm_model *model, const void *record,
                               corm_error **out_error);

/* Reads the record anew by its key. Statuses also: CORM_E_NO_RECORD. */
corm_status corm_record_refresh(corm_database *database, const corm_model *model, void *record, corm_arena *arena,
                                corm_error **out_error);

/*
 * Finds a record by its primary key: CORM_OK and the record is filled, or CORM_NOT_FOUND and it is left alone.
 *
 * key values in the order of the key's columns, borrowed until return: CORM_VALUES(corm_value_int64(42)).
 */
corm_status corm_record_find(corm_database *database, const corm_model *model, const corm_value *key, size_t key_count,
                             void *record, corm_arena *arena, corm_error **out_error);

/* Whether a row has this primary key: CORM_OK or CORM_NOT_FOUND. */
corm_status corm_record_exists(corm_database *database, const corm_model *model, const corm_value *key,
                               size_t key_count, corm_error **out_error);

/* Deletes the row with this primary key: CORM_OK or CORM_NOT_FOUND. */
corm_status corm_record_delete_key(corm_database *database, const corm_model *model, const corm_value *key,
                                   size_t key_count, corm_error **out_error);

/*
 * Batches: `count` records side by side in one transaction (a savepoint inside another). The first error stops and
 * rolls back the whole batch; corm_error_info.record_index says which record it was. Generated keys are filled in, and taken
 * back when the batch is rolled back.
 */

/* Inserts the records. out_count: how many went in (fewer than count only with IGNORE); NULL accepted. */
corm_status corm_record_insert_many(corm_database *database, const corm_model *model, void *records, size_t count,
                                    corm_conflict conflict, corm_arena *arena, int64_t *out_count,
                                    corm_error **out_error);

/* Saves the records as corm_record_save does. */
corm_status corm_record_save_many(corm_database *database, const corm_model *model, void *records, size_t count,
                                  corm_arena *arena, corm_error **out_error);

/* Updates the records as corm_record_update does; one that is not in the table fails the batch. */
corm_status corm_record_update_many(corm_database *database, const corm_model *model, void *records, size_t count,
                                    const char *properties, corm_arena *arena, corm_error **out_error);

/* Deletes the rows with the records' keys. out_count: how many there were; NULL accepted. */
corm_status corm_record_delete_many(corm_database *database, const corm_model *model, const void *records, size_t count,
                                    int64_t *out_count, corm_error **out_error);

CORM_END_DECLS

#endif
