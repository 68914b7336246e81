/* Errors: what went wrong, where, and what to do about it. */
#ifndef CORMORANT_ERROR_H
#define CORMORANT_ERROR_H

#include "base.h"

CORM_BEGIN_DECLS

/*
 * One error. Functions that can fail take `corm_error **out_error` last; NULL means the caller wants the status only.
 * On failure *out_error is set to an owned error; on success it is left alone. It does not depend on the database it
 * came from and may be read after that is closed. Of bound values it has those alone that a column cannot hold, and of
 * what is stored the key of a row that cannot be read. Threading: one thread at a time.
 */
typedef struct corm_error corm_error;

/*
 * An error of your own, for callbacks that fail: what they are part of fails with it.
 *
 * code    below zero; what a callback fails with otherwise is CORM_E_CALLBACK.
 * message one line that says what went wrong; copied.
 * hint    one line that says what to do; copied. NULL: none.
 * Returns: owned (corm_error_free), or given away through a callback's out_error. NULL without memory.
 */
corm_error *corm_error_create(corm_status code, const char *message, const char *hint);

/*
 * Says what of yours the error comes from, such as an exception of your language: whoever gets the error finds it again.
 *
 * cause   owned by the error from here on.
 * release gets the cause when nothing has the error any more, on any thread. NULL accepted.
 */
void corm_error_set_cause(corm_error *error, void *cause, corm_release release);

/* What corm_error_set_cause gave the error, or the one that it comes from. Returns: borrowed until corm_error_free; NULL. */
void *corm_error_cause(const corm_error *error);

/* Frees an error. NULL is a no-op. */
void corm_error_free(corm_error *error);

/* The status that the failing function returned. CORM_E_MISUSE for a NULL or freed error. */
corm_status corm_error_code(const corm_error *error);

/* One line that says what went wrong. Returns: borrowed until corm_error_free; never NULL. */
const char *corm_error_message(const corm_error *error);

/* One line that says what to do, or NULL. Returns: borrowed until corm_error_free. */
const char *corm_error_hint(const corm_error *error);

/* What else an error knows. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_error_info {
    /* SQLite's extended result code (https://www.sqlite.org/rescode.html), 0 where SQLite was not involved. */
    int32_t sqlite_code;
    /* The byte offset in the SQL at which it does not compile, or -1. */
    int32_t offset;
    /* The SQL that failed, or NULL. */
    const char *sql;
    /* The table, where known, or NULL. */
    const char *table;
    /* The columns by their names in the table, where known; NULL for none. */
    const char *const *columns;
    size_t column_count;
    /* The constraint's name or, where it has none, its kind ("UNIQUE", "CHECK", ...), or NULL. */
    const char *constraint;
    /* Which record of a batch failed, or which row of a result could not be read, counted from 0; else -1. */
    int64_t record_index;
} corm_error_info;

/* Where it went wrong. Returns: borrowed until corm_error_free, with all that it points to; never NULL, also for a NULL or
   freed error, of which nothing is known. */
const corm_error_info *corm_error_info_get(const corm_error *error);

/*
 * Is told of a call that gives CORM_E_MISUSE, a mistake of the program's, whether or not the call was given an out_error.
 * Runs on the thread of that call, at its end and within whatever callback makes it, for calls of several threads at once.
 * It may read the error, and makes no other calls of the library; what goes wrong in it all the same is not told. What passes
 * an error on, as corm_queue_perform does its body's, tells it again.
 *
 * error borrowed until return.
 */
typedef void (*corm_misuse_log)(const corm_error *error, void *context);

/*
 * Tells `log` of misuse in the whole process from here on, as sqlite3_config(SQLITE_CONFIG_LOG) does for SQLite; NULL stops.
 * Functions that return no status, such as corm_queue_count, tell nothing, and builders of expressions what the call gives
 * that uses them. Costs nothing where no call is wrong. The child of a fork goes on with it.
 *
 * context handed through; must live as long as `log` is set, and until calls of other threads that tell it have returned.
 *
 * Threading: any thread.
 */
void corm_misuse_set_log(corm_misuse_log log, void *context);

CORM_END_DECLS

#endif
