/* Transactions; nested ones are savepoints. */
#ifndef CORMORANT_TRANSACTION_H
#define CORMORANT_TRANSACTION_H

#include "database.h"

CORM_BEGIN_DECLS

/* How the outermost transaction begins (https://www.sqlite.org/lang_transaction.html). */
#define CORM_TRANSACTION_IMMEDIATE 0 /* takes the write lock at once; a read-only handle begins DEFERRED */
#define CORM_TRANSACTION_DEFERRED 1  /* one snapshot for several reads */
#define CORM_TRANSACTION_EXCLUSIVE 2
#define CORM_TRANSACTION_READ 3 /* one snapshot for several reads, beside which other threads write; see below */

/*
 * Begins a transaction or, inside one, a savepoint (then `kind` is of no effect). It belongs to this thread: writes of
 * other threads wait until it ends.
 *
 * One of kind CORM_TRANSACTION_READ sees the database as it was when it began, whoever writes meanwhile. Writing in it, or
 * beginning one of another kind in it, gives CORM_E_TRANSACTION. Committing and rolling it back are the same.
 *
 * Statuses: CORM_E_BUSY after the busy timeout, CORM_E_TRANSACTION. Threading: the thread that will commit or roll back.
 * Since 0.1.
 */
corm_status corm_transaction_begin(corm_database *database, int32_t kind, corm_error **out_error);

/*
 * Commits the innermost transaction or releases the innermost savepoint. When it fails, with CORM_E_BUSY or a deferred
 * foreign key, the transaction stays open.
 *
 * Statuses: CORM_E_TRANSACTION when this thread has none open or SQLite has rolled it back. Since 0.1.
 */
corm_status corm_transaction_commit(corm_database *database, corm_error **out_error);

/* Rolls back the innermost transaction or savepoint. Statuses: CORM_E_TRANSACTION when none is open here. Since 0.1. */
corm_status corm_transaction_rollback(corm_database *database, corm_error **out_error);

/* How many transactions and savepoints this thread has open; 0 for none or a bad handle. Since 0.1. */
int32_t corm_transaction_depth(corm_database *database);

CORM_END_DECLS

#endif
