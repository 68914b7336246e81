#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

/* sqlite3_db_config is variadic, which Swift cannot call. A misspelt "column" is an error, not the text 'column': always in
   queries, and in CREATE statements unless they are another program's. */
static inline int csqlite_set_double_quoted_strings(sqlite3 *db, int in_ddl) {
    int status = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    return status == SQLITE_OK ? sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, in_ddl, (int *)0) : status;
}

/* Two arguments of fts3_tokenizer() would let SQL alone set a function's address. */
static inline void csqlite_close_fts3_tokenizer(sqlite3 *db) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)0);
}

static inline int csqlite_get_memory_methods(sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_GETMALLOC, methods);
}

static inline int csqlite_set_memory_methods(const sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_MALLOC, methods);
}

/* https://www.sqlite.org/security.html */
static inline int csqlite_distrust(sqlite3 *db, int leaves_schema_trusted) {
    int status = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (status == SQLITE_OK)
        status = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, leaves_schema_trusted, (int *)0);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1000000);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 500);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 200);
    sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 1000000);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 100);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10000);
    return status;
}

#ifdef __linux__
/* Swift's modules of the C library have no statfs. Returns: the kind of file system, of linux/magic.h; 0 where that is not known. */
static inline unsigned csqlite_file_system(const char *path) {
    struct statfs info;
    return statfs(path, &info) == 0 ? (unsigned)info.f_type : 0;
}
#endif

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
