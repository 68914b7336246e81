#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call. A misspelt "column" is an error, not the text 'column': always in
   queries, and in CREATE statements unless they are another program's. */
static inline int csqlite_set_double_quoted_strings(sqlite3 *db, int in_ddl) {
    int status = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    return status == SQLITE_OK ? sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, in_ddl, (int *)0) : status;
}

#endif
