/* Metadata: everything that introspection knows about a file or a server's database, for programs, templates and as JSON. */
#ifndef CORMORANT_METADATA_H
#define CORMORANT_METADATA_H

#include "relation.h"
#include "schema.h"

CORM_BEGIN_DECLS

/*
 * The tables of a file or schema with their columns, keys, indexes, checks, triggers and relations. Immutable.
 * Everything that it gives is borrowed until corm_metadata_free. Threading: any thread.
 */
typedef struct corm_metadata corm_metadata;

/* corm_table_metadata.kind */
typedef int32_t corm_table_kind;
#define CORM_TABLE_ORDINARY 0
#define CORM_TABLE_VIRTUAL 1
#define CORM_TABLE_VIEW 2

/*
 * The structs below grow at their end only: take them by the pointers that are given, and make no arrays of them. A text
 * that may be missing is NULL then; lists are never NULL, but may have no elements.
 */

typedef struct corm_column_metadata {
    const char *name;
    /* As declared, with one space between words and none elsewhere; "" for none. Of a server as it says it: "character varying(20)". */
    const char *declared_type;
    /* "INTEGER", "TEXT", "BLOB", "REAL" or "NUMERIC"; of a server that of the type in a file. */
    const char *affinity;
    /* The type of a model's column that such a column holds (CORM_INT64 ...); 0 where nothing tells. */
    corm_type type;
    /* CORM_VARCHAR: the greatest number of characters. */
    uint32_t length;
    /* NULL: none. */
    const char *default_sql;
    const char *collation;
    /* What computes it, of a generated column; NULL for others. */
    const char *generated_sql;
    /* The place in the primary key, from 1; 0 for none. */
    uint32_t key_position;
    /* Whether NULL can be in it: a row number and what is NOT NULL cannot. */
    bool is_nullable;
    /* Whether it alone is the primary key or unique. */
    bool is_unique;
    bool is_foreign_key;
    /* Whether SELECT * leaves it out, as virtual tables can have it. */
    bool is_hidden;
    /* Whether the file holds what is computed. */
    bool is_stored;
    /* Whether its values are plain numbers or truth values, which own no memory. */
    bool is_simple_type;
    /* The type of a property, attribute or field of a model, such as "Int64?", "corm_optional_int64", "int | None". */
    const char *swift_type;
    const char *c_type;
    const char *python_type;
} corm_column_metadata;

typedef struct corm_foreign_key_metadata {
    /* What CONSTRAINT calls it; NULL for nothing. */
    const char *name;
    const char *const *columns;
    size_t column_count;
    const char *table;
    /* Those of the other table's primary key where the statement names none; none where that does not fit. */
    const char *const *table_columns;
    size_t table_column_count;
    corm_action on_delete;
    corm_action on_update;
    /* Whether it is checked at the end of the transaction only. */
    bool is_deferred;
} corm_foreign_key_metadata;

typedef struct corm_index_term_metadata {
    /* NULL for an expression. */
    const char *column;
    /* Without COLLATE and direction. */
    const char *sql;
    const char *collation;
    bool is_descending;
} corm_index_term_metadata;

typedef struct corm_index_metadata {
    /* NULL for one that a constraint without name makes. */
    const char *name;
    /* "index", "unique" or "primary_key". */
    const char *origin;
    bool is_unique;
    const corm_index_term_metadata *const *terms;
    size_t term_count;
    /* Of a partial index; NULL for others. */
    const char *condition_sql;
} corm_index_metadata;

typedef struct corm_check_metadata {
    /* What CONSTRAINT calls it; NULL for nothing. */
    const char *name;
    const char *sql;
    /* The column it is written at; NULL for none. */
    const char *column;
} corm_check_metadata;

typedef struct corm_trigger_metadata {
    const char *name;
    /* "before", "after" or "instead_of". */
    const char *timing;
    /* "insert", "update" or "delete". */
    const char *event;
    /* Of UPDATE OF. */
    const char *const *columns;
    size_t column_count;
    /* The statement that made it, without comments. */
    const char *sql;
} corm_trigger_metadata;

