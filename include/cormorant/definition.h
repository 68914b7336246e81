/* Definitions of models: their columns, keys and references. */
#ifndef CORMORANT_DEFINITION_H
#define CORMORANT_DEFINITION_H

#include "database.h"
#include "error.h"
#include "field.h"

CORM_BEGIN_DECLS

/*
 * Column types, what the file holds, and which C fields may carry them. CORM_COLUMN tells the library the field's type, so
 * that any other is CORM_E_MODEL. A field of type corm_value carries any column. A plain number or an array is a NOT NULL
 * column; corm_optional_* is nullable; other texts and blobs are nullable unless not_null is set. What the file holds and the
 * field cannot is CORM_E_RANGE.
 */
typedef int32_t corm_type;

#define CORM_INT64 1  /* INTEGER        int64_t, corm_optional_int64 (is_unsigned: uint64_t) */
#define CORM_INT32 2  /* INTEGER        int32_t, int16_t, int8_t, corm_optional_int32 (is_unsigned: uint32_t, ...) */
#define CORM_BOOL 3   /* BOOLEAN        bool, corm_optional_bool */
#define CORM_DOUBLE 4 /* REAL           double, corm_optional_double */
#define CORM_FLOAT 5  /* REAL           float, corm_optional_float; rounded to float when read */
#define CORM_TEXT                                                                                                      \
    6 /* TEXT           const char *, char[n] (both: text with NUL is CORM_E_ENCODING), corm_text; see choices */
#define CORM_VARCHAR 7  /* VARCHAR(n)     as CORM_TEXT; `length` characters at most, checked by SQLite */
#define CORM_BLOB 8     /* BLOB           corm_blob */
#define CORM_DATETIME 9 /* DATETIME       corm_datetime, corm_optional_int64; see value.h */
#define CORM_UUID 10    /* UUID_TEXT      corm_uuid, corm_optional_uuid */
#define CORM_DECIMAL 11 /* DECIMAL_TEXT   as CORM_TEXT; checked to be a decimal number; expressions calculate exactly */
#define CORM_JSON 12    /* JSON_TEXT      as CORM_TEXT; checked by SQLite to be JSON */
#define CORM_DATE 13    /* DATE          corm_date, corm_optional_int32; see value.h */
#define CORM_TIME 14    /* TIME          corm_time, corm_optional_int64; see value.h */
#define CORM_OFFSET_DATETIME                                                                                           \
    16 /* OFFSET_DATETIME corm_offset_datetime, corm_optional_offset_datetime: keeps its offset; see value.h */
#define CORM_DURATION 15 /* DURATION      corm_duration, corm_optional_int64; an integer in the file */

/* What a foreign key does when the referenced row goes or its key changes. */
typedef int32_t corm_action;
#define CORM_ACTION_NONE 0 /* NO ACTION */
#define CORM_ACTION_RESTRICT 1
#define CORM_ACTION_SET_NULL 2
#define CORM_ACTION_SET_DEFAULT 3
#define CORM_ACTION_CASCADE 4

/*
 * Own conversion between a field and its column value. Both run on the thread of the call, inside it, and must not call
 * the library with the same database. Below zero they have failed: the call fails with that status, or with *out_error
 * (corm_error_create), which is given away, and the error names the column.
 */
typedef struct corm_transform {
    uint32_t struct_size;
    /* field: borrowed, the record's field. out_value: what the column gets; its bytes must live until the call returns. */
    corm_status (*encode)(const void *field, corm_value *out_value, void *context, corm_error **out_error);
    /* value: borrowed until return. field: to be filled. arena: for its texts (corm_arena_copy); may be NULL. */
    corm_status (*decode)(const corm_value *value, void *field, corm_arena *arena, void *context,
                          corm_error **out_error);
    /* Handed to both. */
    void *context;
} corm_transform;

#define CORM_TRANSFORM_INIT CORM_INIT_(corm_transform)

/*
 * Says whether the field of a column is as it should be, before it is written. Not called where the field is NULL, which not_null
 * is about.
 *
 * field: borrowed, the record's field. Below zero it is refused: the write fails with CORM_E_VALIDATION and the message of
 * *out_error (corm_error_create), which is given away, behind model and property; another status than CORM_E_CALLBACK and
 * CORM_E_VALIDATION in that stays.
 */
typedef corm_status (*corm_validator)(const void *field, void *context, corm_error **out_error);

