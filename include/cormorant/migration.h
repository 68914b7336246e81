/* Migrations: bringing a file to models or to a schema, with nothing lost that was not told to go. */
#ifndef CORMORANT_MIGRATION_H
#define CORMORANT_MIGRATION_H

#include "schema.h"

CORM_BEGIN_DECLS

/*
 * Two ways lead to the schema that a program needs. Sync compares its models with the file and brings the file up; what
 * could lose something asks for an annotation (corm_column_def.renamed_from, .convert_sql, .default_sql,
 * corm_model_def.renamed_from, .allow_drop). Versioned migrations (bundle.h) are steps in order, kept as files or
 * registered by the program. Both run under the write lock in one transaction per sync or step, with foreign keys off and
 * checked in the end; a crash, an error or a cancel leaves the file as it was.
 */

/* How far a call is that takes long. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_progress {
    /* What is being done, "waiting for another connection" too. Borrowed until the callback returns. */
    const char *step;
    /* Of this step, counted from 0, and how many there are; 0 of 0 while it waits. */
    size_t index;
    size_t count;
    /* What the step has done, and will have done: rows written, of copies and encryption pages; total is 0 where that is
       not known. */
    int64_t done;
    int64_t total;
} corm_progress;

/* Runs on the thread of the call, inside it, and must not use the database. false cancels: CORM_E_INTERRUPTED. */
typedef bool (*corm_progress_callback)(const corm_progress *progress, void *context);

/* What a migration is told beside where to go. Zero is the default; NULL for all defaults. */
typedef struct corm_migration_options {
    uint32_t struct_size;
    /* A list (value.h) of what may go: tables with their rows, columns with their values as "table.column"; between schemas also "trigger:name",
       "view:name", "index:name" (a unique one), "check:table", "unique:table" and "foreign_key:table" (those constraints
       of the table). Sync asks for it also of tables without a model, and takes triggers, views and indexes by the same
       names. */
    const char *allow_drop;
    /*
     * A copy of the file made before it is changed, when there is something to change; NULL: none. One that is there
     * already, left by a bundle that failed half-way, is CORM_E_MIGRATION: restore or remove it. Not for ":memory:".
     */
    const char *snapshot;
    /* Whether the copy goes after success. After a failure it stays where steps were committed before it. */
    bool drop_snapshot;
    corm_progress_callback progress;
    void *context;
    /* Whether steps of a bundle may drop tables and columns that hold something, up or down. */
    bool allow_lossy;
    /* Zero. */
    uint8_t reserved[7];
    /*
     * Of corm_bundle_generate: a database of PostgreSQL, for which the step then has SQL of its own beside that for files (lines
     * "-- engine: postgresql"). The bundle's steps are run there in a schema of their own, in a transaction that is taken
     * back. Tables that the step does not make count as large ones: their indexes are made CONCURRENTLY, checks and foreign keys
     * validated when they are there. Borrowed until return; NULL: files alone.
     */
    corm_database *server;
} corm_migration_options;

#define CORM_MIGRATION_OPTIONS_INIT CORM_INIT_(corm_migration_options)

/* The way from one schema to another: a value; making it changes nothing. Threading: any thread. */
typedef struct corm_plan corm_plan;

/* corm_plan_step.risk and corm_plan_info.risk */
typedef int32_t corm_risk;
#define CORM_RISK_SAFE 0      /* adds, or every row was looked at and fits */
#define CORM_RISK_ANNOTATED 1 /* decided by an annotation: a rename, a conversion */
#define CORM_RISK_LOSSY 2     /* drops data, as it was told to */
#define CORM_RISK_UNCHECKED 3 /* depends on rows that were not looked at, as of a plan without a file */
#define CORM_RISK_UNDECIDED 4 /* needs a decision, as its problems say, and does not run */

/* One step of a plan. All text is borrowed until corm_plan_free. It grows at its end only: take it by the pointer that is
   given. */
typedef struct corm_plan_step {
    /* Such as: rebuild "album" for 2 changes */
    const char *summary;
    /* The differences that it removes, a line each. */
    const char *changes;
    /* Its statements, each ended by a semicolon. */
    const char *sql;
    corm_risk risk;
    /* Rows that it writes again; -1 where the plan was made without a file. */
    int64_t rows;
    /* NULL: it may run. Else what is in the way, and the annotation that would allow it, a line each. */
    const char *problems;
} corm_plan_step;

