/* Opening and closing files, running SQL, tracing, interrupting. */
#ifndef CORMORANT_DATABASE_H
#define CORMORANT_DATABASE_H

#include "error.h"
#include "value.h"

CORM_BEGIN_DECLS

/*
 * An open database. Safe to share between threads. Writes run one at a time on one connection, in the order in which they
 * came; a transaction belongs to the thread that began it, and the writes of other threads wait until it ends. Reads of
 * a file with a write-ahead log run beside them, on connections of their own that are opened when a second thread comes:
 * each statement and each cursor sees what was committed when it began. Inside a transaction reads see its writes. Files
 * without a log, memory, and a database that has temporary tables, attached files or settings of its own (raw SQL with
 * CREATE TEMP, ATTACH or PRAGMA) keep to the one connection: there calls run one at a time. A database of a server is used in
 * the same way, but that its writes run at once, each on a connection of its own of corm_open_options.writer_count: a call that
 * writes, a transaction, and a result of a statement that writes keep one until they end, and where all are kept others wait.
 *
 * A call that waits for its turn longer than the busy timeout gives CORM_E_BUSY. When a thread ends with a transaction
 * open, the next call that needs the writer rolls it back and gives CORM_E_TRANSACTION. In the child of a fork every call
 * gives CORM_E_MISUSE, but for corm_database_close and corm_database_reopen; it may open files anew at any time, whatever its
 * parent's threads were doing: it is another process then, with locks of its own. A key of an encrypted file is the exception: libcrypto may have
 * locks that other threads held. Use after close gives CORM_E_MISUSE.
 *
 * Connections that wait to write to a file in WAL mode, of this and of other processes, write in the order in which they came,
 * each for as long as 0.25 ms; a program with an SQLite of its own comes in between as ever.
 */
typedef struct corm_database corm_database;

/* corm_open_options.mode */
typedef int32_t corm_open_mode;
#define CORM_OPEN_CREATE 0     /* read and write; made if it is not there */
#define CORM_OPEN_READ_WRITE 1 /* read and write; CORM_E_CANNOT_OPEN if it is not there */
#define CORM_OPEN_READ_ONLY 2  /* read only; CORM_E_CANNOT_OPEN if it is not there */

/* corm_open_options.journal_mode (https://www.sqlite.org/pragma.html#pragma_journal_mode) */
typedef int32_t corm_journal_mode;
#define CORM_JOURNAL_DEFAULT 0 /* WAL; left as it is when the file is read-only */
#define CORM_JOURNAL_WAL 1     /* refused on network file systems: CORM_E_CANNOT_OPEN */
#define CORM_JOURNAL_DELETE 2
#define CORM_JOURNAL_TRUNCATE 3
#define CORM_JOURNAL_PERSIST 4
#define CORM_JOURNAL_MEMORY 5
#define CORM_JOURNAL_OFF 6

/* corm_open_options.synchronous (https://www.sqlite.org/pragma.html#pragma_synchronous) */
typedef int32_t corm_synchronous;
#define CORM_SYNCHRONOUS_DEFAULT 0 /* NORMAL in WAL mode, FULL with another journal */
#define CORM_SYNCHRONOUS_OFF 1
#define CORM_SYNCHRONOUS_NORMAL 2
#define CORM_SYNCHRONOUS_FULL 3
#define CORM_SYNCHRONOUS_EXTRA 4

struct corm_cipher_options; /* cipher.h */

/* One connection of a database (connection.h): good until the callback that is given it returns, on its thread. */
typedef struct corm_connection corm_connection;

/*
 * Is given a connection. It fails with a status below zero and, if it likes, with *out_error (corm_error_create), which is given
 * away.
 */
typedef corm_status (*corm_connection_callback)(corm_connection *connection, void *context, corm_error **out_error);

