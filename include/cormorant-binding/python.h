/*
 * Private (cormorant-binding.h). Functions that CPython calls as its own. A lookup, a statement and the write of one record, since a call through
 * ctypes costs more than the rest of them, and the destructor of a capsule, which runs while an exception may be on its way. The library does
 * not link Python: it looks up what it needs of it in the process that has loaded both, all of it in the stable ABI (Python
 * 3.10 and later, https://docs.python.org/3/c-api/stable.html). An object is a void pointer here.
 */
#ifndef CORMORANT_BINDING_PYTHON_H
#define CORMORANT_BINDING_PYTHON_H

#include "block.h"

CORM_BEGIN_DECLS

/* Whether the process has loaded CPython so that all can be found; else the functions below do nothing, and give NULL. */
bool corm_python_is_loaded(void);

/* Where corm_python_find looks: both borrowed as long as it is called with them. */
typedef struct corm_python_table {
    corm_database *database;
    const corm_model *model;
} corm_python_table;

/*
 * corm_block_find for one integer key, as a PyCFunction with METH_O: the GIL is held when it is called and when it
 * returns, and released while it looks.
 *
 * table  an int, the address of a corm_python_table
 * key    an int
 * Returns: a new reference to the row, a tuple, as marshal.loads makes it of corm_block_find's block; or to None when
 * there is no such row; or to an int, a corm_error * (owned; corm_error_free). NULL when Python raises: for a key that
 * is no int, or without memory. Threading: any thread that holds the GIL.
 */
void *corm_python_find(void *table, void *key);

/* What corm_python_write does, as for corm_block_write; all of it borrowed as long as it is called with it. */
typedef struct corm_python_writer {
    corm_database *database;
    const corm_model *model;
    const char *properties;
    /* Which columns of the model the values are of; the others are not written. NULL: all, in order. */
    const int32_t *columns;
    size_t count;
    int32_t operation;
    int32_t conflict;
} corm_python_writer;

/*
 * corm_block_write for one record, as a PyCFunction with METH_O: the GIL is held when it is called and when it returns,
 * and released while it writes.
 *
 * writer  an int, the address of a corm_python_writer
 * values  a tuple of `count` None, bool, int, float, str and bytes; the value itself where count is 1
 * Returns: a new reference to True when the record was written and nothing came back; to False when it was not; to an
 * int, the key that was made; to the row as it is now, a tuple; to a list of an int, a corm_error * (owned;
 * corm_error_free); or to None where nothing was done, since the values are none of these. NULL when Python raises.
 * Threading: any thread that holds the GIL.
 */
void *corm_python_write(void *writer, void *values);

/*
 * corm_block_run, as a PyCFunction with METH_FASTCALL: the GIL is held when it is called and when it returns, and released
 * while the statement runs.
 *
 * database  an int, a corm_database *
 * arguments four objects: a str, the SQL; the bindings, which are a tuple of None, int, float, str and bytes, or bytes with
 *           what corm_block_run takes, or None; bytes with what begins a transaction, or None; an int, max_rows
 * Returns: a new reference to what corm_block_run puts into its block; or to an int, a corm_error * (owned;
 * corm_error_free); or to None where nothing was done, since the SQL is no str or cannot be a C string, or the bindings are
 * none of these. NULL when Python raises. Threading: any thread that holds the GIL.
 */
void *corm_python_run(void *database, void *const *arguments, size_t count);

/*
 * The PyCapsule_Destructor of a capsule named "arrow_array_stream" whose pointer is an ArrowArrayStream in memory of
 * PyMem_Malloc: releases the stream, unless somebody has taken it out, with the GIL released, and frees the memory. An
 * exception that is on its way stays. Threading: any thread that holds the GIL.
 */
void corm_python_destroy_stream(void *capsule);

/*
 * How patient the calling thread is. Where all readers of a database are in use, a patient one waits for longer than the busy
 * timeout as long as working threads use some, or some are given back; where for a busy timeout neither is so, CORM_E_BUSY.
 * For the threads of a pool, whose work must not fail because there is much of it: a thread that waits holds no reader.
 * Cancelling it ends the wait. Needs no CPython.
 *
 * patience  0, as at first: it is not patient; 1: it is, and works: it gives readers back by itself, and where all are kept, it
 *           takes the connection that writes; 2: it is, and may keep readers while its program does something else, so
 *           nobody waits for longer because of it
 *
 * Threading: any thread.
 */
void corm_python_set_patience(int32_t patience);

/*
 * Functions and collations whose context this function releases say that they have run: they write NULL, or an error, to
 * *out_error. Where one of them has not, since an exception of a signal's handler ended it before its first line, what it
 * returned is nothing, and the statement is CORM_E_INTERRUPTED. For those that are registered afterwards.
 *
 * release may be NULL: none
 *
 * Threading: any thread.
 */
void corm_python_set_confirming(corm_release release);

CORM_END_DECLS

#endif
