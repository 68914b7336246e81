/* Write queues: writes of any thread that are ordered and grouped, so that they share a commit. */
#ifndef CORMORANT_QUEUE_H
#define CORMORANT_QUEUE_H

#include "database.h"
#include "model.h"
#include "record.h"

CORM_BEGIN_DECLS

/*
 * A queue of writes with a thread of its own, which begins with the first write. Writes run in the order in which they were
 * added, by whatever thread. The thread takes what waits, and what comes while it is at it (256 writes, 100 ms), into one
 * transaction, each write in a savepoint, and commits once: only then is each told how it ended. One that fails is rolled
 * back alone and gets its own error. When the commit fails, each write of the group gets that error, nothing of it is there,
 * and the queue goes on. A write that was told CORM_OK is committed and survives the process; with CORM_SYNCHRONOUS_FULL it
 * survives a loss of power, too, which with the default, NORMAL, may take the last commits. Bodies of the
 * queue of a handle that only reads (CORM_OPEN_READ_ONLY) read; in WAL mode and on PostgreSQL they keep no writer waiting, with
 * other journals a write beside them waits, as for any reader. A body sees what was committed before it was added: where others
 * commit meanwhile, for such a handle and on PostgreSQL, a transaction takes only what waits when it begins. Threading: any thread.
 */
typedef struct corm_queue corm_queue;

/* SQL and records that are one write, from corm_batch_create to corm_batch_free. Threading: any thread. */
typedef struct corm_batch corm_batch;

/* How a write ended. */
typedef struct corm_completion corm_completion;

/* Who is told how writes end, from corm_listener_open to corm_listener_close. Threading: any thread. */
typedef struct corm_listener corm_listener;

typedef struct corm_queue_options {
    uint32_t struct_size;
    /* How many writes wait at most; 0: 1,024. */
    uint32_t capacity;
} corm_queue_options;

#define CORM_QUEUE_OPTIONS_INIT CORM_INIT_(corm_queue_options)

/*
 * A write: runs on the queue's thread, in a savepoint, with the queue's database. Below zero it is rolled back, and told with
 * that status or with *out_error, which it may have from a call and gives away (owned). It can end no transaction but those
 * that it begins. Where another write of its group had the whole transaction rolled back (ON CONFLICT ROLLBACK, a full disk,
 * a deferred constraint), it is called once more: let it do nothing that cannot be repeated.
 */
typedef corm_status (*corm_queue_body)(corm_database *database, void *context, corm_error **out_error);

/*
 * Is told how a write ended, on the queue's thread, when no lock is held. The completion is borrowed until it returns. It may
 * use the database and add to queues; the queue's other writes wait meanwhile, so it hands long work to another thread.
 */
typedef void (*corm_queue_callback)(corm_completion *completion, void *context);

/* How a write is added. */
typedef struct corm_write_options {
    uint32_t struct_size;
    /* Milliseconds that a full queue makes it wait for room. 0: as long as the database's. Negative: do not wait. */
    int32_t busy_timeout CORM_ZERO;
    /* Comes back with the completion. Copied; NULL: none. */
    const char *tag CORM_ZERO;
    /* Called once, unless the write was cancelled; NULL: only listeners are told. */
    corm_queue_callback callback CORM_ZERO;
    /* Handed to the callback; must live until it was called, or the write was cancelled. */
    void *context CORM_ZERO;
} corm_write_options;

#define CORM_WRITE_OPTIONS_INIT CORM_INIT_(corm_write_options)
/* CORM_WRITE(.busy_timeout = -1): a pointer to options. */
#define CORM_WRITE(...) CORM_STRUCT_(corm_write_options, __VA_ARGS__)

/* Makes a queue. options: borrowed until return; NULL: defaults. out_queue: owned (corm_queue_close). */
corm_status corm_queue_open(corm_database *database, const corm_queue_options *options, corm_queue **out_queue,
                            corm_error **out_error);

