/* Key-value stores: values by key, in the same file and the same transactions as models. */
#ifndef CORMORANT_KEY_VALUE_H
#define CORMORANT_KEY_VALUE_H

#include "result.h"

CORM_BEGIN_DECLS

/*
 * A store of a database, by its name. It needs no making: it is there once something is put into it. A key is a text of
 * any length, also the empty one and one with NUL; keys are in the order of their bytes. A value is NULL, an integer, a
 * real, a text, a blob, or a text marked as JSON. docs/key-value.md says how the file holds them.
 *
 * Statuses of every call: CORM_E_SCHEMA when the file's table corm_key_value is another program's, CORM_E_ENCODING for a
 * key that is not UTF-8, CORM_E_READ_ONLY, CORM_E_BUSY, CORM_E_FULL. Threading: any thread. Calls are part of the
 * thread's transaction where it has one open. After corm_database_close they are CORM_E_MISUSE.
 */
typedef struct corm_store corm_store;

/* A key written as a literal: its bytes and its size, two arguments or the two members of a corm_text. */
#define CORM_KEY(literal) ("" literal ""), (sizeof(literal) - 1)

/* One entry. */
typedef struct corm_store_entry {
    uint32_t struct_size;
    corm_text key;
    corm_value value;
    /* Whether the value is a text of JSON. */
    bool is_json;
    /* When it stops being there, to the millisecond, and 0 is never. */
    corm_datetime expires;
    /* Another number after each write, for corm_store_compare_and_set; 0 stands for no entry. */
    int64_t version;
    /* When it was first and last put, to the millisecond. Of entries that come out. */
    corm_datetime created;
    corm_datetime updated;
    /* Of entries that go in, instead of `expires`: how many milliseconds it is there; 0: as `expires` says. What is below 0
       is CORM_E_RANGE. */
    int64_t expires_after;
} corm_store_entry;

#define CORM_STORE_ENTRY_INIT CORM_INIT_(corm_store_entry)

/* Which entries; a NULL text does not limit. Zero everywhere is all. Borrowed until return. */
typedef struct corm_store_range {
    uint32_t struct_size;
    /* The keys that begin with it. */
    corm_text prefix;
    /* The first key. */
    corm_text start;
    /* The key before which it ends. */
    corm_text end;
    /* The key after which it begins: the last one of the page before. */
    corm_text after;
    /* How many entries at most, of a scan; 0 is no limit. */
    int64_t limit;
} corm_store_range;

#define CORM_STORE_RANGE_INIT CORM_INIT_(corm_store_range)

/*
 * The store of a name, which is data: any UTF-8 text, compared by its bytes.
 *
 * name      copied.
 * out_store owned (corm_store_close).
 */
corm_status corm_store_open(corm_database *database, const char *name, corm_store **out_store, corm_error **out_error);

/* Frees a store; its entries stay. NULL and a second close are no-ops. */
void corm_store_close(corm_store *store);

/*
 * Reads an entry: CORM_OK, or CORM_NOT_FOUND when there is none, or none any more.
 *
 * key       borrowed until return.
 * arena     where the entry's bytes go, the key's too.
 * out_entry filled where found. NULL, and the arena NULL as well: only asks whether there is one.
 */
corm_status corm_store_get(corm_store *store, const char *key, size_t key_size, corm_arena *arena,
                           corm_store_entry *out_entry, corm_error **out_error);

/*
 * Writes an entry in place of what the key has: key, value, is_json and expires or expires_after. entry: borrowed until return.
 * Statuses: CORM_E_JSON for a value that is none and is marked so; CORM_E_RANGE for NaN.
 */
corm_status corm_store_put(corm_store *store, const corm_store_entry *entry, corm_error **out_error);

/* Writes entries in one transaction; an error has corm_error_info.record_index, and none is written. */
corm_status corm_store_put_many(corm_store *store, const corm_store_entry *entries, size_t count,
                                corm_error **out_error);

/*
 * Writes an entry where the store has it in entry->version: as it was read, or not at all for 0. CORM_OK, or
 * CORM_CHANGED when someone else wrote, deleted or added it first; then nothing is done.
 */
corm_status corm_store_compare_and_set(corm_store *store, const corm_store_entry *entry, corm_error **out_error);

/* Deletes an entry: CORM_OK, or CORM_NOT_FOUND when there was none. */
corm_status corm_store_delete(corm_store *store, const char *key, size_t key_size, corm_error **out_error);

/*
 * The entries of a range in the order of their keys, as a result with the columns key, value, json, created, updated,
 * expires (or NULL) and version; corm_store_next reads them as entries. It sees what was there when it began; a program
 * that lets others write meanwhile reads page by page, with limit and after.
 *
 * range      NULL: all. out_result owned (corm_result_close).
 */
corm_status corm_store_scan(corm_store *store, const corm_store_range *range, corm_result **out_result,
                            corm_error **out_error);

/* Goes to the next entry of a scan: CORM_ROW or CORM_DONE. out_entry's bytes are borrowed until the next call or close. */
corm_status corm_store_next(corm_result *scan, corm_store_entry *out_entry, corm_error **out_error);

/* How many entries a range has; NULL: all. */
corm_status corm_store_count(corm_store *store, const corm_store_range *range, int64_t *out_count,
                             corm_error **out_error);

/* Deletes the entries of a range; NULL: all. out_count: rows gone, expired ones among them; NULL accepted. */
corm_status corm_store_clear(corm_store *store, const corm_store_range *range, int64_t *out_count,
                             corm_error **out_error);

/* Deletes what has expired, which is never seen but takes room. out_count as in corm_store_clear. */
corm_status corm_store_purge(corm_store *store, int64_t *out_count, corm_error **out_error);

/*
 * Copies the entries of a table that YTKKeyValueStore made (columns id, json, createdTime). The table stays as it is, and
 * so do entries that the store has already: a second call copies what is new. out_count: how many were copied; NULL
 * accepted. Statuses: CORM_E_SCHEMA for a table that is not there or is none of its.
 */
corm_status corm_store_adopt(corm_store *store, const char *table, int64_t *out_count, corm_error **out_error);

CORM_END_DECLS

#endif
