/* Databases by name: a file per user, opened when it is used, closed when too many are open, migrated together. */
#ifndef CORMORANT_REGISTRY_H
#define CORMORANT_REGISTRY_H

#include "bundle.h"

CORM_BEGIN_DECLS

/*
 * Databases by name: those of a folder ("users/{name}.db"), and those that are registered one by one. Each is opened when it
 * is first used, once for all threads, and stays open while anybody holds it; of those that nobody holds, the one used longest
 * ago is closed when another is needed and the limit is reached. Safe to share between threads. In the child of a fork every
 * call gives CORM_E_MISUSE, but for corm_registry_close, which only forgets.
 */
typedef struct corm_registry corm_registry;

/*
 * Opens a registry; it opens no file yet.
 *
 * pattern      which files are databases without being registered, with {name} once, in the file's name; copied. NULL: none.
 *              A path that does not begin with a slash is meant from the working folder of now. Names cannot lead out of the
 *              folder: slashes, backslashes, control characters, a dot at the file's beginning, links, the endings of SQLite's
 *              own files and more than 230 bytes are refused. With CORM_OPEN_CREATE any other name makes a file: give
 *              CORM_OPEN_READ_WRITE where names come from outside.
 * limit        how many databases are open at once at most; 0: 64. Each has its file, its log, and these once more for each
 *              reader that its threads have needed (corm_open_options.reader_count).
 * options      how to open them, unless corm_registry_register says otherwise; copied, the key with them; NULL: all defaults.
 *              A key provider must live as long as the registry; it is given the path of each file that is opened. The
 *              busy timeout is also how long corm_registry_use waits when all that may be open are held.
 * out_registry owned (corm_registry_close).
 *
 * Statuses: CORM_E_MISUSE. Threading: any thread.
 */
corm_status corm_registry_open(const char *pattern, int32_t limit, const corm_open_options *options,
                               corm_registry **out_registry, corm_error **out_error);

/*
 * Closes a registry and its databases. NULL is a no-op. Waits up to a second for those who hold databases; when they do not
 * give them back, CORM_E_MISUSE says which are held, and the registry stays open. Threading: any thread.
 */
corm_status corm_registry_close(corm_registry *registry, corm_error **out_error);

/*
 * Gives a file a name of its own. It need not be there yet, and may be in any folder.
 *
 * name, path copied. options: as in corm_registry_open; NULL: those of the registry.
 *
 * Statuses: CORM_E_MISUSE for a name that is taken, a file that has a name already, and ":memory:".
 */
corm_status corm_registry_register(corm_registry *registry, const char *name, const char *path,
                                   const corm_open_options *options, corm_error **out_error);

/*
 * Gives a database, which is opened if it is not. It stays open until corm_database_close gives it back: then transactions
 * that the thread has begun in between are rolled back, and the file stays open for the next who asks, as long as there is
 * room. Its queues are closed first. Observers, caches and cursors live as long as the file is open: hold the database for as
 * long. One that raw SQL or an attached file left with settings of its own (ATTACH, temporary tables, PRAGMA) is closed when
 * nobody holds it any more. A file that was removed or replaced while nobody held it is opened anew.
 *
 * name         NULL: the current one. Borrowed until return.
 * out_database owned (corm_database_close); a handle of its own for each call, whoever else has the database.
 *
 * Statuses: CORM_E_BUSY when as many databases as may be open are held for longer than the busy timeout, by this thread, too;
 * CORM_E_MISUSE for a name that is not registered, with the nearest ones, or that no file can have; those of
 * corm_database_open. Threading: any thread.
 */
corm_status corm_registry_use(corm_registry *registry, const char *name, corm_database **out_database,
                              corm_error **out_error);

/* Makes a name the one that corm_registry_use gives for NULL where none is current; NULL: none. Statuses: CORM_E_MISUSE for a
   name that cannot be used. */
corm_status corm_registry_set_default(corm_registry *registry, const char *name, corm_error **out_error);

/* Makes a name the one that corm_registry_use gives for NULL, to all threads; NULL: the default one again. Statuses:
   CORM_E_MISUSE for a name that cannot be used. */
corm_status corm_registry_set_current(corm_registry *registry, const char *name, corm_error **out_error);

/* What a registry has now. */
typedef struct corm_registry_info {
    uint32_t struct_size;
    /* Zero. */
    uint32_t reserved;
    /* The default name. Borrowed until corm_registry_close; NULL for none. */
    const char *default_name;
    /* The current name or, where there is none, the default one. Borrowed as long; NULL for none. */
    const char *current_name;
    /* How many databases are open. */
    size_t open_count;
} corm_registry_info;

#define CORM_REGISTRY_INFO_INIT CORM_INIT_(corm_registry_info)

/* What the registry has now, which other threads may change at once. out_info: its struct_size set. */
corm_status corm_registry_info_read(corm_registry *registry, corm_registry_info *out_info, corm_error **out_error);

/*
 * The names of all databases, in order: those registered, and those in the folder whose files are there.
 *
 * out_names borrowed until corm_arena_clear or corm_arena_free.
 */
corm_status corm_registry_names(corm_registry *registry, corm_arena *arena, const char *const **out_names,
                                size_t *out_count, corm_error **out_error);

/*
 * Closes a database's file where it is open: to move, copy or remove it. Waits up to a second for those who hold it.
 * Statuses: CORM_E_MISUSE when they do not give it back.
 */
corm_status corm_registry_close_file(corm_registry *registry, const char *name, corm_error **out_error);

/*
 * Attaches a database of the registry to another one, as corm_database_attach with its path and key. It is attached until the
 * other is closed; it does not count among the open ones.
 * Statuses: CORM_E_TRANSACTION inside a transaction; those of corm_database_open.
 */
corm_status corm_registry_attach(corm_database *database, corm_registry *registry, const char *name, const char *schema,
                                 corm_error **out_error);

/* What became of one database of a fleet. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_registry_migration {
    /* Its name. Borrowed until return. */
    const char *name;
    /* Its place among them, from 0, and how many they are. */
    size_t index;
    size_t count;
    /* How many steps were applied; 0: it had them all. */
    size_t steps;
    /* What went wrong; NULL: nothing. Borrowed until return. */
    const corm_error *error;
} corm_registry_migration;

/* Runs on the thread of the call, after each database, and must not use the registry. false: stop. */
typedef bool (*corm_registry_migrate_callback)(const corm_registry_migration *migration, void *context);

/*
 * Applies the steps of a bundle that each database lacks, as corm_bundle_apply: a failure is told, and the others go on. What
 * is done stays done: after a crash, or when it was stopped, the same call goes on, and passes by those that lack nothing.
 * Those that were not open are closed again, so that the ones in use stay open.
 *
 * names      borrowed until return; name_count 0: all whose files are there.
 * last       the step to go to; NULL: all.
 * allow_lossy whether steps may drop tables and columns that hold something; else they fail where they would.
 * callback   told of each; NULL: nobody.
 * out_failed how many failed.
 *
 * Statuses: CORM_OK, whatever failed; CORM_E_INTERRUPTED when the callback stopped it. Threading: any thread.
 */
corm_status corm_registry_migrate(corm_registry *registry, const corm_bundle *bundle, const char *const *names,
                                  size_t name_count, const char *last, bool allow_lossy,
                                  corm_registry_migrate_callback callback, void *context, size_t *out_failed,
                                  corm_error **out_error);

CORM_END_DECLS

#endif
