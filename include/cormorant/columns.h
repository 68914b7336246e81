/*
 * Results as columns, through the Arrow C stream interface: what pyarrow, polars, pandas, DuckDB and R take as it is.
 * https://arrow.apache.org/docs/format/CDataInterface.html, https://arrow.apache.org/docs/format/CStreamInterface.html
 */
#ifndef CORMORANT_COLUMNS_H
#define CORMORANT_COLUMNS_H

#include "query.h"

CORM_BEGIN_DECLS

/* The three structs as Arrow gives them. Its guards let several headers of one program bring them along. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/*
 * The rows that are left of a result as columns: a stream of record batches of 65,536 rows, or fewer where their texts and
 * blobs come to 64 MiB, so that memory is bounded by a batch. No row left gives a stream without batches whose schema is
 * right all the same.
 *
 * A column's type is the first of these that is known, and every value must fit it:
 *   1. of a model's column, its type: CORM_INT64 is "l" (unsigned "L"), CORM_INT32 "i" ("I"), CORM_BOOL "b", CORM_DOUBLE
 *      "g", CORM_FLOAT "f", CORM_BLOB "z", CORM_DATETIME "tsu:UTC", CORM_DATE "tdD", CORM_TIME "ttu", CORM_DURATION "tDu",
 *      all others "u";
 *   2. of a table's column, the declared type by SQLite's rules of affinity: INTEGER is "l", REAL "g", TEXT "u", BLOB "z".
 *      NUMERIC or DECIMAL is "g", BOOLEAN "b", DATETIME and TIMESTAMP "tsu:UTC", DATE "tdD", TIME "ttu", DURATION "tDu", unless the first value is none of that;
 *   3. the type found in the first batch, where integers among reals become reals; "n" when it is all NULL.
 * In whole records of a model a column is nullable where the property is and the column is not NOT NULL; all others are.
 *
 * result     consumed, whatever the outcome.
 * out_stream owned (its release). Its functions return 0 or an errno, and get_last_error has the message; after an error
 *            every get_next gives the same one. Batches stay valid after the stream, and after the database, is gone.
 * Statuses: what the first batch met: CORM_E_TYPE, CORM_E_RANGE, CORM_E_ENCODING or CORM_E_NULL_VALUE naming column and row
 * (counted from 0), or an error of the statement. Threading: the stream is as the result was, release included; a batch is
 * used and released on any thread.
 */
corm_status corm_result_arrow(corm_result *result, struct ArrowArrayStream *out_stream, corm_error **out_error);

/*
 * The records of a query as columns, which are called as the model's properties. model, query: as in corm_query_fetch; the
 * model's record_size may be 0. out_stream: as above.
 */
corm_status corm_query_arrow(corm_database *database, const corm_model *model, const corm_query *query,
                             struct ArrowArrayStream *out_stream, corm_error **out_error);

CORM_END_DECLS

#endif