/* Damage of a file that a statement met. */
typedef struct corm_damage {
    const char *path;
    /* From 1; 0 where it is not known: the pages of encrypted files tell. */
    uint32_t page;
    /* What the statement failed with: CORM_E_CORRUPT, CORM_E_ALTERED, CORM_E_TRUNCATED or CORM_E_NOT_A_DATABASE. */
    corm_status status;
    const char *message;
    const char *hint;
} corm_damage;

/*
 * Is told of damage while a database is open, of each page once, or of each status where the page is not known. Runs on a thread
 * of the library's own and under none of its locks: it may use the database, and close it. corm_database_repair saves what is
 * left. damage: borrowed until return.
 */
typedef void (*corm_damage_callback)(const corm_damage *damage, void *context);

/* How to open. Zero everywhere is the default everywhere; set struct_size by CORM_OPEN_OPTIONS_INIT. */
typedef struct corm_open_options {
    uint32_t struct_size;
    corm_open_mode mode CORM_ZERO;
    /* A database file that is copied into place, atomically, when the file to open is not there. Copied; NULL: none. */
    const char *template_path CORM_ZERO;
    /* Milliseconds to wait for another connection's lock, or for other threads. 0: 5,000. Negative: do not wait. */
    int32_t busy_timeout CORM_ZERO;
    corm_journal_mode journal_mode CORM_ZERO;
    corm_synchronous synchronous CORM_ZERO;
    /* True leaves foreign keys unchecked; they are checked by default. */
    bool foreign_keys_off CORM_ZERO;
    /* How many prepared statements of raw SQL are kept. 0: 64. Negative: none. */
    int32_t statement_cache_size CORM_ZERO;
    /* What the file is encrypted with. Borrowed until return; NULL: a plain file. */
    const struct corm_cipher_options *cipher CORM_ZERO;
    /* How many connections at most read beside the writer. 0: 4. Negative: none, so that calls run one at a time. */
    int32_t reader_count CORM_ZERO;
    /*
     * With a URL: how many connections at most write at once, when threads share the database. 0: 4. Negative: one, so that
     * writes run one at a time, as they do in a file whatever stands here.
     */
    int32_t writer_count CORM_ZERO;
    /*
     * Syncs a model, with those that its relations lead to, before it is first used with the database: by a call on records,
     * or a statement that selects from it first or changes it. As corm_migration_sync, and with its statuses; inside a
     * transaction only what rebuilds no table (CORM_E_TRANSACTION), and it is rolled back with it. Inside one that only
     * reads, in a file open for reading, and for tables of attached files and views, nothing is done.
     */
    bool auto_sync CORM_ZERO;
    /*
     * True where the file may have been made, or altered, to do harm. What its schema says then calls no function with
     * effects beyond its result (trusted_schema = OFF, unless SQLite took its JSON functions for such, as 3.40 does), SQL
     * cannot damage the file (SQLITE_DBCONFIG_DEFENSIVE: no writable_schema, no writes to what virtual tables keep, no
     * journal mode OFF), pages are looked at before they are used (cell_size_check = ON), and statements have bounds:
     * 1,000,000 bytes of SQL, depth 500 of expressions, 200 SELECTs in a compound one, 1,000,000 operations, depth 100 of
     * triggers, 10,000 bytes of a pattern of LIKE. Foreign keys, checks and triggers run as ever.
     */
    bool untrusted CORM_ZERO;
    /*
     * True keeps a copy of the schema beside the file, as PATH-corm-schema, encrypted as the file is, for a repair that cannot
     * read the file's own. It is brought up to date when the database is opened, migrated and closed, where it can be written.
     * Whoever removes the file removes it, too.
     */
    bool keep_schema CORM_ZERO;
    /* Zero. */
    uint8_t reserved[5] CORM_ZERO;
    /*
     * Is called with each connection that is opened to the file: first the one that writes, then, when threads need them, those
     * that read beside it. For settings and attached files (corm_connection_execute_script), which all connections must have
     * alike. It runs after the other options but for the journal mode, on the thread whose call needs the connection, and must
     * not use the database (CORM_E_MISUSE). Connections that read cannot write. Its error is that of corm_database_open or,
     * for one that reads, of the call that needs it. NULL: none.
     */
    corm_connection_callback set_up CORM_ZERO;
    /* Handed through; must live as long as the database, or the registry, is open. */
    void *set_up_context CORM_ZERO;
    /*
     * Bytes of memory that SQLite may have, as sqlite3_hard_heap_limit64 says; what needs more is CORM_E_NO_MEMORY, and undone.
     * It is the whole process's, not the database's: the newest one counts. 0: as it is. Negative: no limit.
     */
    int64_t heap_limit CORM_ZERO;
    /* Told of damage that statements meet; what opening meets is its error. NULL: nobody is told. */
    corm_damage_callback damaged CORM_ZERO;
    /* Handed through; must live until the database, or the registry, is closed, which waits for the callback to return. */
    void *damaged_context CORM_ZERO;
} corm_open_options;