typedef struct corm_relation_metadata {
    corm_relation_kind kind;
    /* The table at the end. */
    const char *table;
    /* Pairs with table_columns, or with through_columns of a many-to-many relation. */
    const char *const *columns;
    size_t column_count;
    const char *const *table_columns;
    size_t table_column_count;
    /* The table between, of a many-to-many relation, and its columns that refer to `columns` and `table_columns`. */
    const char *through;
    const char *const *through_columns;
    size_t through_column_count;
    const char *const *through_table_columns;
    size_t through_table_column_count;
    /* Whether it leads to the table it comes from. */
    bool is_self;
    /* Whether there is never more than one record at the end. */
    bool is_unique;
    /* Whether there may be none. */
    bool is_optional;
} corm_relation_metadata;

typedef struct corm_table_metadata {
    const char *name;
    corm_table_kind kind;
    /* The statement that made it, without comments; of a server one that makes such a table. */
    const char *sql;
    /* Of a virtual table; NULL for others. */
    const char *module;
    const char *const *module_arguments;
    size_t module_argument_count;
    bool is_strict;
    bool is_without_rowid;
    bool is_auto_increment;
    /* None where they cannot be had: the problems say why. */
    const corm_column_metadata *const *columns;
    size_t column_count;
    /* Names of the primary key's columns, in the key's order. */
    const char *const *primary_key;
    size_t primary_key_count;
    /* The key that the table makes: SQLite's row number, or of a server's sequence; NULL for none. */
    const char *rowid_column;
    const corm_foreign_key_metadata *const *foreign_keys;
    size_t foreign_key_count;
    /* Those of CREATE INDEX, and before them those that a PRIMARY KEY or UNIQUE makes. */
    const corm_index_metadata *const *indexes;
    size_t index_count;
    const corm_check_metadata *const *checks;
    size_t check_count;
    const corm_trigger_metadata *const *triggers;
    size_t trigger_count;
    /* Where foreign keys lead from here, and whose lead here. */
    const corm_relation_metadata *const *relations;
    size_t relation_count;
} corm_table_metadata;

/* An object of the file that is known in part only; of a server also what no file and no model can say. */
typedef struct corm_metadata_problem {
    /*
     * "table", "index", "view" or "trigger"; of a server also "partitioned table", "partition", "inheritance", "foreign table",
     * "materialized view", "domain", "enum", "range", "type", "exclusion", "foreign key", "check", "identity", "collation",
     * "row security", "policy", "rule", "statistics", "sequence".
     */
    const char *type;
    const char *name;
    /* The table it belongs to; "" for none. */
    const char *table;
    const char *sql;
    /* What is wrong, or not told elsewhere, in one line. */
    const char *message;
} corm_metadata_problem;

/*
 * Reads a file's metadata, without the tables that migrations keep for themselves. What cannot be understood is a
 * problem, and a table among that has the columns that SQLite tells. Of a server: the tables and views that are found without the
 * name of their schema, by a few queries however many there are; what no file has is among the problems.
 *
 * out_metadata: owned (corm_metadata_free).
 */
corm_status corm_metadata_read(corm_database *database, corm_metadata **out_metadata, corm_error **out_error);

/*
 * The metadata of a schema. Views, and virtual tables of modules that the library has, are made in a database in memory to
 * know their columns.
 *
 * schema: borrowed until return. out_metadata: owned (corm_metadata_free).
 */
corm_status corm_metadata_create(const corm_schema *schema, corm_metadata **out_metadata, corm_error **out_error);

/* Frees metadata. NULL and a second free are no-ops. */
void corm_metadata_free(corm_metadata *metadata);

/* What metadata holds; all 0 for a bad handle. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_metadata_info {
    /* How many tables, virtual tables and views there are, and how many problems. */
    size_t table_count;
    size_t problem_count;
    /* All of it as one JSON document, which docs/metadata.schema.json describes. */
    const char *json;
} corm_metadata_info;

/* What it holds. Returns: borrowed until corm_metadata_free, with the text; never NULL. */
const corm_metadata_info *corm_metadata_info_get(const corm_metadata *metadata);
/* The table at a position; NULL behind the last, and for a bad handle. */
const corm_table_metadata *corm_metadata_table_get(const corm_metadata *metadata, size_t index);
/* The problem at a position; NULL behind the last, and for a bad handle. */
const corm_metadata_problem *corm_metadata_problem_get(const corm_metadata *metadata, size_t index);

CORM_END_DECLS

#endif
