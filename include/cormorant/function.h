/* Functions and collations of your own, which SQL calls. */
#ifndef CORMORANT_FUNCTION_H
#define CORMORANT_FUNCTION_H

#include "database.h"

CORM_BEGIN_DECLS

/*
 * Functions and collations belong to a database: its writer has them, its readers, those that are opened later, and they
 * serve attached files as well. They end with the database. SQL calls them inside the library's calls, on the thread of
 * the call, several at once where several threads read. Expressions call them with corm_expr_call (expression.h).
 *
 * A function must not use the database that it runs in: that is CORM_E_MISUSE. It fails with a status below zero and, if
 * it likes, with *out_error (corm_error_create), which is given away: the statement fails with that error, and what it
 * wrote is rolled back. Without one it fails with that status, or with CORM_E_CALLBACK.
 */

/* Takes the value of a call. */
typedef struct corm_answer corm_answer;

/*
 * Gives a function's value: corm_value_null() for NULL. A function that gives none fails with CORM_E_CALLBACK; of several
 * the last counts. Only inside the callback that was given the answer.
 *
 * value copied.
 * Statuses: CORM_E_RANGE, CORM_E_ENCODING, CORM_E_TOO_BIG for a value that SQL cannot hold; CORM_E_MISUSE.
 */
corm_status corm_answer_set(corm_answer *answer, const corm_value *value, corm_error **out_error);

/*
 * One call of a function.
 *
 * arguments borrowed until return; as the file holds them: a time, a UUID and a decimal are texts.
 * answer    borrowed until return.
 */
typedef corm_status (*corm_function_callback)(const corm_value *arguments, size_t count, corm_answer *answer,
                                              void *context, corm_error **out_error);

/*
 * Adds a row to an aggregate, or takes one out of it.
 *
 * state what belongs to this group of rows: NULL at first; release_state gets it at the end, whatever became of the
 *       statement.
 */
typedef corm_status (*corm_aggregate_callback)(void **state, const corm_value *arguments, size_t count, void *context,
                                               corm_error **out_error);

/* The value of the rows that an aggregate has. state: borrowed; NULL where no row came. */
typedef corm_status (*corm_aggregate_value_callback)(void *state, corm_answer *answer, void *context,
                                                     corm_error **out_error);

/* A function. Zero everywhere is the default everywhere; set struct_size by CORM_FUNCTION_INIT. */
typedef struct corm_function {
    uint32_t struct_size;
    /* 0 to 127; -1: any number. Functions of one name with other numbers are others. */
    int32_t argument_count;
    /* Copied; the case of ASCII letters does not matter. Names that begin with corm_ and those of SQLite's own functions
       are CORM_E_MISUSE: files and the library rely on them. */
    const char *name;
    /* A function of one row. NULL: an aggregate. */
    corm_function_callback call;
    /* An aggregate: step for each row, and value at the end. */
    corm_aggregate_callback step;
    corm_aggregate_value_callback value;
    /* Takes the row out that came first, so that the aggregate may stand over any window (OVER). NULL: over none. */
    corm_aggregate_callback inverse;
    /* Gets the state of each group at its end, unless it is NULL. NULL: nothing is to be done. */
    corm_release release_state;
    void *context;
    /* Gets context once no connection has the function any more, also where registering fails. May be NULL. */
    corm_release release;
    /* Whether the same arguments always give the same value, so that SQLite may call it once for many rows. An index, a
       computed column and a CHECK take no other function. */
    bool is_deterministic;
    /*
     * Whether triggers, views, indexes, computed columns and CHECKs of the file may call it. False: only SQL of the
     * program's own may, so that a file from elsewhere cannot. A file whose schema calls a function can be changed only by
     * programs that have it, and the sqlite3 shell is none; an index over one that gives other values than before is
     * damaged, until REINDEX.
     */
    bool in_schema;
    /* Zero. */
    uint8_t reserved[6];
} corm_function;

#define CORM_FUNCTION_INIT CORM_INIT_(corm_function)

/*
 * Makes a function known, in place of one of that name and number of arguments. Without call and step it takes that one
 * away. A transaction in which another thread reads has what it had when it began.
 *
 * function borrowed until return; but for the name, what is in it must live until release gets the context.
 *
 * Statuses: CORM_E_MISUSE for a name or number that cannot be, callbacks that do not go together, and a thread that has a
 * transaction open that reads; CORM_E_BUSY while results or cursors run on the writer that may use the old one.
 * Threading: any thread.
 */
corm_status corm_database_register_function(corm_database *database, const corm_function *function,
                                            corm_error **out_error);

/*
 * Compares two texts, as bytes of UTF-8 without a NUL behind them: below 0 where the left is first, 0 where they are equal,
 * above 0. It must always agree with itself, and say that a = c where a = b and b = c, and so for a < c: an index that a
 * collation made which does not loses rows. left, right: borrowed until return.
 *
 * It should not fail. Where it does, it gives an error away in *out_error: the statement fails with it and changes nothing;
 * where it is one that writes, the transaction that it is in is rolled back with it.
 */
typedef int32_t (*corm_collation_callback)(const char *left, size_t left_size, const char *right, size_t right_size,
                                           void *context, corm_error **out_error);

/*
 * Makes a collation known, in place of one of that name: COLLATE in SQL and corm_expr_collate name it, no column of a
 * model. A file in which an index, or a column that has one, uses a collation needs it in every program that reads or
 * writes it: without it such statements are CORM_E_SQL, "no such collation sequence" with its name.
 *
 * name    copied; not one of SQLite's own (BINARY, NOCASE, RTRIM), nor one that begins with corm_ (CORM_E_MISUSE).
 * compare NULL takes the collation away.
 * release gets context once no connection has the collation any more, also where registering fails. NULL accepted.
 *
 * Statuses and threading: as of corm_database_register_function.
 */
corm_status corm_database_register_collation(corm_database *database, const char *name, corm_collation_callback compare,
                                             void *context, corm_release release, corm_error **out_error);

CORM_END_DECLS

#endif
