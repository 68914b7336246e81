/*
 * Cormorant: an ORM for SQLite. Include this one header.
 *
 * Ownership words used in every doc block:
 *   owned     the caller frees it with the function named there
 *   borrowed  valid until the event named there; never freed by the caller
 *   consumed  the library takes it over: the caller neither uses nor frees it again
 *   copied    the library takes its own copy; the caller may drop it after the call
 *   static    valid as long as the library is loaded
 *
 * A struct that begins with struct_size may grow at its end: its _INIT macro (or sizeof) says which one the program knows.
 * What an older program's struct lacks is zero, the default; in a newer program's, what the library does not know must be
 * zero, and so must the bytes called reserved: else the call gives CORM_E_MISUSE.
 *
 * Words, the same everywhere:
 *   first argument  the database, where a call works on one; then what the call is about
 *   create, free    of what lies in memory; the one is given back by the other
 *   open, close     of what holds a database, a file or a thread
 *   counts          size_t of what lies in memory, positions too; int64_t of rows, which a file has
 *   _info_get       what a handle knows, in one struct of the library's; never NULL: that of a bad handle is empty
 *   lists           a count and _get of a handle, from 0, where _get gives a pointer or NULL; else a pointer and a count
 *   times           corm_datetime for points in time; milliseconds for how long; nanoseconds only where time was measured
 *   choices         constants of a type of their own, such as corm_conflict; zero is the default
 *   CORM_OK         the call did what it says; whatever else it may meet has a status of its own
 *
 * A callback that can fail returns a status and may give an error away (corm_error_create). One that is asked whether to go
 * on returns bool. Every callback returns: neither a C++ exception nor longjmp may leave it, or what the call around it holds stays locked for
 * ever. Catch what it throws, and pass it on through its context.
 */
#ifndef CORMORANT_H
#define CORMORANT_H

#include "cormorant/base.h"
#include "cormorant/bundle.h"
#include "cormorant/cache.h"
#include "cormorant/cipher.h"
#include "cormorant/columns.h"
#include "cormorant/connection.h"
#include "cormorant/database.h"
#include "cormorant/definition.h"
#include "cormorant/error.h"
#include "cormorant/expression.h"
#include "cormorant/field.h"
#include "cormorant/function.h"
#include "cormorant/json.h"
#include "cormorant/key_value.h"
#include "cormorant/maintenance.h"
#include "cormorant/metadata.h"
#include "cormorant/migration.h"
#include "cormorant/model.h"
#include "cormorant/observation.h"
#include "cormorant/query.h"
#include "cormorant/queue.h"
#include "cormorant/record.h"
#include "cormorant/registry.h"
#include "cormorant/relation.h"
#include "cormorant/result.h"
#include "cormorant/schema.h"
#include "cormorant/statement.h"
#include "cormorant/thread.h"
#include "cormorant/transaction.h"
#include "cormorant/value.h"

#endif