#define CORM_OPEN_OPTIONS_INIT CORM_INIT_(corm_open_options)
/* CORM_OPEN(.auto_sync = true): a pointer to options. */
#define CORM_OPEN(...) CORM_STRUCT_(corm_open_options, __VA_ARGS__)

/*
 * Opens a database file, or memory with the path ":memory:". What is deleted is overwritten where that costs no I/O
 * (secure_delete = FAST, whatever the build of SQLite has); PRAGMA secure_delete = ON overwrites freed pages, too.
 *
 * path         copied; UTF-8. One that begins with "file:" is a URI (https://www.sqlite.org/uri.html), as it is to
 *              corm_database_attach; write ./file: for a file whose name begins so. Everywhere else a path is a path: an
 *              encrypted file, a template, and what is made, encrypted or registered has no URI (CORM_E_MISUSE). One that begins
 *              with "postgresql://" or "postgres://" is the URL of a PostgreSQL database, as libpq reads it
 *              (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS), with `prepare=never` besides
 *              for poolers that keep no prepared statements. libpq is loaded when the first is opened. What only files have is
 *              then CORM_E_UNSUPPORTED: docs/postgresql.md has the list.
 * options      borrowed until return; NULL: all defaults. With a URL CORM_OPEN_READ_ONLY is default_transaction_read_only,
 *              busy_timeout also lock_timeout, CORM_SYNCHRONOUS_OFF is synchronous_commit = off (what is above it is the
 *              server's own), set_up is called with each connection; statement_cache_size and reader_count are as for files,
 *              and writer_count counts.
 *              A template, a journal mode, foreign_keys_off, a cipher, untrusted, keep_schema, heap_limit and damaged
 *              are CORM_E_UNSUPPORTED.
 * out_database owned (corm_database_close); set only on success.
 *
 * Statuses: CORM_E_CANNOT_OPEN (missing, unreadable, a directory), CORM_E_NOT_A_DATABASE, CORM_E_BUSY,
 * CORM_E_READ_ONLY, CORM_E_IO, CORM_E_MISUSE; CORM_E_KEY_MISSING, and with a key CORM_E_WRONG_KEY, CORM_E_NOT_ENCRYPTED,
 * CORM_E_TRUNCATED, CORM_E_CIPHER, CORM_E_CALLBACK; with a URL CORM_E_CONNECTION and CORM_E_UNSUPPORTED. Threading: any thread.
 */
corm_status corm_database_open(const char *path, const corm_open_options *options, corm_database **out_database,
                               corm_error **out_error);

/*
 * Opens a database anew in the child of a fork, behind the same handle: with the options, the key, the functions and the
 * collations that it has in the parent, whose own stays as it is. Results, statements, queues, observers, caches, the trace and
 * attached files of the parent's are the child's to make again. When it fails the handle is as it was.
 *
 * Statuses: those of corm_database_open; CORM_E_MISUSE in the process that opened it, for memory, and for one of a registry, of which
 * the child makes its own. Threading: before other threads of the child use the handle.
 */