/*
 * Runs what waits, and frees the queue; listeners get no more. NULL is a no-op; a second close gives CORM_E_MISUSE. It is
 * refused, and the queue stays open, on the queue's own thread (CORM_E_MISUSE), and while writes wait for a transaction of
 * this thread (CORM_E_TRANSACTION). corm_database_close closes a database's queues first, with the same errors; their handles
 * are freed by this call all the same. In the child of a fork it only frees the handle.
 */
corm_status corm_queue_close(corm_queue *queue, corm_error **out_error);

/*
 * Adds a write and returns. A full queue makes it wait for room, up to the busy timeout, and then gives CORM_E_BUSY; on the
 * queue's own thread, which makes the room, it gives that at once.
 *
 * context    handed to the body; must live until the write has ended or was cancelled.
 * options    borrowed until return; NULL: defaults.
 * out_number the write's number in the queue, from 1; NULL accepted.
 *
 * Statuses: CORM_E_BUSY, CORM_E_INTERRUPTED (corm_thread_cancel), CORM_E_TRANSACTION when it is full and waits for a
 * transaction of this thread, CORM_E_MISUSE for a queue that is closed, and in the child of a fork.
 */
corm_status corm_queue_add(corm_queue *queue, corm_queue_body body, void *context, const corm_write_options *options,
                           int64_t *out_number, corm_error **out_error);

/*
 * Adds a write and waits until it has ended: CORM_OK when it is committed, or else its error. A thread that is cancelled
 * takes it back if it has not begun; then, and where corm_queue_cancel took it back, it gives CORM_E_INTERRUPTED.
 * CORM_E_MISUSE on the queue's own thread, CORM_E_TRANSACTION inside a transaction: it would wait for itself. Otherwise as
 * corm_queue_add.
 */
corm_status corm_queue_perform(corm_queue *queue, corm_queue_body body, void *context, corm_error **out_error);

/* Takes a write back, of which nobody is told then but corm_queue_perform, which gives CORM_E_INTERRUPTED: CORM_OK;
   CORM_NOT_FOUND when it has begun or ended. */
corm_status corm_queue_cancel(corm_queue *queue, int64_t number, corm_error **out_error);

/* Waits until all that was added before has been told. Statuses as corm_queue_perform. */
corm_status corm_queue_flush(corm_queue *queue, corm_error **out_error);

/* How many writes wait; 0 for a bad handle. */
size_t corm_queue_count(corm_queue *queue);

/* Batches -------------------------------------------------------------------------------------------------------- */

/* What becomes of a batch when a part of it fails. */
typedef int32_t corm_batch_policy;
#define CORM_BATCH_ROLLBACK 0 /* nothing of it stays: it ends with that error, which has the part's number */
#define CORM_BATCH_CONTINUE 1 /* the others stay: each part has its own result */

/* Begins a batch, which is empty. out_batch: owned (corm_batch_free). */
corm_status corm_batch_create(corm_queue *queue, corm_batch **out_batch, corm_error **out_error);

/* Frees a batch; what was committed is the queue's. NULL is a no-op. */
void corm_batch_free(corm_batch *batch);

/* How many parts it has; 0 for a bad handle. */
size_t corm_batch_count(corm_batch *batch);

/* Adds one statement of SQL with its values, as corm_database_execute takes them. All is copied. */
corm_status corm_batch_execute(corm_batch *batch, const char *sql, const corm_value *values, size_t count,
                               corm_error **out_error);

/*
 * Add what the functions of record.h do. The record is copied, with all that it points to; what the database makes does
 * not come back into it: see corm_write_result. Its hooks and validators are called on the queue's thread, with that copy, each
 * time that it is written: what they refuse is the part's error. Statuses: CORM_E_MISUSE; CORM_E_ENCODING, CORM_E_RANGE and CORM_E_CALLBACK
 * for what cannot be copied.
 */
corm_status corm_batch_insert(corm_batch *batch, const corm_model *model, const void *record, corm_conflict conflict,
                              corm_error **out_error);
