/* Looking after a file: a copy while it is in use, and what keeps it small and fast. See corm_migration_restore for the
   way back from a copy. */
#ifndef CORMORANT_MAINTENANCE_H
#define CORMORANT_MAINTENANCE_H

#include "cipher.h"
#include "migration.h"

CORM_BEGIN_DECLS

/*
 * Writes a copy of the database, as it was last committed, to a file that is not there. Other threads, this handle and
 * other processes may read and write meanwhile. The copy is whole or not there, and needs no other file beside it.
 *
 * path     borrowed until return. Neither a URI, nor beside a -wal, -shm or -journal that another database left there,
 *          which SQLite would take for the copy's own.
 * cipher   what the copy is encrypted with; borrowed until return. NULL: what the database is, plain or with its key;
 *          corm_cipher_decrypt makes a copy of an encrypted file plain. With one, this handle is held up meanwhile.
 * progress called now and then, with pages copied and all there are; false cancels. NULL: nobody is told.
 *
 * Statuses: CORM_E_CANNOT_OPEN where something is at the path already or was left beside it, or cannot be made;
 * CORM_E_MISUSE for a URI; CORM_E_INTERRUPTED when cancelled; CORM_E_FULL; CORM_E_TRANSACTION inside a transaction for ":memory:" or with a cipher. Threading: any thread.
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

CORM_END_DECLS

#endif
