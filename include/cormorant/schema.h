/* Schemas: what a file's tables, indexes, views and triggers are, as a value to keep, compare and migrate to. */
#ifndef CORMORANT_SCHEMA_H
#define CORMORANT_SCHEMA_H

#include "model.h"

CORM_BEGIN_DECLS

/*
 * Everything that the CREATE statements of a file say: of a file as it is now, of a text kept from an earlier day, or of
 * models. Immutable. Threading: any thread.
 */
typedef struct corm_schema corm_schema;

/* Reads a database's schema. out_schema: owned (corm_schema_free). Statuses: CORM_E_SCHEMA for a CREATE statement that
   cannot be read, with its place. */
corm_status corm_schema_read(corm_database *database, corm_schema **out_schema, corm_error **out_error);

/* Reads CREATE statements, as corm_schema_info.sql and SQLite's shell (.schema) write them. out_schema: owned. Statuses:
   CORM_E_SCHEMA with the place of what cannot be read, and for any other statement. */
corm_status corm_schema_parse(const char *sql, corm_schema **out_schema, corm_error **out_error);

/* The schema that models make in an empty file. models: borrowed until return. out_schema: owned. Statuses: CORM_E_MODEL
   for two models of one table. */
corm_status corm_schema_create(corm_model *const *models, size_t model_count, corm_schema **out_schema,
                               corm_error **out_error);

/* Frees a schema. NULL and a second free are no-ops. */
void corm_schema_free(corm_schema *schema);

/* What a schema says; NULL for a bad handle. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_schema_info {
    /* The CREATE statements, each ended by a semicolon, in an order that runs on an empty file. */
    const char *sql;
    /* SHA-256 over what the statements mean: spaces, comments, needless quotes and the order of objects do not matter: 64
       hexadecimal digits. */
    const char *hash;
} corm_schema_info;

/* What the schema says. Returns: borrowed until corm_schema_free, with all that it points to; never NULL. */
const corm_schema_info *corm_schema_info_get(const corm_schema *schema);

CORM_END_DECLS

#endif
