/* Transactions; nested ones are savepoints. */
#ifndef CORMORANT_TRANSACTION_H
#define CORMORANT_TRANSACTION_H

#include "database.h"

CORM_BEGIN_DECLS

/* How the outermost transaction begins (https://www.sqlite.org/lang_transaction.html). */
typedef int32_t corm_transaction_kind;
#define CORM_TRANSACTION_IMMEDIATE 0 /* takes the write lock at once; a read-only handle begins DEFERRED */
#define CORM_TRANSACTION_DEFERRED 1  /* one snapshot for several reads */
#define CORM_TRANSACTION_EXCLUSIVE 2
#define CORM_TRANSACTION_READ 3 /* one snapshot for several reads, beside which other threads write; see below */

/*
 * Begins a transaction or, inside one, a savepoint (then `kind` is of no effect). It belongs to this thread: writes of
 * other threads wait until it ends. SQL may not end it, or begin one in it: BEGIN, COMMIT, END, ROLLBACK, SAVEPOINT and
 * RELEASE give CORM_E_TRANSACTION until it has ended.
 *
 * One of kind CORM_TRANSACTION_READ sees the database as it was when it began, whoever writes meanwhile. Writing in it, or
 * beginning one of another kind in it, gives CORM_E_TRANSACTION. Committing and rolling it back are the same.
 *
 * Statuses: CORM_E_BUSY after the busy timeout, CORM_E_TRANSACTION. Threading: the thread that will commit or roll back.
 */
corm_status corm_transaction_begin(corm_database *database, corm_transaction_kind kind, corm_error **out_error);

/*
 * Commits the innermost transaction or releases the innermost savepoint. When it fails, with CORM_E_BUSY or a deferred
 * foreign key, the transaction stays open.
 *
 * Statuses: CORM_E_TRANSACTION when this thread has none open or SQLite has rolled it back.
 */
corm_status corm_transaction_commit(corm_database *database, corm_error **out_error);

/* Rolls back the innermost transaction or savepoint. Statuses: CORM_E_TRANSACTION when none is open here. */
corm_status corm_transaction_rollback(corm_database *database, corm_error **out_error);

/*
 * Which task runs on the calling thread, for programs whose tasks take turns on one: any number but 0, which no other task
 * has as long as the transaction is open; 0: none. Called inside of calls on the thread that opened the transaction; it
 * must not call the library.
 */
typedef int64_t (*corm_task_callback)(void *context);

/*
 * Begins as corm_transaction_begin does, for code that cannot see that transactions end in their order and place, such as
 * guards, generators and tasks: it gives the transaction's number, by which corm_transaction_close ends this one or none.
 *
 * task             static; NULL, or what gives 0 now: it belongs to the thread alone. Else to the task, too: while it is
 *                  open, calls of other tasks on this thread give CORM_E_TRANSACTION.
 * context          borrowed until the transaction is closed.
 * out_transaction  its number, above 0, which is never another's.
 *
 * Statuses: CORM_E_BUSY after the busy timeout, CORM_E_TRANSACTION. Threading: the thread that will close it.
 */
corm_status corm_transaction_open(corm_database *database, corm_transaction_kind kind, corm_task_callback task,
                                  void *context, int64_t *out_transaction, corm_error **out_error);

/*
 * Commits, or else rolls back, what corm_transaction_open began. When it is not the innermost one, or another task or
 * thread began it, all is rolled back that is open with it, and it is closed: CORM_E_TRANSACTION. Others that were open with
 * it on its thread are still to be closed, which for a commit gives that status, too, as calls do until then. When it
 * fails otherwise, with CORM_E_BUSY or a deferred foreign key, the transaction stays open. A child of the process that opened it
 * ends nothing: for a commit CORM_E_MISUSE, else it only forgets it.
 *
 * Statuses: CORM_E_TRANSACTION also when it is not open, CORM_E_BUSY when the thread that began it is inside of a call for
 * longer than the busy timeout. Threading: the thread that opened it; it waits for that thread's call on any other.
 */
corm_status corm_transaction_close(corm_database *database, int64_t transaction, bool commit, corm_error **out_error);

/* How many transactions and savepoints this thread has open; 0 for none or a bad handle. */
size_t corm_transaction_depth(corm_database *database);

CORM_END_DECLS

#endif
