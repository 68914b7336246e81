/* Version, status codes and the macros every other header needs. */
#ifndef CORMORANT_BASE_H
#define CORMORANT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <initializer_list>
#define CORM_BEGIN_DECLS extern "C" {
#define CORM_END_DECLS }
#else
#define CORM_BEGIN_DECLS
#define CORM_END_DECLS
#endif

/* The version of the headers. */
#define CORM_VERSION_MAJOR 0
#define CORM_VERSION_MINOR 1
#define CORM_VERSION_PATCH 0
#define CORM_VERSION "0.1.0"
/* Whether the header is of this version or a later one, for #if. corm_version() has the version of the library. */
#define CORM_VERSION_AT_LEAST(major, minor, patch)                                                                     \
    (CORM_VERSION_MAJOR > (major) || (CORM_VERSION_MAJOR == (major) && CORM_VERSION_MINOR > (minor)) ||                \
     (CORM_VERSION_MAJOR == (major) && CORM_VERSION_MINOR == (minor) && CORM_VERSION_PATCH >= (patch)))

/* What the _INIT macros are: a struct of zeros that says how long it is. One that says what cannot be is CORM_E_MISUSE, and no
   `release` in it is called. */
#ifdef __cplusplus
template <typename Struct> inline Struct corm_sized_struct() {
    Struct made = Struct();
    made.struct_size = sizeof(Struct);
    return made;
}
template <typename Value> inline const Value *corm_address_of(const Value &value) { return &value; }
template <typename Record> inline Record *corm_pointer_to(Record *record) { return record; }
template <typename Record> inline const Record *corm_pointer_to(const Record *record) { return record; }
/* For sizeof: as many bytes as there are items. */
template <typename Item, size_t Count> char (&corm_items_of(const Item (&items)[Count]))[Count];
#define CORM_INIT_(type) corm_sized_struct<type>()
#else
#define CORM_INIT_(type) {.struct_size = sizeof(type)}
#endif

/* How long a member is. What macros put into an expression: a pointer to a struct with these members; an array, and how many items it
   has. In C they last as long as the block, in C++, which has no such literals, until the end of the whole expression. */
#ifdef __cplusplus
#define CORM_SIZE_(type, member) sizeof(type::member)
#define CORM_STRUCT_(type, ...) corm_address_of(type{.struct_size = sizeof(type), __VA_ARGS__})
#define CORM_ARRAY_(type, ...) (std::initializer_list<type>{__VA_ARGS__}.begin())
#define CORM_COUNT_(type, ...) (sizeof(corm_items_of<type>({__VA_ARGS__})))
#else
#define CORM_SIZE_(type, member) sizeof(((type *)0)->member)
#define CORM_STRUCT_(type, ...) (&(const type){.struct_size = sizeof(type), __VA_ARGS__})
#define CORM_ARRAY_(type, ...) ((type const[]){__VA_ARGS__})
#define CORM_COUNT_(type, ...) (sizeof((type const[]){__VA_ARGS__}) / sizeof(type))
#endif

/* Behind a member that an initialiser may leave out: it is zero then, of which -Wextra warns in C++ where nothing says so. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define CORM_ZERO = {}
#else
#define CORM_ZERO
#endif

CORM_BEGIN_DECLS

/* Called once with the context that a callback was given, when the callback will not run any more. */
typedef void (*corm_release)(void *context);

/*
 * What every fallible function returns. Zero and above is no error: nothing was written to out_error. Below zero is an
 * error, and *out_error (where out_error is not NULL) holds an owned corm_error. Values are never renumbered or reused.
 */
typedef int32_t corm_status;

/* The call did what it says. */
#define CORM_OK 0
/* A cursor or result stands on a row. */
#define CORM_ROW 1
/* A cursor or result has no more rows. */
#define CORM_DONE 2
/* No such record; nothing was read, changed or deleted. */
#define CORM_NOT_FOUND 3
/* Nothing was written: an insert with CORM_CONFLICT_IGNORE met a conflict, or an update has nothing to write. */
#define CORM_IGNORED 4
/* Nothing has come yet: ask again, when the descriptor is readable. */
#define CORM_AGAIN 5
/* The entry is not what it was when it was read: somebody else wrote, deleted or added it; nothing was done. */
#define CORM_CHANGED 6

/* A NULL, closed or wrong kind of handle, or an argument that can never be right. */
#define CORM_E_MISUSE (-1)
/*
 * Memory could not be had: for texts, blobs and arrays that the caller gives or reads, of more than a megabyte, and for what
 * SQLite needs. A small piece of memory of the library's own that the system refuses ends the process by SIGABRT, SIGILL or
 * SIGSEGV, whose handlers are told before: Swift's run time does so. Nothing that was committed is lost by that. Where memory
 * is scarce, set a limit to what is read at once (corm_cursor, corm_query.limit) and to what SQLite may take
 * (PRAGMA hard_heap_limit).
 */