/*
 * Called around a write of a record, on the thread of the call, in the transaction of the write (of a batch, in the batch's). It
 * may use the database, and what it writes is part of that transaction, which it cannot end; hooks within hooks 64 deep are
 * CORM_E_MISUSE. Below zero the write is refused: all of it is undone, and the call fails with that status, or with *out_error
 * (corm_error_create), which is given away. Key, version and times that came into the record are taken back then.
 *
 * database: that of the call. record: borrowed, the record of the call. arena: the call's, for texts of the record
 * (corm_arena_copy); may be NULL.
 */
typedef corm_status (*corm_record_hook)(corm_database *database, void *record, corm_arena *arena, void *context,
                                        corm_error **out_error);

/*
 * What is called around the writes of a model's records; NULL: nothing. Before hooks may change the record: what they set is
 * written, by an update of some properties, too. The order: before_save; before_insert or before_update; validators of columns
 * (corm_column_def.validate), then validate; the write; after_insert or after_update; after_save.
 *
 * The save hooks are called by whatever writes a record's fields: insert, update, save, upsert, alone, in batches and in
 * corm_relation_save; the insert hooks by an insert alone, and by an upsert with keep_row that inserts; the update hooks by an
 * update alone, since a save and an upsert do not know which of both they will be. After hooks are called where a row was
 * written or deleted. Statements, SQL, corm_record_delete_key and corm_query_delete, cascades, and rows that CORM_CONFLICT_REPLACE
 * deletes have no record, and call nothing. What would pass by hooks or validators is CORM_E_MISUSE: corm_json_reader_import. In a
 * batch of a queue (corm_batch_insert ...) they are called when it is written, on the queue's thread, with the queue's copy of the
 * record, in which what the model has no column for is zero.
 *
 * Of a model without structs (record_size 0) nothing is called: what writes its rows, such as a binding, calls the hooks
 * that it says are there by giving this, zero or not.
 */
typedef struct corm_record_hooks {
    uint32_t struct_size;
    corm_record_hook before_insert;
    corm_record_hook after_insert;
    corm_record_hook before_update;
    corm_record_hook after_update;
    corm_record_hook before_save;
    corm_record_hook after_save;
    /* They get the record of the call as it is, which they must not change. */
    corm_record_hook before_delete;
    corm_record_hook after_delete;
    /* As corm_validator, of the whole record. */
    corm_status (*validate)(const void *record, void *context, corm_error **out_error);
    /* Handed to all. */
    void *context;
} corm_record_hooks;

#define CORM_RECORD_HOOKS_INIT CORM_INIT_(corm_record_hooks)
/* CORM_HOOKS(.before_save = normalize): a pointer to hooks, in C. */
#define CORM_HOOKS(...) (&(const corm_record_hooks){.struct_size = sizeof(corm_record_hooks), __VA_ARGS__})

/* Which time of a row a column holds, which the database puts there. */
typedef int32_t corm_stamp;
#define CORM_STAMP_CREATED 1 /* of its insert; a record that has a time keeps it */
#define CORM_STAMP_UPDATED 2 /* of its last write, whatever the record has */

/* One of the few values of a column: what the file holds in a text column, and in an integer column or a C enum. */
typedef struct corm_choice {
    const char *name;
    int64_t value;
} corm_choice;

/* `CORM_CHOICES({"open", OPEN}, {"closed", CLOSED})` in CORM_COLUMN gives its choices. */
#ifdef __cplusplus
/* C++ has no literals of arrays: what stands for one is gone before the model is made. */
#define CORM_CHOICES(...)                                                                                              \
    .choices = []() -> const corm_choice * {                                                                           \
        static const corm_choice corm_choices[] = {__VA_ARGS__};                                                       \
        return corm_choices;                                                                                           \
    }(),                                                                                                               \
    .choice_count = CORM_COUNT_(corm_choice, __VA_ARGS__)
#else
#define CORM_CHOICES(...)                                                                                              \
    .choices = CORM_ARRAY_(corm_choice, __VA_ARGS__), .choice_count = CORM_COUNT_(corm_choice, __VA_ARGS__)
#endif

/* corm_column_def.scale: no digits after the point. */
#define CORM_SCALE_0 4294967295

