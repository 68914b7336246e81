/* Values that go into SQL and come out of it, optional fields of records, and the memory that texts live in. */
#ifndef CORMORANT_VALUE_H
#define CORMORANT_VALUE_H

#include "base.h"

#include <string.h>

CORM_BEGIN_DECLS

/*
 * Lists of names. Properties and columns are named in one text, with commas between: "title, year". Blanks around a name do
 * not count. Where the order of rows is meant, "-" in front of a name means descending: "-year, title". A name in double quotes is
 * taken as it stands between them ("" is one quote), so that it may hold a comma or begin with a blank. NULL is no list; one
 * that has no name at a place, "" and "a,,b", is CORM_E_MISUSE; of an update "" is a list of none, which writes nothing.
 */

/* A limit of a query's or a statement's struct that lets no row through, where 0 lets all:
   .limit = count > 0 ? count : CORM_LIMIT_NO_ROWS. */
#define CORM_LIMIT_NO_ROWS (-1)

/* Text with its size in bytes, so that it may hold a NUL. data NULL is SQL NULL; size 0 with data is empty text. */
typedef struct corm_text {
    const char *data;
    size_t size;
} corm_text;

/* Bytes. data NULL is SQL NULL; size 0 with data is an empty blob. */
typedef struct corm_blob {
    const void *data;
    size_t size;
} corm_blob;

/* A UUID as its 16 bytes, most significant first; the file holds its 36 lower-case characters. */
typedef struct corm_uuid {
    uint8_t bytes[16];
} corm_uuid;

/* A point in time: microseconds since 1970-01-01 00:00:00 UTC. The file holds 'YYYY-MM-DD HH:MM:SS', and '.ffffff' behind it
   where that is not zero: texts that compare as the times do. Another form in a datetime column is CORM_E_TYPE when the column is
   used; the function corm_datetime(text) of SQL gives the form. Times beyond the years 1 to 9999 are CORM_E_RANGE. */
typedef int64_t corm_datetime;

/*
 * A point in time with the offset from UTC of the clock that told it: a corm_datetime has the moment alone. The file holds the moment
 * in UTC and the offset behind it, as RFC 9557 writes it: 'YYYY-MM-DD HH:MM:SS.ffffffZ[+HH:MM]', with :SS behind an offset that has
 * seconds. So texts sort by the moment; those of one moment and two offsets are two values to UNIQUE, GROUP BY and keys, and equal
 * to conditions that expressions and queries compare. Texts that are given are ISO 8601 with an offset; one without is CORM_E_TYPE. A
 * year beyond 1 to 9999, in UTC or by the clock, and an offset of a day or more are CORM_E_RANGE. In a corm_value that comes out
 * of a record it is ISO 8601: "2026-01-31T12:00:00+01:00".
 */
typedef struct corm_offset_datetime {
    /* The moment: microseconds since 1970-01-01 00:00:00 UTC. */
    int64_t microseconds;
    /* How many seconds the clock is ahead of UTC; negative: behind it. */
    int32_t offset_seconds;
} corm_offset_datetime;

/* A day of the calendar: days since 1970-01-01. The file holds 'YYYY-MM-DD'. Days beyond the years 1 to 9999 are CORM_E_RANGE. */
typedef int32_t corm_date;

/* A time of day: microseconds since midnight. The file holds 'HH:MM:SS', and '.ffffff' behind it where that is not zero. What is
   not less than a day is CORM_E_RANGE. Another form in a date or time column is CORM_E_TYPE, as for a datetime; the functions
   date(text) and corm_time(text) of SQL give the form. */
typedef int64_t corm_time;

/* How long something takes, or a difference of times: microseconds, which the file holds as that integer. May be negative. */
typedef int64_t corm_duration;

/*
 * Numbers that can be NULL. A field of one of these types is a nullable column; a plain number is a NOT NULL column.
 * All bytes zero is NULL.
 */
typedef struct corm_optional_int64 {
    bool has_value;
    int64_t value;
} corm_optional_int64;

typedef struct corm_optional_int32 {
    bool has_value;
    int32_t value;
} corm_optional_int32;

typedef struct corm_optional_bool {
    bool has_value;
    bool value;
} corm_optional_bool;

typedef struct corm_optional_double {
    bool has_value;
    double value;
} corm_optional_double;

typedef struct corm_optional_float {
    bool has_value;
    float value;
} corm_optional_float;

typedef struct corm_optional_uuid {
    bool has_value;
    corm_uuid value;
} corm_optional_uuid;

typedef struct corm_optional_offset_datetime {
    bool has_value;
    corm_offset_datetime value;
} corm_optional_offset_datetime;

/* corm_value.type */
typedef int32_t corm_value_type;

#define CORM_VALUE_NULL 0
#define CORM_VALUE_INTEGER 1
#define CORM_VALUE_REAL 2
#define CORM_VALUE_TEXT 3
#define CORM_VALUE_BLOB 4
/* Only going in: an unsigned integer; above INT64_MAX it is refused with CORM_E_RANGE. Comes out as an integer. */
#define CORM_VALUE_UNSIGNED 5
/* Only going in: as.integer is a corm_datetime. Comes out as its text. */
#define CORM_VALUE_DATETIME 6
/* Only going in: as.bytes are the 16 of a corm_uuid. Comes out as its text. */
#define CORM_VALUE_UUID 7
/* Only going in: as.integer is a corm_date. Comes out as its text. */
#define CORM_VALUE_DATE 8
/* Only going in: as.integer is a corm_time. Comes out as its text. */
#define CORM_VALUE_TIME 9
/* Only going in, as a parameter of a statement that stands for the values of an IN (CORM_OP_IN, expression.h): as.bytes.data is
   an array of corm_value, as.bytes.size how many there are. */
