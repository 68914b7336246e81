/* Being told of what is committed: in tables, rows and queries, by this process and by others. */
#ifndef CORMORANT_OBSERVATION_H
#define CORMORANT_OBSERVATION_H

#include "database.h"
#include "model.h"
#include "query.h"
#include "statement.h"

CORM_BEGIN_DECLS

/* A watch, from corm_observer_open to corm_observer_close. Threading: any thread. */
typedef struct corm_observer corm_observer;

/* What one transaction did, of what is watched. */
typedef struct corm_event corm_event;

/* corm_change.kind */
typedef int32_t corm_change_kind;
#define CORM_CHANGE_UNKNOWN 0 /* the table may have changed: no rows are told */
#define CORM_CHANGE_INSERT 1
#define CORM_CHANGE_UPDATE 2
#define CORM_CHANGE_DELETE 3

/*
 * A row that changed: of a table, or of the result of a live query. All it points to is borrowed until the event is freed,
 * or the callback returns. It grows at its end only: take it by the pointer that is given.
 */
typedef struct corm_change {
    corm_change_kind kind;
    /* The table; NULL in a live query. */
    const char *table;
    /* 0 in a table WITHOUT ROWID, and in a live query. */
    int64_t row_id;
    /* The primary key, or else the rowid; in a live query what tells its rows apart. None for CORM_CHANGE_UNKNOWN. */
    const corm_value *key;
    size_t key_count;
    /* The row before and after, in the order of the model's properties where a model is watched, else of the columns. NULL
       where there is none, and in a table without corm_observe_options.values. */
    const corm_value *old_values;
    size_t old_count;
    const corm_value *new_values;
    size_t new_count;
    /* Where the row stands in the new result of a live query; -1 where it left it, and in a table. */
    int64_t position;
} corm_change;

/* A table, or a view, and a list of its columns whose updates count (NULL: all). Names as in the file. Borrowed until return. */
typedef struct corm_region {
    uint32_t struct_size;
    const char *table;
    const char *columns;
} corm_region;

#define CORM_REGION_INIT CORM_INIT_(corm_region)

/*
 * What a callback gets: an event, borrowed until it returns, or an error (and no event) that keeps a live query from being
 * run, borrowed as long. It runs on a thread that has just committed, when no lock is held, or on the thread of the library
 * that watches files; never on two threads at once for one observer. It may use the database, also to write, and may cancel
 * the observer. While it runs, nobody else who watches a database is told of anything: it hands long work to another thread.
 */
typedef void (*corm_observer_callback)(corm_event *event, corm_error *error, void *context);

/*
 * Reads of the program's, of any number of statements: called in a transaction that reads, on one snapshot, with the thread's
 * calls on `database`, which it must not write to. Returns CORM_OK when there is something to tell, CORM_AGAIN when what it
 * read is what it read before, or an error's status, with its error as of other functions of the program's.
 */
typedef corm_status (*corm_observer_reads)(corm_database *database, void *context, corm_error **out_error);

/* What is watched, and how it is told. Give one of: a model, alone or with a key; regions; a query; reads. */
typedef struct corm_observe_options {
    uint32_t struct_size;
    /* The records of a model, or with a key the one record; borrowed until return. */
    corm_model *model;
    const corm_value *key;
    size_t key_count;
    const corm_region *regions;
    size_t region_count;
    /* The tables that a query reads, and of these the columns: SQL, or a statement, with its values; or with `live` the
       query of a model, as corm_query_fetch takes it. Borrowed until return. */
    const corm_query *query;
    /* Runs the query now and after each change, and tells its result where it is another than before. */
    bool live;
    /* A list of columns of a live query's result that tell its rows apart; NULL: the model's key, or else all. */
    const char *key_columns;
    /* Whether changes of tables come with the rows before and after. */
    bool values;
    /* Makes one event of all that have not been taken, each row with what became of it; always so for a live query. */
    bool latest_only;
    /* NULL: events wait for corm_observer_next. */
    corm_observer_callback callback;
    /* Handed through; must live until `release` is called, which it is also where corm_observer_open fails. */
    void *context;
    corm_release release;
    /* Called with `context` before corm_observer_open returns, and again after each commit that changes what its statements
       read; each call that returns CORM_OK gives an event, which has nothing but is_foreign. It runs where callbacks do. What
       it returns at first, where that is an error, corm_observer_open returns. */
    corm_observer_reads reads;
} corm_observe_options;