/*
 * Brings the file's tables to what the models say: makes what is missing, renames, converts and drops where the models'
 * annotations or the options say so. Tables of other models, and views, triggers, indexes, CHECKs and foreign keys that no
 * model declared, stay as they are. A second sync does nothing and takes a moment. Keeps what the models declared in the
 * table corm_models.
 *
 * models borrowed until return. out_plan: what was done, owned (corm_plan_free); NULL for none.
 *
 * Statuses: CORM_E_MIGRATION when changes need a decision: the message lists each with the annotation, and nothing is
 * done; CORM_E_MODEL for models that contradict one another; CORM_E_TRANSACTION inside a transaction; CORM_E_READ_ONLY,
 * CORM_E_BUSY, CORM_E_FULL; CORM_E_INTERRUPTED when cancelled. Threading: any thread.
 */
corm_status corm_migration_sync(corm_database *database, corm_model *const *models, size_t model_count,
                                const corm_migration_options *options, corm_plan **out_plan, corm_error **out_error);

/* What corm_migration_sync would do, problems included. out_plan: owned. Statuses: CORM_E_MODEL, and CORM_E_MIGRATION for a
   rename onto a name that is there. */
corm_status corm_migration_plan(corm_database *database, corm_model *const *models, size_t model_count,
                                const corm_migration_options *options, corm_plan **out_plan, corm_error **out_error);

/*
 * The way from one schema to another; whatever the second lacks is dropped, which options must allow where rows go with
 * it. database: the file with the first schema, whose rows are counted and looked at; NULL: a plan without a file.
 * out_plan: owned.
 */
corm_status corm_plan_create(corm_database *database, const corm_schema *from, const corm_schema *to,
                             const corm_migration_options *options, corm_plan **out_plan, corm_error **out_error);

/* Carries a plan out in one transaction. Statuses: CORM_E_MIGRATION when the plan has problems, or rows that were written
   since are in its way; CORM_E_MIGRATION_DRIFT when the file's schema is no longer what it was made for. */
corm_status corm_plan_apply(corm_database *database, const corm_plan *plan, const corm_migration_options *options,
                            corm_error **out_error);

/* Frees a plan. NULL and a second free are no-ops. */
void corm_plan_free(corm_plan *plan);

/* What a plan is, in short and at length. It grows at its end only: take it by the pointer that is given. */
typedef struct corm_plan_info {
    /* How many steps it has; 0 when there is nothing to do, and for a bad handle. */
    size_t step_count;
    /* How many problems stand in its way. */
    size_t problem_count;
    /* The plan for a person to read; NULL for a bad handle, as the texts below. */
    const char *text;
    /* All its statements. */
    const char *sql;
    /*
     * The plan as one JSON document: {"risk": "safe", "steps": [{"summary": "...", "risk": "safe", "rows": 0, "losses":
     * ["1,204 values of ..."], "notes": ["2 NULLs of ... become ..."], "changes": [{"kind": "add column", "table": "...",
     * "name": "...", "before": null, "after": "..."}], "problems": [{"message": "...", "annotation": "..."}], "sql":
     * ["..."]}]}. risk is "safe", "annotated", "unchecked", "lossy" or "undecided"; rows is null without a file.
     */
    const char *json;
    /* The greatest risk of its steps: LOSSY before UNDECIDED, UNCHECKED, ANNOTATED and SAFE; CORM_RISK_LOSSY for a bad
       handle. */
    corm_risk risk;
} corm_plan_info;

/* What the plan is. Returns: borrowed until corm_plan_free, with all that it points to; never NULL. */
const corm_plan_info *corm_plan_info_get(const corm_plan *plan);
/* One step, from 0; NULL out of range, and for a bad handle. Returns: borrowed until corm_plan_free. */
const corm_plan_step *corm_plan_step_get(const corm_plan *plan, size_t index);

/*
 * Puts the file back to what a snapshot or backup holds, rows and all; a crash leaves the one or the other.
 *
 * cipher what the copy is encrypted with, its pages being as long as the database's; borrowed until return. NULL: what the
 *        database is, plain or with its very key and salt, as snapshots and backups are that were given nothing else.
 *
 * Statuses: CORM_E_CANNOT_OPEN, CORM_E_NOT_A_DATABASE, CORM_E_TRANSACTION inside a transaction; CORM_E_WRONG_KEY.
 */
corm_status corm_migration_restore(corm_database *database, const char *snapshot,
                                   const struct corm_cipher_options *cipher, corm_error **out_error);

CORM_END_DECLS

#endif
