/* Rows that are found by key, kept in memory: off by default. */
#ifndef CORMORANT_CACHE_H
#define CORMORANT_CACHE_H

#include "database.h"
#include "model.h"

CORM_BEGIN_DECLS

/* What the cache of a model did, and what it holds. */
typedef struct corm_cache_statistics {
    uint32_t struct_size;
    /* Zero. */
    uint32_t reserved;
    /* Finds that it answered, and those that went to the file. */
    int64_t hits;
    int64_t misses;
    /* Rows, and about how much memory they take. */
    int64_t count;
    int64_t bytes;
} corm_cache_statistics;

#define CORM_CACHE_STATISTICS_INIT CORM_INIT_(corm_cache_statistics)

/*
 * Keeps rows of a model that are found by key (corm_record_find), so that finding them again reads no file; the least
 * recently used go first. A row is never older than what a read would give: what changes through this database goes at
 * once, whatever changes it, and all of it when another connection commits. Inside a transaction, while a result or cursor
 * is open, and beside a thread that writes, finds read the file and count as neither hit nor miss. Called again: begins
 * anew, with counters of 0. On a server, which must have an outbox (outbox=install in the URL), what others commit is seen
 * when the outbox is next read: every `poll` milliseconds, or at once with notify=on.
 *
 * max_count, max_bytes  how many rows and how much memory at most; 0 for both: no cache.
 *
 * Statuses: CORM_E_MISUSE for one limit of 0, a virtual table, or a key that is not the table's primary key; CORM_E_SCHEMA
 * when the table is not there, or a server has no outbox; CORM_E_UNSUPPORTED for tables of a server whose changes are not
 * all told; CORM_E_TRANSACTION inside a transaction with a server; CORM_E_SQLITE when SQLite was built without
 * SQLITE_ENABLE_PREUPDATE_HOOK. Threading: any thread.
 */
corm_status corm_database_set_cache(corm_database *database, const corm_model *model, int64_t max_count,
                                    int64_t max_bytes, corm_error **out_error);

/* What the cache of a model did since it was set; all 0 without one. out_statistics: its struct_size set. */
corm_status corm_database_cache_statistics(corm_database *database, const corm_model *model,
                                           corm_cache_statistics *out_statistics, corm_error **out_error);

CORM_END_DECLS

#endif