/* One column. Zero in a member means: not so, none, the default. All text is copied. */
typedef struct corm_column_def {
    /* The property's name, as records, attributes and errors use it. */
    const char *name;
    /* Where the field lies in the record and how long it is, in bytes. Set by CORM_COLUMN. */
    size_t offset;
    size_t size;
    /*
     * CORM_FIELD_...: the field's C type, which must be one that the column can have. Set by CORM_COLUMN (from C11 on, with
     * gcc and clang in C99 too, and in C++). 0 is refused.
     */
    corm_field field;
    corm_type type;
    /* CORM_VARCHAR: the greatest number of characters. */
    uint32_t length CORM_ZERO;
    /*
     * CORM_DECIMAL: how many digits stand after the point of each value in the table, whose type says so to readers:
     * DECIMAL_TEXT(2). A value with fewer gets zeros behind it; one with more, unless they are zeros, is CORM_E_RANGE and never
     * rounded. 0: as many as each value has. CORM_SCALE_0: none.
     */
    uint32_t scale CORM_ZERO;
    /* The column's name in the table. NULL: name in snake_case ("createdAt" -> "created_at"). */
    const char *column CORM_ZERO;
    /*
     * Part of the primary key. One integer key is SQLite's rowid: NULL asks for a new key. A plain integer has no NULL, and
     * structs begin as zeros: there 0 is no key yet. A file that has a row with the key 0 wants a corm_optional_int64.
     */
    bool primary_key CORM_ZERO;
    /* With primary_key on one integer: AUTOINCREMENT, keys are never used again. */
    bool auto_increment CORM_ZERO;
    bool not_null CORM_ZERO;
    bool unique CORM_ZERO;
    /* An index of this column alone. */
    bool indexed CORM_ZERO;
    /* A corm_optional_* is of an unsigned integer; a plain field says so itself. What does not fit is CORM_E_RANGE. */
    bool is_unsigned CORM_ZERO;
    /* A CHECK that the column holds one of its choices: names in a CORM_TEXT or CORM_VARCHAR column, values in an integer one. */
    bool check_choices CORM_ZERO;
    /*
     * The row's version, for optimistic locking: a plain integer that is 1 in a new row and counts each write of a record.
     * To update, save or delete a record whose row has another version is CORM_E_STALE_RECORD; else the new version comes back
     * into the record. Statements and corm_record_delete_key look at no version; an upsert counts it without looking.
     */
    bool version CORM_ZERO;
    /*
     * Of a CORM_DATETIME: CORM_STAMP_..., the time of the row's creation or of its last write, in UTC and milliseconds. Each
     * write of a record sets it, a batch and an update of some properties, too, and so do CORM_UPDATE statements that do not set
     * it and CORM_INSERT statements of values; SQL does not. It comes back into the record. In a plain corm_datetime 0 is no
     * time of creation yet. The table is the same without it.
     */
    corm_stamp stamp CORM_ZERO;
    /*
     * SQL expression used when the field is NULL and insert or save makes a new row, so that the column cannot be
     * inserted as NULL; a row that is there, which save or update changes, is given the NULL.
     */
    const char *default_sql CORM_ZERO;
    /* SQL condition that must hold. */
    const char *check_sql CORM_ZERO;
    /* SQL expression that computes the column (STORED); it is never written and comes back into the record. */
    const char *computed_sql CORM_ZERO;
    /*
     * BINARY, NOCASE, RTRIM; or, for connections of the library alone, corm_nocase, which minds the case of no letter of
     * Unicode, corm_decimal, by which decimals are equal as numbers, and corm_offset_datetime, by which offset datetimes of
     * one moment are. None of the program's own.
     */
    const char *collation CORM_ZERO;
    /* Foreign key: the table and column (NULL: its primary key) that this column refers to. */
    const char *references_table CORM_ZERO;
    const char *references_column CORM_ZERO;
    corm_action on_delete CORM_ZERO;
    corm_action on_update CORM_ZERO;
    /* NULL: none. Copied; its context must live as long as the model and the databases and cursors that use it. */
    const corm_transform *transform CORM_ZERO;
    /* The key in JSON (json.h). NULL: as corm_json_options.names says. "": the column is not in JSON. */
    const char *json_key CORM_ZERO;
    /*
     * JSON may lack the key though the column has no default and cannot be NULL: the field is then 0 or empty. Not when it
     * goes straight into a database.
     */
    bool json_optional CORM_ZERO;
    /* For migrations: the column's former name in the table; it is renamed instead of added. */
    const char *renamed_from CORM_ZERO;
    /*
     * For migrations: SQL expression over the table's columns before the migration, renamed ones by their new names, that
     * gives the column its values when the migration adds it, changes its type or makes it NOT NULL.
     */
    const char *convert_sql CORM_ZERO;
    /*
     * Relations (relation.h) that a foreign key gives, by name; the models must be made together, by corm_model_create_all, but
     * for one that refers to itself. relation: from this model to that of references_table (CORM_TO_ONE). inverse: from that
     * one to this (CORM_TO_MANY). across: this is a junction, and leads from that model to the one of its other column that
     * names a relation (CORM_MANY_TO_MANY).
     */
    const char *relation CORM_ZERO;
    const char *inverse CORM_ZERO;
    const char *across CORM_ZERO;
    /*
     * The values that there are, copied; CORM_CHOICES sets both. A CORM_TEXT column may then lie in an enum, an integer or a
     * corm_optional_int32: the file holds the name, the field the value. What has no name, in the field or in the file, is
     * CORM_E_TYPE. Columns of integers hold the values.
     */
    const corm_choice *choices CORM_ZERO;
    size_t choice_count CORM_ZERO;
    /* NULL: none. validate_context is handed to it. */
    corm_validator validate CORM_ZERO;
    void *validate_context CORM_ZERO;
    /*
     * In a struct for rows that hold several records (query.h): the model of the record that the field is, or points to. Set by
     * CORM_NESTED; nothing else is said of such a field.
     */
    struct corm_model *const *record CORM_ZERO;
    /*
     * Where rows of several models lie in one table: the text, or the digits of the integer, that this column has in all rows of
     * this model. The model is then about these rows alone, as by a scope, and writes it, whatever its records hold; it
     * comes back into them. The table is made of the model that has none: that has all columns, is about all rows, and tells
     * by the column which is which.
     */
    const char *discriminator CORM_ZERO;
} corm_column_def;