corm_status corm_batch_save(corm_batch *batch, const corm_model *model, const void *record, corm_error **out_error);
corm_status corm_batch_update(corm_batch *batch, const corm_model *model, const void *record, const char *properties,
                              corm_error **out_error);
corm_status corm_batch_delete(corm_batch *batch, const corm_model *model, const void *record, corm_error **out_error);

/*
 * Hands all parts to the queue as one write, after which the batch is empty and can be filled again. Where it fails the
 * batch is as it was.
 *
 * The rest is as for corm_queue_add.
 */
corm_status corm_batch_commit(corm_batch *batch, corm_batch_policy policy, const corm_write_options *options,
                              int64_t *out_number, corm_error **out_error);

/* Being told ----------------------------------------------------------------------------------------------------- */

/* What one part of a batch did. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_write_result {
    /* Rows inserted, updated or deleted. */
    int64_t changes;
    /* The key that was made for an inserted or saved record; 0 where none was. */
    int64_t generated_key;
    /* What kept it from being done; NULL: it is done. Borrowed as long as the completion. */
    corm_error *error;
} corm_write_result;

/* How a write ended, in short. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_completion_info {
    /* The write's number in its queue; 0 for a bad handle. */
    int64_t number;
    /* The tag that the write was added with, or NULL. */
    const char *tag;
    /* What kept it from being committed; NULL when it is. */
    corm_error *error;
    /* How many parts the batch had that was committed; 0 for none. */
    size_t result_count;
    /* CORM_OK when the write is committed, else the code of its error. CORM_E_MISUSE for a bad handle. */
    corm_status status;
} corm_completion_info;

/* How the write ended. Returns: borrowed as long as the completion, with all that it points to; never NULL. */
const corm_completion_info *corm_completion_info_get(corm_completion *completion);
/* What one part of the batch did, from 0, in their order; NULL out of range. Returns: borrowed as long as the completion. */
const corm_write_result *corm_completion_result_get(corm_completion *completion, size_t index);
/* Frees what corm_listener_next gave. NULL is a no-op. */
void corm_completion_free(corm_completion *completion);

typedef struct corm_listen_options {
    uint32_t struct_size;
    /* Only of writes with this tag. Copied; NULL: of all. */
    const char *tag;
    /* NULL: completions wait for corm_listener_next, however many. */
    corm_queue_callback callback;
    /* Handed to the callback; must live until `release` is called, which it is also where corm_listener_open fails. */
    void *context;
    corm_release release;
} corm_listen_options;

#define CORM_LISTEN_OPTIONS_INIT CORM_INIT_(corm_listen_options)

/* Begins to tell how writes of a queue end, whoever added them. options: borrowed until return; NULL: defaults.
   out_listener: owned (corm_listener_close). */
corm_status corm_listener_open(corm_queue *queue, const corm_listen_options *options, corm_listener **out_listener,
                               corm_error **out_error);

/* Ends and frees a listener; it does not wait: a callback that runs on another thread runs to its end, and then `release` is
   called. NULL and a second cancel are no-ops. May be called in the callback, and after the queue was closed. */
void corm_listener_close(corm_listener *listener);

/* The next completion: CORM_ROW; CORM_AGAIN when none waits; CORM_DONE when none will come. out_completion: owned
   (corm_completion_free). */
corm_status corm_listener_next(corm_listener *listener, corm_completion **out_completion, corm_error **out_error);

/* A file descriptor to wait for: it is readable while completions wait, and at the end. The listener's: read and close
   nothing. CORM_E_MISUSE for one with a callback. */
corm_status corm_listener_descriptor(corm_listener *listener, int32_t *out_descriptor, corm_error **out_error);

/* Waits until a completion waits or none will come, as corm_observer_wait does: CORM_OK, or CORM_AGAIN. */
corm_status corm_listener_wait(corm_listener *listener, int32_t milliseconds, corm_error **out_error);

CORM_END_DECLS

#endif
