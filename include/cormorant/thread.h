/* Cancelling what one thread does, for time limits and tasks; corm_database_interrupt is for all threads at once. */
#ifndef CORMORANT_THREAD_H
#define CORMORANT_THREAD_H

#include "database.h"

CORM_BEGIN_DECLS

/* The calling thread's number, above 0, which is never another's. Threading: any thread. */
int64_t corm_thread_id(void);

/*
 * Cancels a thread: the call that it is inside of on this database returns CORM_E_INTERRUPTED, waiting for its turn
 * included, and so does each that it makes on any database until it calls corm_thread_resume; but it may end transactions
 * and close what it has open. It does not wait. A bad handle or a thread that has ended: no-op.
 *
 * thread   what corm_thread_id gave on it.
 *
 * Threading: any thread.
 */
void corm_thread_cancel(corm_database *database, int64_t thread);

/* The calling thread is no longer cancelled. Not cancelled: no-op. Threading: any thread. */
void corm_thread_resume(void);

CORM_END_DECLS

#endif