#define CORM_OBSERVE_OPTIONS_INIT CORM_INIT_(corm_observe_options)

/*
 * Begins a watch. Each transaction that commits gives one event, if it changed what is watched: one of this database gives
 * each row once, with its key, whatever statements changed it; what is rolled back, to a savepoint too, is never told. One of
 * another connection, in this process or another one, gives CORM_CHANGE_UNKNOWN for each table that is watched, as do virtual
 * tables, changes of a table's schema, and rows after the first 100,000 of a transaction. A file is watched through inotify
 * or kqueue: on local file systems, on Linux and Apple's systems.
 *
 * A live query gives its result first, before this returns. It cannot begin inside a transaction.
 *
 * options      borrowed until return.
 * out_observer owned (corm_observer_close).
 *
 * Statuses: CORM_E_MISUSE, CORM_E_SQL, CORM_E_SCHEMA for what is not in the file, CORM_E_BINDING and CORM_E_TYPE for a key
 * that is none of the model's, CORM_E_TRANSACTION, CORM_E_IO when the system watches too many files, CORM_E_SQLITE when
 * SQLite was built without SQLITE_ENABLE_PREUPDATE_HOOK.
 */
corm_status corm_observer_open(corm_database *database, const corm_observe_options *options,
                               corm_observer **out_observer, corm_error **out_error);

/*
 * Ends a watch and frees it; it does not wait: a callback that runs on another thread runs to its end, and then `release` is
 * called. NULL and a second cancel are no-ops. May be called in the callback, and after the database was closed, which
 * ends its watches.
 */
void corm_observer_close(corm_observer *observer);

/*
 * The next event: CORM_ROW; CORM_AGAIN when none waits; CORM_DONE once the database is closed. An error of a live query comes
 * in the place of its event. Events of more than 1,000 transactions are made into one.
 *
 * out_event owned (corm_event_free).
 */
corm_status corm_observer_next(corm_observer *observer, corm_event **out_event, corm_error **out_error);

/*
 * A file descriptor to wait for with poll, select or a loop of events: it is readable while events wait, and at the end. The
 * observer's: read and close nothing. CORM_E_MISUSE for one with a callback.
 */
corm_status corm_observer_descriptor(corm_observer *observer, int32_t *out_descriptor, corm_error **out_error);

/*
 * Waits until an event waits or the watch has ended, which corm_observer_next then tells: CORM_OK, or CORM_AGAIN when the time is
 * over. milliseconds: 0: only looks; negative: without end. CORM_E_MISUSE for one with a callback. Close the observer on another
 * thread only after it returned.
 */
corm_status corm_observer_wait(corm_observer *observer, int32_t milliseconds, corm_error **out_error);

/* Frees an event that corm_observer_next gave. NULL is a no-op. */
void corm_event_free(corm_event *event);

/* What an event has; all 0 for a bad handle. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_event_info {
    /* How many rows changed; of a live query, in its result. */
    size_t change_count;
    /* How many rows the new result of a live query has; 0 for others. */
    size_t row_count;
    /* Whether another connection committed, in this process or another one. */
    bool is_foreign;
} corm_event_info;

/* What the event has. Returns: borrowed until the event is freed; never NULL. */
const corm_event_info *corm_event_info_get(corm_event *event);

/* One of the changes, from 0: first those that are gone from a live query's result, then the others in its order; NULL out of
   range. Returns: borrowed until the event is freed. */
const corm_change *corm_event_change_get(corm_event *event, size_t index);

/* One of the rows, from 0, its values in the order of corm_change's; NULL out of range. out_count: how many values. Returns:
   borrowed until the event is freed. */
const corm_value *corm_event_row_get(corm_event *event, size_t index, size_t *out_count);

/*
 * The records of a live query of a model, in the new result's order, as corm_query_fetch gives them. out_records: owned
 * (corm_records_free). CORM_E_MISUSE where it has no model.
 */
corm_status corm_event_records(corm_event *event, corm_records **out_records, corm_error **out_error);

CORM_END_DECLS

#endif