#define CORM_E_NO_MEMORY (-2)
/* A defect of this library; please report it. */
#define CORM_E_INTERNAL (-3)
/* The operating system refused a read, a write or a lock, or the file was deleted, moved or replaced while it was open. */
#define CORM_E_IO (-4)
/* The file cannot be opened: missing, unreadable, a directory. */
#define CORM_E_CANNOT_OPEN (-5)
/* The file is no SQLite database, or it is encrypted. */
#define CORM_E_NOT_A_DATABASE (-6)
/* The file, or this handle, may only be read. */
#define CORM_E_READ_ONLY (-7)
/* Another connection held a lock for longer than the busy timeout. */
#define CORM_E_BUSY (-8)
/* The file is damaged. */
#define CORM_E_CORRUPT (-9)
/* The disk is full. */
#define CORM_E_FULL (-10)
/* corm_database_interrupt stopped the call. */
#define CORM_E_INTERRUPTED (-11)
/* The SQL does not compile; corm_error_info.offset says where. Or a text is no query of full-text search. */
#define CORM_E_SQL (-12)
/* Too few, too many or unknown bindings. */
#define CORM_E_BINDING (-13)
/* A constraint that is none of the four below, or a trigger, refused the write. */
#define CORM_E_CONSTRAINT (-14)
/* A UNIQUE or PRIMARY KEY constraint refused the write. */
#define CORM_E_UNIQUE (-15)
/* A NOT NULL constraint refused the write. */
#define CORM_E_NOT_NULL (-16)
/* A FOREIGN KEY constraint refused the write. */
#define CORM_E_FOREIGN_KEY (-17)
/* A CHECK constraint refused the write. */
#define CORM_E_CHECK (-18)
/* A value is of another type than its column. */
#define CORM_E_TYPE (-19)
/* A number or text does not fit into its field, or is NaN, which SQLite cannot store. */
#define CORM_E_RANGE (-20)
/* Text is not UTF-8, holds a NUL where the field cannot, or has none where an array of char needs one. */
#define CORM_E_ENCODING (-21)
/* The file holds NULL where the field cannot. */
#define CORM_E_NULL_VALUE (-22)
/* The descriptor of a model cannot work. */
#define CORM_E_MODEL (-23)
/* The file's tables are not what the model says. */
#define CORM_E_SCHEMA (-24)
/* Transactions out of order: none is open on this thread, or SQLite has already rolled it back. */
#define CORM_E_TRANSACTION (-25)
/* A text, blob or statement is longer than SQLite takes. */
#define CORM_E_TOO_BIG (-26)
/* A callback of the host program reported failure. */
#define CORM_E_CALLBACK (-27)
/* update or refresh of a record that is not in the table. */
#define CORM_E_NO_RECORD (-28)
/* Any other SQLite error; corm_error_info.sqlite_code says which. */
#define CORM_E_SQLITE (-29)
/* The text is no JSON, or not of the form that the model has; the message names the path. */
#define CORM_E_JSON (-30)
/* A migration would lose something it was not told to, or cannot be made; the message lists what is in the way. */
#define CORM_E_MIGRATION (-31)
/* A step was changed after it was applied, or differs from its bundle's manifest. */
#define CORM_E_MIGRATION_MODIFIED (-32)
/* A step that the file or the manifest knows is not there. */
#define CORM_E_MIGRATION_MISSING (-33)
/* A step that is not applied stands before one that is. */
#define CORM_E_MIGRATION_ORDER (-34)
/* A step began outside a transaction and did not finish. */
#define CORM_E_MIGRATION_DIRTY (-35)
/* The file has steps, or a version, later than this program knows. */
#define CORM_E_MIGRATION_NEWER (-36)
/* The file's schema is not what its last step left. */
#define CORM_E_MIGRATION_DRIFT (-37)
/* The key does not open the file, or it was encrypted with another cipher or other settings. */
#define CORM_E_WRONG_KEY (-38)
/* The file is encrypted and no key was given. */
#define CORM_E_KEY_MISSING (-39)
/* A key was given for a file that is not encrypted. */
#define CORM_E_NOT_ENCRYPTED (-40)
/* A page of an encrypted file is not what was written; the message says which. */
#define CORM_E_ALTERED (-41)
/* An encrypted file was cut off. */
#define CORM_E_TRUNCATED (-42)
/* libcrypto cannot be loaded, or a codec fails. */
#define CORM_E_CIPHER (-43)
/* The row was written since the record was read, as its version tells; nothing was changed. */
#define CORM_E_STALE_RECORD (-44)
/* A query has no row where exactly one is expected. */
#define CORM_E_NO_ROWS (-45)
/* A query has several rows where exactly one is expected. */
#define CORM_E_SEVERAL_ROWS (-46)
/* A validator of the program's refused a record (corm_record_hooks); the message names model and property. */
#define CORM_E_VALIDATION (-47)
/* Another transaction wrote what this one read or writes: it is rolled back, and can be tried again. */
#define CORM_E_CONFLICT (-48)
/* The engine of the database, or this version of it, does not have what was asked for. */
#define CORM_E_UNSUPPORTED (-49)
/* The server cannot be reached, refused the connection or ended it. */
#define CORM_E_CONNECTION (-50)

/*
 * The name of a status, such as "CORM_E_UNIQUE"; "CORM_UNKNOWN" for a number that is none.
 *
 * Returns: static. Threading: any thread.
 */
const char *corm_status_name(corm_status status);

/*
 * The version of the library that is loaded, such as "0.1.0". Compare with CORM_VERSION, the header's.
 *
 * Returns: static. Threading: any thread.
 */
const char *corm_version(void);

/*
 * The version of the SQLite library underneath, such as "3.40.1".
 *
 * Returns: static. Threading: any thread.
 */
const char *corm_sqlite_version(void);

CORM_END_DECLS

#endif