/* corm_key_def.kind */
typedef int32_t corm_key_kind;
#define CORM_KEY_PRIMARY 1
#define CORM_KEY_UNIQUE 2
#define CORM_KEY_INDEX 3

/* A key over several columns. */
typedef struct corm_key_def {
    corm_key_kind kind;
    /* A list of properties (value.h); in an index "-" in front means descending. */
    const char *columns;
    /* Name of the index; NULL: made from table and columns. */
    const char *name CORM_ZERO;
    /* CORM_KEY_INDEX and CORM_KEY_UNIQUE: SQL condition of a partial index. */
    const char *where_sql CORM_ZERO;
} corm_key_def;

/* A foreign key over several columns. */
typedef struct corm_reference_def {
    /* A list of properties (value.h). */
    const char *columns;
    const char *table;
    /* A list of as many columns of the table; NULL: its primary key. */
    const char *table_columns CORM_ZERO;
    corm_action on_delete CORM_ZERO;
    corm_action on_update CORM_ZERO;
} corm_reference_def;

/* A model. Meant to be `static const`; make it with CORM_MODEL or set the four sizes as CORM_MODEL does. */
typedef struct corm_model_def {
    uint32_t struct_size;
    uint32_t column_def_size;
    uint32_t key_def_size;
    uint32_t reference_def_size;
    /* The model's name, as errors use it. */
    const char *name;
    /* sizeof the record; 0 for a model whose rows are in no struct. */
    size_t record_size;
    size_t column_count;
    const corm_column_def *columns;
    /* The table's name. NULL: name in snake_case. */
    const char *table CORM_ZERO;
    const corm_key_def *keys CORM_ZERO;
    size_t key_count CORM_ZERO;
    const corm_reference_def *references CORM_ZERO;
    size_t reference_count CORM_ZERO;
    /* SQL conditions over the whole row. */
    const char *const *checks CORM_ZERO;
    size_t check_count CORM_ZERO;
    /*
     * SQL condition over the table's columns, "deleted_at IS NULL" or "tenant = current_tenant()" with a function of the
     * program's: all that reads, counts, updates and deletes by the model, relations to it among it, is about rows that meet it,
     * and to save a record whose row does not is CORM_E_CONSTRAINT. A record that does not meet it can be inserted, and a
     * row can leave it by an update. Not so SQL of one's own, observers and migrations. corm_model_variant.unscoped lifts it.
     */
    const char *scope CORM_ZERO;
    /* A list of properties in the order of the table's columns; those left out follow. NULL: as listed. */
    const char *column_order CORM_ZERO;
    bool without_rowid CORM_ZERO;
    bool strict CORM_ZERO;
    /*
     * It reads a view, which is made by SQL: corm_model_create_tables and migrations leave it alone. The model has columns, a
     * primary key to find records by, references and relations. Its records are written where the view has INSTEAD OF
     * triggers, by insert, update and delete; save and upsert are CORM_E_MISUSE.
     */
    bool view CORM_ZERO;
    /*
     * Makes it a virtual table: "fts5" for full-text search (CORM_OP_MATCH). Its columns have a name and a type only, its
     * hidden key is its rowid. module_arguments: what follows the columns, as SQL, such as "tokenize = 'porter'".
     */
    const char *module CORM_ZERO;
    const char *const *module_arguments CORM_ZERO;
    size_t module_argument_count CORM_ZERO;
    /* For migrations: the table's former name; it is renamed instead of made anew. */
    const char *renamed_from CORM_ZERO;
    /* For migrations: a list of columns, by their names in the table, that the model no longer has and that may go with their
       values. */
    const char *allow_drop CORM_ZERO;
    /* For migrations: SQL statements run once, when the table is made: its first rows. */
    const char *seed_sql CORM_ZERO;
    /* NULL: none. Copied; what its functions use must live as long as the model and the databases that use it. */
    const corm_record_hooks *hooks CORM_ZERO;
    /* The property by which a server of many machines (Citus) spreads the rows; all keys must have it. Other engines take no
       notice. NULL: none. */
    const char *distributed_by CORM_ZERO;
} corm_model_def;

