/* JSON: text to records and back, also with their related records, also straight into a database. */
#ifndef CORMORANT_JSON_H
#define CORMORANT_JSON_H

#include "relation.h"

CORM_BEGIN_DECLS

/*
 * How values lie in JSON (RFC 8259, UTF-8). Both ways:
 *
 *   integers       numbers without fraction and exponent, exact to 64 bits
 *   bool           true, false
 *   double, float  numbers; an infinity is 9e999 or -9e999, as SQLite writes it, a server's NaN null
 *   text, varchar  strings
 *   blob           a string of base64
 *   datetime       a string of ISO 8601, "2026-01-31T12:00:00.000000Z" when written
 *   date, time     strings of ISO 8601, "2026-01-31" and "12:00:00" or "12:00:00.500000" when written
 *   duration       a number of microseconds, as integers
 *   uuid           a string
 *   decimal        a string; a number is taken too, its digits as they are
 *   json           any value, embedded as it is
 *   relations      under their names, where there are any: one record an object or null, many an array of objects
 *
 * A key that is missing stands for the column's default, else for NULL; where there is neither it is an error, as null is
 * in a column that cannot hold it. A key given twice is an error. Computed columns are written, and may be missing.
 * Values nest 1,000 levels deep at most, records in records 100.
 *
 * Errors name the path: "$.items[3].price: expected a number, found a string". CORM_E_JSON: no JSON, or not of the form
 * that the model has; CORM_E_TYPE, CORM_E_RANGE, CORM_E_ENCODING, CORM_E_NULL_VALUE: a value that its column cannot hold.
 * Values never appear in messages, but the key of a record that its struct does not hold.
 */

/* corm_json_options.names: what the keys are where a column has no corm_column_def.json_key, and those of relations. */
typedef int32_t corm_json_names;
#define CORM_JSON_PROPERTIES 0 /* the names of properties, as they are */
#define CORM_JSON_COLUMNS 1    /* the names of columns; a relation's name in snake_case */

/* How JSON is read and written. Zero everywhere (or NULL): properties, one document, unknown keys ignored. */
typedef struct corm_json_options {
    uint32_t struct_size;
    corm_json_names names;
    /* Reading: where the records are, such as "$.data.items" or "$.pages[0].rows". NULL: the document, "$". Copied. */
    const char *path;
    /* Reading: a key that the model does not have is an error, whose hint has the nearest ones. */
    bool refuse_unknown;
    /* One object after the other instead of an array ("JSON lines"); errors count them as if they were one. */
    bool lines;
    /* Zero. */
    uint8_t reserved[6];
} corm_json_options;

#define CORM_JSON_OPTIONS_INIT CORM_INIT_(corm_json_options)

/*
 * Makes records of JSON text that is fed to it: all at once, or in chunks as they come, so that an array of any length is
 * read in the memory of one chunk and one element. The place that the path leads to is an array of objects, or one
 * object. After an error every call gives that error again. Threading: one thread at a time.
 */
typedef struct corm_json_reader corm_json_reader;

/*
 * Makes a reader. model and those that its relations lead to must live as long as it. options: borrowed until return;
 * NULL: the defaults. out_reader: owned (corm_json_reader_free).
 */
corm_status corm_json_reader_create(const corm_model *model, const corm_json_options *options,
                                    corm_json_reader **out_reader, corm_error **out_error);

/* Takes the next bytes of the text; none are no change. data: copied. */
corm_status corm_json_reader_feed(corm_json_reader *reader, const void *data, size_t size, corm_error **out_error);
/* Says that the text has ended, without which it counts as not complete. */
corm_status corm_json_reader_end(corm_json_reader *reader, corm_error **out_error);

/*
 * Fills `record` with the next one that is complete: CORM_ROW, or CORM_DONE when there is none (more may come after the
 * next feed; after the end there is none). Its texts are borrowed until the next call or free.
 */
corm_status corm_json_reader_next(corm_json_reader *reader, void *record, corm_error **out_error);

/*
 * Up to max_records (0: all) that are complete, as an array: CORM_ROW, or CORM_DONE and an empty array. Asked for up to so many,
 * those before an element that is no record come first, and the next call gives its error; asked for all, this one does.
 * out_records: owned (corm_records_free).
 */
corm_status corm_json_reader_fetch(corm_json_reader *reader, size_t max_records, corm_records **out_records,
                                   corm_error **out_error);

/*
 * The related records that the newest _next or _fetch found under a relation, by the position of their owners in it;
 * of the next levels, "albums.tracks", by the position of theirs in corm_related_all. What no owner had is not there:
 * CORM_NOT_FOUND. They can be taken once. out_related: owned (corm_related_free).
 */
corm_status corm_json_reader_related(corm_json_reader *reader, const char *relations, corm_related **out_related,
                                     corm_error **out_error);

/* What corm_json_reader_import does with each record. */
typedef int32_t corm_write_operation;
#define CORM_WRITE_INSERT 1
#define CORM_WRITE_SAVE 2

/*
 * Writes the records that are complete, and the related ones within them, into a database in one transaction, within the
 * caller's where there is one: that makes one of many feeds. Transforms are not asked: JSON has what the file has.
 *
 * operation related records that are referred to by several are saved for each.
 * out_count how many records, without related ones; NULL accepted.
 * Statuses: those of record.h as well; corm_error_info.record_index says which record since the reader was made.
 */
corm_status corm_json_reader_import(corm_database *database, corm_json_reader *reader, corm_write_operation operation,
                                    int64_t *out_count, corm_error **out_error);

/* Frees the reader. NULL and a second free are no-ops. */
void corm_json_reader_free(corm_json_reader *reader);

/* Related records to write within their owners. */
typedef struct corm_json_nested {
    uint32_t struct_size;
    /* The relation, or those on the way to it: "albums", then "albums.tracks". */
    const char *relations;
    /* Of the records that are written, or of corm_related_all of the level above; its records are of this model. */
    const corm_related *related;
} corm_json_nested;

#define CORM_JSON_NESTED_INIT CORM_INIT_(corm_json_nested)

/*
 * Writes records side by side as a JSON array or, by options, as lines. A longer table goes in parts: lines of the records
 * that a cursor gives, one text after the other.
 *
 * records  structs of model, borrowed until return, as are nested (NULL: none; a level after the one above) and options.
 * out_text borrowed until corm_arena_clear or corm_arena_free; ends in a NUL, which out_size does not count. out_size: NULL accepted.
 */
corm_status corm_json_write(const corm_model *model, const void *records, size_t count, const corm_json_nested *nested,
                            size_t nested_count, const corm_json_options *options, corm_arena *arena,
                            const char **out_text, size_t *out_size, corm_error **out_error);

CORM_END_DECLS

#endif
