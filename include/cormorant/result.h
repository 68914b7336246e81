/* Rows of raw SQL, streamed in constant memory. For rows that are records of a model see query.h. */
#ifndef CORMORANT_RESULT_H
#define CORMORANT_RESULT_H

#include "database.h"

CORM_BEGIN_DECLS

/*
 * A running statement. Threading: one thread at a time; calls wait for another thread's transaction to end. Close does not:
 * within such a transaction, the statement ends with that thread's next call. Closed with its database at the latest.
 */
typedef struct corm_result corm_result;

/*
 * Starts a statement; corm_result_next steps it: one that writes does so with the first of these. sql and values as in
 * corm_database_execute, copied.
 *
 * out_result owned (corm_result_close). Statuses: as corm_database_execute.
 */
corm_status corm_result_open(corm_database *database, const char *sql, const corm_value *values, size_t value_count,
                             corm_result **out_result, corm_error **out_error);

/* Ends the statement and frees the result. NULL and a second close are no-ops. */
void corm_result_close(corm_result *result);

/* Goes to the next row. Returns CORM_ROW, CORM_DONE, or an error, after which only close makes sense. */
corm_status corm_result_next(corm_result *result, corm_error **out_error);

/*
 * How many columns a row has; 0 for a bad handle or a statement without rows. Another program may have altered the table:
 * before the first corm_result_next a statement that only reads goes to its first row to know, as do the two functions below.
 * corm_result_next then gives that row, or the error. Of one that writes it is what was known when it was opened.
 */
size_t corm_result_column_count(corm_result *result);

/* A column's name; NULL out of range. Returns: borrowed until corm_result_close. */
const char *corm_result_column_name(corm_result *result, size_t column);

/* A column's index by name, first match, ASCII case ignored; SIZE_MAX for none. name: borrowed until return. */
size_t corm_result_column_index(corm_result *result, const char *name);

/*
 * One value of the row, as SQLite holds it. Its bytes are borrowed until the next corm_result_next or close.
 *
 * Statuses: CORM_E_MISUSE before the first row, after the last, or for a column out of range.
 */
corm_status corm_result_get(corm_result *result, size_t column, corm_value *out_value, corm_error **out_error);

/* corm_result_get by column name. An unknown name is CORM_E_MISUSE and its message lists the columns. */
corm_status corm_result_get_named(corm_result *result, const char *name, corm_value *out_value, corm_error **out_error);

/*
 * One value of the row as what it is meant to be: double also of an integer, bool of 0 and 1, text without a NUL in it. Of
 * NULL, text and blob are NULL. A value of another type (CORM_E_TYPE), NULL as a number (CORM_E_NULL_VALUE) and a column out of
 * range give 0 or NULL, and the next corm_result_next gives the error: a loop that ends with CORM_DONE has read all rightly.
 * Returns: texts and blobs are borrowed until the next corm_result_next or close.
 */
int64_t corm_result_int64(corm_result *result, size_t column);
double corm_result_double(corm_result *result, size_t column);
bool corm_result_bool(corm_result *result, size_t column);
const char *corm_result_text(corm_result *result, size_t column);
corm_blob corm_result_blob(corm_result *result, size_t column);
/* Whether the value is NULL; true where there is none. */
bool corm_result_is_null(corm_result *result, size_t column);

/*
 * The row as one JSON object, keys in column order; a blob is its base64, an infinity 9e999 or -9e999. Two columns of one
 * name are CORM_E_MISUSE.
 *
 * out_json borrowed until the next corm_result_next, _row_json or close.
 */
corm_status corm_result_row_json(corm_result *result, const char **out_json, corm_error **out_error);

/*
 * The rows that are left as one JSON array of such objects. For rows as columns see columns.h.
 *
 * out_json borrowed until the next corm_result_json, _row_json or close.
 */
corm_status corm_result_json(corm_result *result, const char **out_json, corm_error **out_error);

CORM_END_DECLS

#endif