/*
 * CORM_COLUMN(person, age, CORM_INT64, .default_sql = "0"): the struct, the field, its type, and what else is said. C++ has
 * such initialisers since C++20; in C++17 they are an extension of gcc and clang (-Wno-c++20-designator). What is not said is
 * zero.
 */
#define CORM_COLUMN(record, member, ...)                                                                               \
    {.name = #member,                                                                                                  \
     .offset = offsetof(record, member),                                                                               \
     .size = CORM_SIZE_(record, member),                                                                               \
     .field = CORM_FIELD_(record, member),                                                                             \
     .type = __VA_ARGS__}

/*
 * A field that is a whole record, or points to one: CORM_NESTED(sale, customer, customer), the struct, the field, and the record's
 * struct, which has a model (CORM_DEFINE).
 */
#define CORM_NESTED(row, member, part)                                                                                 \
    {.name = #member,                                                                                                  \
     .offset = offsetof(row, member),                                                                                  \
     .size = CORM_SIZE_(row, member),                                                                                  \
     .field = CORM_NESTED_FIELD_(row, member, part),                                                                   \
     .type = 0,                                                                                                        \
     .record = &part##_model}

/*
 * A struct and its columns, each field written once: CORM_STRUCT(pet, (int64_t, id, CORM_INT64, .primary_key = true),
 * (const char *, name, CORM_TEXT)) is `typedef struct pet { int64_t id; const char *name; } pet` and `pet_columns`, an array of
 * CORM_COLUMN. Up to 32 fields; more, and comments at fields, are written out. An array of char needs a type of its own:
 * typedef char pet_code[8].
 */
#define CORM_STRUCT(record, ...)                                                                                       \
    typedef struct record {                                                                                            \
        CORM_EACH_(CORM_MEMBER_, record, __VA_ARGS__)                                                                  \
    } record;                                                                                                          \
    static const corm_column_def record##_columns[] = {CORM_EACH_(CORM_MEMBER_COLUMN_, record, __VA_ARGS__)}

/* CORM_MODEL(person, "Person", person_columns, .strict = true): the struct, the name, the array of columns, the rest. */
#define CORM_MODEL(record, model_name, ...)                                                                            \
    {.struct_size = sizeof(corm_model_def),                                                                            \
     .column_def_size = sizeof(corm_column_def),                                                                       \
     .key_def_size = sizeof(corm_key_def),                                                                             \
     .reference_def_size = sizeof(corm_reference_def),                                                                 \
     .name = model_name,                                                                                               \
     .record_size = sizeof(record),                                                                                    \
     .column_count = sizeof(CORM_FIRST_(__VA_ARGS__, 0)) / sizeof(corm_column_def),                                    \
     .columns = __VA_ARGS__}
#define CORM_FIRST_(first, ...) first

CORM_END_DECLS

#endif
