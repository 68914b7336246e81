/*
 * Private (cormorant-binding.h). Functions that CPython calls as its own. A lookup, since a call through ctypes costs more
 * than the rest of it, and the destructor of a capsule, which runs while an exception may be on its way. The library does
 * not link Python: the binding hands in what it needs of the interpreter that runs. An object is a void pointer here.
 */
#ifndef CORMORANT_BINDING_PYTHON_H
#define CORMORANT_BINDING_PYTHON_H

#include "block.h"

CORM_BEGIN_DECLS

/*
 * Functions of the interpreter, named as CPython names them. All are of its stable ABI (Python 3.10 and later,
 * https://docs.python.org/3/c-api/stable.html); an intptr_t is their Py_ssize_t.
 */
typedef struct corm_python {
    uint32_t struct_size;
    /* None, which the library does not own. */
    void *none;
    /* Py_IncRef and Py_DecRef */
    void (*inc_ref)(void *object);
    void (*dec_ref)(void *object);
    /* PyErr_Occurred */
    void *(*err_occurred)(void);
    /* PyEval_SaveThread and PyEval_RestoreThread: between them other threads run */
    void *(*eval_save_thread)(void);
    void (*eval_restore_thread)(void *state);
    /* PyLong_AsLongLongAndOverflow */
    long long (*long_as_long_long_and_overflow)(void *object, int *overflow);
    /* PyLong_FromLongLong, PyBool_FromLong, PyFloat_FromDouble */
    void *(*long_from_long_long)(long long value);
    void *(*bool_from_long)(long value);
    void *(*float_from_double)(double value);
    /* PyUnicode_FromStringAndSize and PyBytes_FromStringAndSize */
    void *(*unicode_from_string_and_size)(const char *data, intptr_t size);
    void *(*bytes_from_string_and_size)(const char *data, intptr_t size);
    /* PyTuple_New and PyTuple_SetItem, which consumes the item */
    void *(*tuple_new)(intptr_t size);
    int (*tuple_set_item)(void *tuple, intptr_t position, void *item);
    /* PyCapsule_GetPointer and PyMem_Free */
    void *(*capsule_get_pointer)(void *capsule, const char *name);
    void (*mem_free)(void *memory);
} corm_python;

#define CORM_PYTHON_INIT {.struct_size = sizeof(corm_python)}

/*
 * Says what the interpreter is; copied. CORM_E_MISUSE when a member is NULL. Threading: before the first call of
 * corm_python_find and corm_python_destroy_stream, and not beside one.
 */
corm_status corm_python_use(const corm_python *python, corm_error **out_error);

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

/*
 * The PyCapsule_Destructor of a capsule named "arrow_array_stream" whose pointer is an ArrowArrayStream in memory of
 * PyMem_Malloc: releases the stream, unless somebody has taken it out, with the GIL released, and frees the memory. An
 * exception that is on its way stays. Threading: any thread that holds the GIL.
 */
void corm_python_destroy_stream(void *capsule);

CORM_END_DECLS

#endif
