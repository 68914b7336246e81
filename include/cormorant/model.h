/* Models: how a C struct, or a set of named values, lies in a table. */
#ifndef CORMORANT_MODEL_H
#define CORMORANT_MODEL_H

#include "database.h"
#include "definition.h"

CORM_BEGIN_DECLS

/*
 * A model that was checked. Belongs to no database; any number may use it. Threading: any thread.
 * A model without primary key gets a hidden one, "corm_id INTEGER PRIMARY KEY AUTOINCREMENT": its records can be
 * inserted, fetched and found by that key, but not saved, updated, deleted or refreshed as records.
 */
typedef struct corm_model corm_model;

/*
 * Makes a model from its definition.
 *
 * definition copied (but see corm_column_def.transform).
 * out_model  owned (corm_model_free).
 *
 * Statuses: CORM_E_MODEL with a message that says what to change: no columns, two of one name, an unknown type, a field
 * beyond record_size or of a size its type cannot have, keys over unknown columns, WITHOUT ROWID without key, ...
 * Threading: any thread.
 */
corm_status corm_model_create(const corm_model_def *definition, corm_model **out_model, corm_error **out_error);

/* A model that corm_model_create_all makes: of what, and where its handle goes. */
typedef struct corm_model_slot {
    const corm_model_def *definition;
    corm_model **out_model;
} corm_model_slot;

/*
 * Makes models that refer to each other, with the relations that their columns name.
 *
 * slots  borrowed until return: {CORM_SLOT(person), CORM_SLOT(pet)}.
 *        Each out_model gets a handle that is owned (corm_model_free); none does when the call fails.
 * Statuses: CORM_E_MODEL, as corm_model_create and corm_relation_add. Threading: any thread.
 */
corm_status corm_model_create_all(const corm_model_slot *slots, size_t count, corm_error **out_error);

/*
 * A struct tied to its model. CORM_DEFINE(person, "Person", person_columns, .table = "people") stands at the top of one file
 * and takes what CORM_MODEL takes; it defines `person_def` and `person_model`, the handle, which corm_model_create_all or
 * corm_model_create fills. CORM_DECLARE(person), in a header, is for other files that use them.
 */
#define CORM_DECLARE(record)                                                                                           \
    extern const corm_model_def record##_def;                                                                          \
    extern corm_model *record##_model
#define CORM_DEFINE(record, ...)                                                                                       \
    CORM_DECLARE(record);                                                                                              \
    const corm_model_def record##_def = CORM_MODEL(record, __VA_ARGS__);                                               \
    corm_model *record##_model
#define CORM_SLOT(record) {&record##_def, &record##_model}
/*
 * CORM_OF(person, &ada): the model and the record, two arguments: corm_record_save(db, CORM_OF(person, &ada), arena, &error). A
 * pointer to anything but a person does not compile; one to a const person goes where the record is only read.
 */
#define CORM_OF(record, pointer) record##_model, CORM_RECORD_(record, pointer)
#if defined(__cplusplus)
#define CORM_RECORD_(record, pointer) corm_pointer_to<record>(pointer)
#define CORM_TYPED_(type, pointer) static_cast<type>(pointer)
#elif defined(__GNUC__)
#define CORM_RECORD_(record, pointer)                                                                                  \
    (__extension__ _Generic((pointer), record *: (pointer), const record *: (pointer)))
#define CORM_TYPED_(type, pointer) (__extension__ _Generic((pointer), type: (pointer)))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CORM_RECORD_(record, pointer) _Generic((pointer), record *: (pointer), const record *: (pointer))
#define CORM_TYPED_(type, pointer) _Generic((pointer), type: (pointer))
#else
#define CORM_RECORD_(record, pointer) (pointer)
#define CORM_TYPED_(type, pointer) (pointer)
#endif

/* Of which other table, or of which rows, a variant of a model is: give one member, or more. Zero: not so. All text is copied. */
typedef struct corm_model_variant {
    uint32_t struct_size;
    /* All rows of the table, those outside of corm_model_def.scope among them. Its relations are the model's. */
    bool unscoped CORM_ZERO;
    /*
     * A table of the same shape, such as one per target: that of "message" with the suffix "42" is "message_42". Its indexes
     * have the suffix as well, and so have references and relations to the model itself; other references, and relations
     * (corm_relation_add, before or after), are the model's. seed_sql is not its own. Any text but control characters, 200
     * bytes at most. Capital letters of ASCII are refused: SQLite takes them for small ones, so that two targets would share
     * a table.
     */
    const char *suffix CORM_ZERO;
    /*
     * The name under which a file is or will be attached (corm_database_attach, corm_registry_attach): the table is that
     * file's. Records and statements then read and write it, and join both files. Its tables are made, migrated, observed
     * and cached where their file is opened (CORM_E_MISUSE), and the variant has no relations.
     */
    const char *attached_as CORM_ZERO;
} corm_model_variant;

