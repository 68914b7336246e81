/* Looking after a file: a copy while it is in use, what keeps it small and fast, and what is left of a damaged one. See corm_migration_restore for the
   way back from a copy. */
#ifndef CORMORANT_MAINTENANCE_H
#define CORMORANT_MAINTENANCE_H

#include "cipher.h"
#include "migration.h"

CORM_BEGIN_DECLS

/*
 * Writes a copy of the database, as it was last committed, to a file that is not there. Other threads, this handle and
 * other processes may read and write meanwhile; without a write-ahead log, writes that have made the copy begin anew wait for
 * its end. The copy is whole or not there, and needs no other file beside it.
 *
 * path     borrowed until return. Neither a URI, nor beside a -wal, -shm or -journal that another database left there,
 *          which SQLite would take for the copy's own.
 * cipher   what the copy is encrypted with; borrowed until return. NULL: what the database is, plain or with its key;
 *          corm_cipher_decrypt makes a copy of an encrypted file plain. With one, this handle is held up meanwhile.
 * progress called now and then, with pages copied and all there are; false cancels. NULL: nobody is told.
 *
 * Statuses: CORM_E_CANNOT_OPEN where something is at the path already or was left beside it, or cannot be made;
 * CORM_E_BUSY where another one is writing to the path; CORM_E_MISUSE for a URI; CORM_E_INTERRUPTED when cancelled; CORM_E_FULL; CORM_E_TRANSACTION inside a transaction for ":memory:" or with a cipher. Threading: any thread.
 */
corm_status corm_database_backup(corm_database *database, const char *path, const corm_cipher_options *cipher,
                                 corm_progress_callback progress, void *context, corm_error **out_error);

/*
 * Writes the file anew without the room that deleted rows left, which takes as much free disk and holds writers up.
 * Statuses: CORM_E_TRANSACTION inside a transaction, CORM_E_BUSY with results open or others using the file, CORM_E_FULL.
 * Threading: any thread.
 */
corm_status corm_database_vacuum(corm_database *database, corm_error **out_error);

/*
 * Looks at tables whose rows have changed much, so that queries are planned well: for programs to call now and then, and
 * before closing. Takes milliseconds when there is little to do. Threading: any thread.
 */
corm_status corm_database_optimize(corm_database *database, corm_error **out_error);

/* How far a checkpoint goes. */
typedef int32_t corm_checkpoint;
#define CORM_CHECKPOINT_PASSIVE 0  /* as far as no reader or writer is in the way */
#define CORM_CHECKPOINT_FULL 1     /* waits for writers and readers of older states, and copies everything */
#define CORM_CHECKPOINT_RESTART 2  /* and waits until the next writer can begin the log anew */
#define CORM_CHECKPOINT_TRUNCATE 3 /* and makes the log an empty file */

/*
 * Copies pages from the write-ahead log into the file. SQLite does so by itself, as CORM_CHECKPOINT_PASSIVE, once the log
 * has 1,000 pages.
 *
 * out_log_pages    pages in the log; -1 for a file that has none. NULL accepted.
 * out_copied_pages of these, how many are in the file; -1 as above. NULL accepted.
 *
 * Statuses: CORM_E_BUSY when another connection stood in the way for longer than the busy timeout, CORM_E_TRANSACTION
 * inside a transaction. Threading: any thread.
 */
corm_status corm_database_checkpoint(corm_database *database, corm_checkpoint mode, int64_t *out_log_pages,
                                     int64_t *out_copied_pages, corm_error **out_error);

/* What was saved of a table of a damaged file. */
typedef struct corm_repaired_table {
    const char *name;
    /* Rows that stand in the new file. */
    int64_t rows;
    /*
     * Rows that were seen and are not in the new table: cut off, out of order, or refused by a constraint that they no longer
     * meet. What can be read of them is in the table lost_and_found.
     */
    int64_t lost_rows;
    /*
     * Pages that could not be read, were none of the table or no longer lead to all that they had: the rows on them are lost,
     * unless they were found elsewhere.
     */
    int64_t lost_pages;
    /* What could not be made again: the table itself, or one of its indexes, triggers or views; NULL: nothing. */
    const char *problem;
} corm_repaired_table;

/* Is told what was saved, table by table. table: borrowed until return. */
typedef void (*corm_repaired_callback)(const corm_repaired_table *table, void *context);

/* How to repair. Zero everywhere is the default everywhere. */
typedef struct corm_repair_options {
    uint32_t struct_size;
    /* Zero. */
    uint8_t reserved[4];
    /* What the file is encrypted with, and the new one will be; borrowed until return. NULL: a plain file. */
    const corm_cipher_options *cipher;
    /*
     * CREATE statements, for tables whose own cannot be read, such as the schema that a program keeps with its backups: what
     * `SELECT sql || ';' FROM sqlite_schema WHERE sql NOT NULL` gave. Those that the file has come first. NULL: those of the copy
     * that corm_open_options.keep_schema left beside the file, if there is one.
     */
    const char *schema;
    /* Called now and then, with the pages looked at and all there are; false cancels. NULL: nobody is told. */
    corm_progress_callback progress;
    /* Called for each table of the new file at the end. NULL: nobody is told. */
    corm_repaired_callback repaired;
    /* Handed through to both. */
    void *context;
} corm_repair_options;

#define CORM_REPAIR_OPTIONS_INIT CORM_INIT_(corm_repair_options)

/*
 * Writes a new file of what can be read of a damaged one, page by page and past SQLite. The damaged file stays as it is, and
 * its write-ahead log or rollback journal counts. Rows are of the table whose tree leads to their page; where that is broken,
 * of the one table that lacks rows of their shape there, if none can be lost with the schema; else they are in a table
 * lost_and_found, with the number of their page (page), their rowid (id) and their values (c0, c1, ...). Where page 1 is lost,
 * so is the list of free pages: rows that were deleted may come back then. Encrypted, a page is read when its authentication
 * says that it is what was written.
 *
 * path                 copied. Nobody should use the file meanwhile: CORM_E_BUSY where somebody wrote to it.
 * new_path             copied; nothing may be there.
 * options              borrowed until return; NULL: all defaults.
 * out_unreadable_pages pages of the file that cannot be read, are cut off, or are none where others lead to one, and one more
 *                      where its write-ahead log has transactions behind a page that was altered; NULL accepted.
 * out_found_rows       rows in lost_and_found; NULL accepted.
 *
 * Statuses: CORM_E_CANNOT_OPEN for a file that is not there, and where something is at the new path or was left beside it;
 * CORM_E_NOT_A_DATABASE for an empty file; CORM_E_WRONG_KEY when the key opens no page; CORM_E_BUSY, CORM_E_FULL, CORM_E_CIPHER;
 * CORM_E_INTERRUPTED when cancelled. Threading: any thread.
 */
corm_status corm_database_repair(const char *path, const char *new_path, const corm_repair_options *options,
                                 int64_t *out_unreadable_pages, int64_t *out_found_rows, corm_error **out_error);

CORM_END_DECLS

#endif
