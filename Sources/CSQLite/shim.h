#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call. A misspelt "column" is an error, not the text 'column': always in
   queries, and in CREATE statements unless they are another program's. */
static inline int csqlite_set_double_quoted_strings(sqlite3 *db, int in_ddl) {
    int status = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    return status == SQLITE_OK ? sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, in_ddl, (int *)0) : status;
}

/* The pre-update hook, which only some builds of SQLite have; its header shows it to programs that define a macro alone.
   Weak: where SQLite lacks it, its address is NULL. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wredundant-decls"
extern void *sqlite3_preupdate_hook(sqlite3 *,
                                    void (*)(void *, sqlite3 *, int, char const *, char const *, sqlite3_int64,
                                             sqlite3_int64),
                                    void *) __attribute__((weak));
extern int sqlite3_preupdate_old(sqlite3 *, int, sqlite3_value **) __attribute__((weak));
extern int sqlite3_preupdate_new(sqlite3 *, int, sqlite3_value **) __attribute__((weak));
extern int sqlite3_preupdate_count(sqlite3 *) __attribute__((weak));
#pragma clang diagnostic pop

static inline int csqlite_has_preupdate_hook(void) { return sqlite3_preupdate_hook != 0; }

static inline void csqlite_set_preupdate_hook(sqlite3 *db,
                                              void (*callback)(void *, sqlite3 *, int, char const *, char const *,
                                                               sqlite3_int64, sqlite3_int64),
                                              void *context) {
    sqlite3_preupdate_hook(db, callback, context);
}

#endif