/* CORM_VARIANT(.suffix = "42"): a pointer to a variant. */
#define CORM_VARIANT(...) CORM_STRUCT_(corm_model_variant, __VA_ARGS__)

/*
 * Makes the model of another table, whose records are of the same struct. Keep it as long as it is in use: databases find
 * its statements again by the handle.
 *
 * model     may be freed before out_model, but see corm_relation_add.
 * variant   borrowed until return.
 * out_model owned (corm_model_free).
 *
 * Statuses: CORM_E_MODEL. Threading: any thread.
 */
corm_status corm_model_create_variant(const corm_model *model, const corm_model_variant *variant,
                                      corm_model **out_model, corm_error **out_error);

/*
 * Frees the model. Cursors that use it keep what they need until they are closed, the function pointers and contexts of
 * transforms included, and so may databases, which let go of the statements of freed models when they make those of
 * others. NULL and a second free are no-ops.
 */
void corm_model_free(corm_model *model);

/* What a model says of itself. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_model_info {
    /* The model's name, and the table's; NULL for a bad handle, as all below is 0. */
    const char *name;
    const char *table;
    /* The CREATE TABLE and CREATE INDEX statements. */
    const char *create_sql;
    /* How many columns the model declares. */
    size_t column_count;
    /* How many columns the primary key has: 0 when it is hidden. */
    size_t key_count;
    /* Whether insert gives the record a key: one integer key or a hidden one. */
    bool generates_key;
    /* The relations that it has by now (relation.h), for programs that walk along all of them. */
    size_t relation_count;
    const struct corm_relation_info *const *relations;
} corm_model_info;

/*
 * What the model says of itself, which is another struct once it has other relations. Returns: borrowed until corm_model_free, with
 * all that it points to; never NULL.
 */
const corm_model_info *corm_model_info_get(const corm_model *model);

/* A column of a model. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_model_column {
    /* The property's name, and the column's in the table. */
    const char *property;
    const char *name;
    corm_type type;
    /* The place in the primary key, from 1; 0 for none. */
    uint32_t key_position;
    /* Where the field lies in the record and how long it is, in bytes; 0 without a struct. */
    size_t offset;
    size_t size;
    /* CORM_FIELD_... (field.h): what the field is in C; 0 without a struct. */
    corm_field field;
    /* CORM_VARCHAR: the greatest number of characters. */
    uint32_t length;
    /* CORM_DECIMAL: as in corm_column_def. */
    uint32_t scale;
    /* Whether the field can say NULL, and whether an integer in it is unsigned. */
    bool is_nullable;
    bool is_unsigned;
    /* As in corm_column_def; NULL and 0 for none. */
    const corm_choice *choices;
    size_t choice_count;
} corm_model_column;

/*
 * A column, from 0; NULL out of range. Of rows of several records (query.h) each column of each record, "book.title", and the
 * place of its field in the row; no field where the record is behind a pointer. Returns: borrowed until corm_model_free.
 */
const corm_model_column *corm_model_column_get(const corm_model *model, size_t index);

/*
 * Creates the tables and indexes that are missing, referenced tables first, in one transaction. A table that is there
 * is left as it is; one that lacks a column of its model is CORM_E_SCHEMA and nothing is created. Views are made by SQL:
 * of their models nothing is created.
 *
 * models borrowed until return. Statuses: CORM_E_MODEL for two models of one table or a reference to a table that is
 * neither among the models nor in the file, CORM_E_SCHEMA. Threading: any thread.
 */
corm_status corm_model_create_tables(corm_database *database, corm_model *const *models, size_t model_count,
                                     corm_error **out_error);

/* CORM_MODELS(people, pets): an array of models and its count, two arguments. */
#define CORM_MODELS(...) CORM_ARRAY_(corm_model *, __VA_ARGS__), CORM_COUNT_(corm_model *, __VA_ARGS__)

/* Whether the model's table is in the file: CORM_OK or CORM_NOT_FOUND. */
corm_status corm_model_table_exists(corm_database *database, const corm_model *model, corm_error **out_error);

CORM_END_DECLS

#endif