#define CORM_VALUE_LIST 10
/* Only going in: as.offset_datetime. Comes out as a text. */
#define CORM_VALUE_OFFSET_DATETIME 11

/*
 * One value of any type. As a binding, `name` NULL means the next position (`?`, or `?N` by order), else the parameter
 * so named, with or without its `:`, `@` or `$`. As an attribute, `name` is the property. All bytes zero is NULL.
 * Bytes going in are borrowed until the call returns; coming out, until the event the function names.
 */
typedef struct corm_value {
    const char *name;
    corm_value_type type;
    /* Zero. */
    int32_t reserved;
    union {
        int64_t integer;
        uint64_t unsigned_integer;
        double real;
        struct {
            const void *data;
            size_t size;
        } bytes;
        corm_offset_datetime offset_datetime;
    } as;
} corm_value;

/* The value NULL. */
static inline corm_value corm_value_null(void) {
    corm_value value;
    memset(&value, 0, sizeof value);
    return value;
}

/* An integer. */
static inline corm_value corm_value_int64(int64_t integer) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_INTEGER;
    value.as.integer = integer;
    return value;
}

/* An unsigned integer; refused when used if it is above INT64_MAX. */
static inline corm_value corm_value_uint64(uint64_t integer) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_UNSIGNED;
    value.as.unsigned_integer = integer;
    return value;
}

/* A truth value: the integer 1 or 0. */
static inline corm_value corm_value_bool(bool truth) { return corm_value_int64(truth ? 1 : 0); }

/* A real. NaN is refused when used. */
static inline corm_value corm_value_double(double real) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_REAL;
    value.as.real = real;
    return value;
}

/* A text of `size` bytes, borrowed; data NULL gives SQL NULL. */
static inline corm_value corm_value_text_size(const char *data, size_t size) {
    corm_value value = corm_value_null();
    value.type = data ? CORM_VALUE_TEXT : CORM_VALUE_NULL;
    value.as.bytes.data = data;
    value.as.bytes.size = data ? size : 0;
    return value;
}

/* A NUL-terminated text, borrowed; NULL gives SQL NULL. */
static inline corm_value corm_value_text(const char *text) {
    return corm_value_text_size(text, text ? strlen(text) : 0);
}

/* A blob of `size` bytes, borrowed; data NULL gives SQL NULL. */
static inline corm_value corm_value_blob(const void *data, size_t size) {
    corm_value value = corm_value_null();
    value.type = data ? CORM_VALUE_BLOB : CORM_VALUE_NULL;
    value.as.bytes.data = data;
    value.as.bytes.size = data ? size : 0;
    return value;
}

/* A point in time, in the form of a datetime column. */
static inline corm_value corm_value_datetime(corm_datetime microseconds) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_DATETIME;
    value.as.integer = microseconds;
    return value;
}

/* A day, in the form of a date column. */
static inline corm_value corm_value_date(corm_date days) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_DATE;
    value.as.integer = days;
    return value;
}

/* A time of day, in the form of a time column. A corm_duration is corm_value_int64. */
static inline corm_value corm_value_time(corm_time microseconds) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_TIME;
    value.as.integer = microseconds;
    return value;
}

/* A point in time with its offset, in the form of an offset datetime column. */
static inline corm_value corm_value_offset_datetime(corm_offset_datetime time) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_OFFSET_DATETIME;
    value.as.offset_datetime = time;
    return value;
}

/* A UUID, borrowed, in the form of a UUID column; NULL gives SQL NULL. */
static inline corm_value corm_value_uuid(const corm_uuid *uuid) {
    corm_value value = corm_value_null();
    value.type = uuid ? CORM_VALUE_UUID : CORM_VALUE_NULL;
    value.as.bytes.data = uuid;
    value.as.bytes.size = uuid ? sizeof(corm_uuid) : 0;
    return value;
}

/* The values of an IN, borrowed with what they point to: corm_value_named("ids", corm_value_list(values, count)). */
static inline corm_value corm_value_list(const corm_value *values, size_t count) {
    corm_value value = corm_value_null();
    value.type = CORM_VALUE_LIST;
    value.as.bytes.data = values;
    value.as.bytes.size = count;
    return value;
}

/* The same value with a parameter or property name, borrowed. */
static inline corm_value corm_value_named(const char *name, corm_value value) {
    value.name = name;
    return value;
}

/* `CORM_VALUES(corm_value_int64(1), corm_value_text("x"))` is an array of values and its count: two arguments. */
#define CORM_VALUES(...) CORM_ARRAY_(corm_value, __VA_ARGS__), CORM_COUNT_(corm_value, __VA_ARGS__)
/* No values: two arguments. */
#define CORM_NO_VALUES NULL, 0

/*
 * Memory for the texts and blobs of records that the library fills in. One arena serves any number of records; their
 * texts live until corm_arena_clear or corm_arena_free. Threading: one thread at a time.
 */
typedef struct corm_arena corm_arena;

/* A new, empty arena. Returns: owned (corm_arena_free). */
corm_arena *corm_arena_create(void);
/* Forgets every text in the arena and keeps its memory for the next ones. NULL is a no-op. */
void corm_arena_clear(corm_arena *arena);
/* Frees the arena and every text in it. NULL is a no-op. */
void corm_arena_free(corm_arena *arena);
/*
 * A copy of `size` bytes in the arena, followed by a NUL; for transforms. data may be NULL when size is 0.
 * Returns: borrowed until corm_arena_clear or corm_arena_free; NULL for a bad arena or without memory.
 */
char *corm_arena_copy(corm_arena *arena, const void *data, size_t size);

CORM_END_DECLS

#endif
