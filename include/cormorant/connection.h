/* One connection of a database: set up when it is opened, or lent for what only SQLite's own calls can do. */
#ifndef CORMORANT_CONNECTION_H
#define CORMORANT_CONNECTION_H

#include "database.h"

CORM_BEGIN_DECLS

/* Whether it reads beside the connection that writes; false for a bad handle. */
bool corm_connection_is_reader(corm_connection *connection);

/*
 * Runs SQL text with any number of statements and no bindings, stopping at the first error; rows are dropped. What only this
 * connection has afterwards, such as an attached file, sends reads through it from then on, but in corm_open_options.set_up.
 *
 * sql borrowed until return. Statuses: as corm_database_execute_script. Threading: that of the callback.
 */
corm_status corm_connection_execute_script(corm_connection *connection, const char *sql, corm_error **out_error);

struct sqlite3;

/*
 * SQLite's own handle, for what this library has no call for: incremental blobs, sessions, limits, extensions. It is one of the
 * SQLite that this library is linked with, which the program must be linked with, too.
 *
 * The library no longer does what it promises once a program closes the handle, finalizes statements that are not its own,
 * sets the update, pre-update, commit, rollback or log hook, the authorizer, the trace, the progress or the busy handler, leaves
 * a transaction or a statement open, or makes what only this connection has: a temporary table, an attached file, a setting
 * that reads depend on.
 *
 * Returns: borrowed until the callback returns; NULL for a bad handle. Threading: that of the callback.
 */
struct sqlite3 *corm_connection_sqlite3(corm_connection *connection);

/*
 * Lends the connection that writes. Other threads' writes wait meanwhile. The callback runs on this thread, in the transaction
 * that it has open, if any, and may call the library with this database, but not close it; of what it changes observers are
 * told. A transaction that it leaves open is rolled back (CORM_E_MISUSE).
 *
 * Statuses: what the callback gives; CORM_E_BUSY, CORM_E_TRANSACTION, CORM_E_MISUSE. Threading: any thread.
 */
corm_status corm_database_use_connection(corm_database *database, corm_connection_callback callback, void *context,
                                         corm_error **out_error);

CORM_END_DECLS

#endif