corm_status corm_database_reopen(corm_database *database, corm_error **out_error);

/*
 * Closes a database. Results and cursors still open on it are closed first; an open transaction of this thread is rolled
 * back. NULL is a no-op; a second close gives CORM_E_MISUSE, and so does one while another thread is inside a call or has a
 * transaction open that does not end within a second: then nothing is closed. In the child of a fork it only forgets the
 * handle. One of a registry is given back instead (corm_registry_use). Threading: any thread.
 */
corm_status corm_database_close(corm_database *database, corm_error **out_error);

/*
 * Runs one SQL statement to its end. What is there for its rows, such as a SELECT, is CORM_E_MISUSE: corm_result_open runs
 * it; rows of a PRAGMA and of RETURNING are dropped.
 *
 * sql         borrowed until return; UTF-8, one statement.
 * values      borrowed until return; the bindings, by position or by name (corm_value.name); NULL when value_count is
 *             0.
 * out_changes rows inserted, updated or deleted by this statement; NULL accepted.
 *
 * Statuses: CORM_E_SQL with the offset, CORM_E_BINDING, CORM_E_RANGE and CORM_E_ENCODING for a value that cannot go in,
 * the constraint statuses, CORM_E_BUSY, CORM_E_READ_ONLY, CORM_E_FULL, CORM_E_INTERRUPTED. Threading: any thread.
 */
corm_status corm_database_execute(corm_database *database, const char *sql, const corm_value *values,
                                  size_t value_count, int64_t *out_changes, corm_error **out_error);

/*
 * Runs SQL text with any number of statements and no bindings, stopping at the first error; those before it stay done
 * unless a transaction is open. sql: borrowed until return. Threading: any thread.
 */
corm_status corm_database_execute_script(corm_database *database, const char *sql, corm_error **out_error);

/*
 * The rowid of the newest insert through this handle, by any thread, 0 before the first or for a bad handle. On a server the key
 * that was made for the newest record: of raw SQL RETURNING tells it.
 */
int64_t corm_database_last_insert_id(corm_database *database);

/* Rows changed by the newest INSERT, UPDATE or DELETE of any thread, 0 for a bad handle. */
int64_t corm_database_changes(corm_database *database);

/* Rows changed since the database was opened, 0 for a bad handle. */
int64_t corm_database_total_changes(corm_database *database);

/*
 * The path given to corm_database_open, or the URL without its password. Returns: borrowed until corm_database_close; NULL for a
 * bad handle.
 */
const char *corm_database_path(corm_database *database);

/*
 * Stops what the database is doing now, in all threads: those calls return CORM_E_INTERRUPTED. Nothing running: no-op.
 * Threading: any thread, at any time; it does not wait.
 */
void corm_database_interrupt(corm_database *database);

/*
 * What a trace callback gets: the SQL with its parameters unexpanded (so no bound value) and the time it ran. Runs on
 * the thread of the traced call, inside it, and for calls of several threads at once; it must not call the library with
 * the same database.
 *
 * sql         borrowed until return.
 * nanoseconds from the first step to the last.
 */
typedef void (*corm_trace_callback)(const char *sql, int64_t nanoseconds, void *context);

/*
 * Calls `callback` after every statement; NULL stops. context is handed through and must live as long as the callback
 * is set; when this returns, no other is called any more. Statuses: CORM_E_BUSY when other threads read for longer than the
 * busy timeout, CORM_E_TRANSACTION inside of a transaction of this thread that only reads. Threading: any thread.
 */
corm_status corm_database_set_trace(corm_database *database, corm_trace_callback callback, void *context,
                                    corm_error **out_error);

CORM_END_DECLS

#endif
