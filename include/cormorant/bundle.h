/* Versioned migrations: ordered steps, kept as a folder of files or registered by the program. */
#ifndef CORMORANT_BUNDLE_H
#define CORMORANT_BUNDLE_H

#include "migration.h"

CORM_BEGIN_DECLS

/*
 * A bundle is a list of steps, in the order of their ids as bytes, so that ids begin with a number of fixed length:
 * "0001_create_people". On disk it is a folder with one folder per step:
 *
 *   migrations/manifest.sha256                   SHA-256 of every file below; `sha256sum -c` reads it
 *   migrations/0001_create_people/up.sql         the statements
 *   migrations/0001_create_people/down.sql       the way back, where there is one
 *   migrations/0001_create_people/schema.sql     the schema that the step leaves
 *   migrations/0001_create_people/models.sql     what the models declared, in generated steps; models.postgresql.sql, where
 *                                                they were generated for a server, too
 *   migrations/0001_create_people/replaces.sha256  in a squashed step: the ids it stands for, and their SHA-256
 *
 * Each step runs in a transaction of its own together with its record in the table corm_migrations (id, sha256, schema
 * hash before and after, started, finished, state). Its SQL must not begin or end transactions, attach files or set
 * PRAGMAs other than defer_foreign_keys and legacy_alter_table. A step whose up.sql begins with the line
 * "-- outside transaction" runs without one, for VACUUM and PRAGMAs; when it is cut short, and for others while it runs, the
 * file is dirty, until corm_bundle_resolve says what became of it. On a server the line may stand anywhere: what is above it is
 * one transaction, what is below runs statement by statement, and when that is cut short, corm_bundle_apply goes on with it.
 *
 * Foreign keys are off while a step runs, so that their actions do not act; they are checked before it is committed.
 */
typedef struct corm_bundle corm_bundle;

/* Runs on the thread of the call, inside the step's transaction, and may use the database but must not end the
   transaction. Below zero the step fails with that status or with *out_error, which the callback may have from a call or
   make (corm_error_create) and gives away, and is rolled back. */
typedef corm_status (*corm_step_callback)(corm_database *database, void *context, corm_error **out_error);

/* A step that the program brings. A step is SQL or a callback, each way. */
typedef struct corm_bundle_step {
    uint32_t struct_size;
    /* Its place among the others and its name. */
    const char *id;
    const char *up_sql;
    /* NULL: there is no way back. */
    const char *down_sql;
    /* Instead of up_sql and down_sql. */
    corm_step_callback up;
    corm_step_callback down;
    void *context;
    /* The schema that it leaves, as corm_schema_info.sql has it; corm_bundle_adopt and corm_bundle_drift compare files with it.
       NULL: not known. */
    const char *schema_sql;
} corm_bundle_step;

#define CORM_BUNDLE_STEP_INIT CORM_INIT_(corm_bundle_step)

/*
 * Makes a bundle. Files are read now; a later change of the folder is not seen.
 *
 * folder NULL: a bundle without files, to be filled with corm_bundle_add. out_bundle: owned (corm_bundle_free).
 *
 * Statuses: CORM_E_CANNOT_OPEN, CORM_E_MIGRATION_MODIFIED for a file that differs from the manifest or is not in it
 * (corm_bundle_seal), CORM_E_MIGRATION_MISSING for one that only the manifest has, CORM_E_MIGRATION for a file in a step's
 * folder that no bundle has. Threading: one thread at a time.
 */
corm_status corm_bundle_create(const char *folder, corm_bundle **out_bundle, corm_error **out_error);

/* Adds a step of the program's own; all but functions and context is copied, and those must live as long as the bundle.
   Statuses: CORM_E_MIGRATION for an id that is taken, or a step that does nothing. */
corm_status corm_bundle_add(corm_bundle *bundle, const corm_bundle_step *step, corm_error **out_error);

/* Frees a bundle. NULL and a second free are no-ops. */
void corm_bundle_free(corm_bundle *bundle);

/*
 * Applies the steps that the file lacks, up to and with `last` (NULL: all). Processes that come together each wait for the
 * other, as long as their busy timeouts let them (CORM_E_BUSY), and every step runs once.
 *
 * Statuses: CORM_E_MIGRATION_MODIFIED, _MISSING, _ORDER, _DIRTY, _NEWER and _DRIFT as base.h says, before anything is done;
 * CORM_E_MIGRATION for a statement that a step may not hold, and for one that drops a table or a column with something in
 * it without options.allow_lossy: the message counts what would go; CORM_E_CALLBACK; CORM_E_INTERRUPTED. Steps before the one that
 * failed stay. Threading: any thread.
 */
corm_status corm_bundle_apply(corm_database *database, const corm_bundle *bundle, const char *last,
                              const corm_migration_options *options, corm_error **out_error);

/*
 * Takes steps back, the last first, until `last` is the last that is applied (NULL: all go).
 * Statuses: as corm_bundle_apply, and CORM_E_MIGRATION for a step without a way back; then none is taken back.
 * Steps that came late (CORM_E_MIGRATION_ORDER) are no hindrance.
 */
corm_status corm_bundle_revert(corm_database *database, const corm_bundle *bundle, const char *last,
                               const corm_migration_options *options, corm_error **out_error);

/*
 * Records the steps up to and with `last` (NULL: all) as applied in a file that was made without them and has no history.
 * Statuses: CORM_E_MIGRATION_DRIFT when the file's schema is not the one that `last` leaves, with what differs.
 */
corm_status corm_bundle_adopt(corm_database *database, const corm_bundle *bundle, const char *last,
                              corm_error **out_error);

/* Says what became of the step that was cut short outside a transaction: applied, or not. Statuses: CORM_E_MIGRATION when
   the step is not dirty. */
corm_status corm_bundle_resolve(corm_database *database, const corm_bundle *bundle, const char *id, bool applied,
                                corm_error **out_error);

/* corm_bundle_state.state */
typedef int32_t corm_step_state;
#define CORM_STEP_PENDING 0
#define CORM_STEP_APPLIED 1
#define CORM_STEP_MODIFIED 2 /* applied, and changed since */
#define CORM_STEP_MISSING 3  /* applied, and not in the bundle */
#define CORM_STEP_ORDER 4    /* pending, before one that is applied */
#define CORM_STEP_DIRTY 5    /* begun and not finished */
#define CORM_STEP_NEWER 6    /* applied, later than all of the bundle */

/* One step of a status. Text is borrowed until corm_bundle_states_free. It grows at its end only: take it by the pointer
   that is given. */
typedef struct corm_bundle_state {
    const char *id;
    corm_step_state state;
    /* When it began and ended, UTC, as 2026-01-31 12:00:00.000; NULL: not yet. */
    const char *started;
    const char *finished;
} corm_bundle_state;

/* The steps of a bundle and of a file's history, in order. */
typedef struct corm_bundle_states corm_bundle_states;

/* Says of each step of the bundle and of the file's history where it stands. out_states: owned (corm_bundle_states_free). */
corm_status corm_bundle_status(corm_database *database, const corm_bundle *bundle, corm_bundle_states **out_states,
                               corm_error **out_error);
/* Frees a status. NULL and a second free are no-ops. */
void corm_bundle_states_free(corm_bundle_states *states);
/* How many steps it lists; 0 for a bad handle. */
size_t corm_bundle_states_count(const corm_bundle_states *states);
/* One of them, from 0; NULL out of range, and for a bad handle. Returns: borrowed until corm_bundle_states_free. */
const corm_bundle_state *corm_bundle_states_get(const corm_bundle_states *states, size_t index);
/* [{"id", "state", "started", "finished"}]. Returns: borrowed until corm_bundle_states_free; NULL for a bad handle. */
const char *corm_bundle_states_json(const corm_bundle_states *states);

/*
 * What has changed in the file since its last step: a plan from its schema back to the one that the step left, empty
 * where there is no drift. out_plan: owned (corm_plan_free).
 */
corm_status corm_bundle_drift(corm_database *database, const corm_bundle *bundle, corm_plan **out_plan,
                              corm_error **out_error);

/*
 * Writes the step that leads from the bundle's last schema to the models, and seals the bundle. The folder is made where
 * it is missing, in one that is there. The step's down.sql leads back as far as the schema goes; dropped values do not come back.
 *
 * name      of the step: letters, digits and underscores; its number comes before it.
 * out_plan  what the step does, owned; empty: the models had not changed and nothing was written. NULL for none.
 * options   with a server (migration.h), the step is for it, too, and the plan is the one for it: what would keep others from a
 *           table that was there before stands outside the step's transaction.
 *
 * Statuses: CORM_E_MIGRATION when changes need a decision.
 */
corm_status corm_bundle_generate(const char *folder, const char *name, corm_model *const *models, size_t model_count,
                                 const corm_migration_options *options, corm_plan **out_plan, corm_error **out_error);

/* The same to any schema, such as another file's. */
corm_status corm_bundle_generate_to(const char *folder, const char *name, const corm_schema *schema,
                                    const corm_migration_options *options, corm_plan **out_plan,
                                    corm_error **out_error);

/*
 * Accepts the files as they are, after a step was written or changed by hand: runs all steps on an empty database in
 * memory, writes each one's schema.sql anew, and the manifest. Steps that the program brings are not run: the files' SQL
 * must do without them. Each down.sql must lead back. Statuses: the error of a step that fails, with its id.
 */
corm_status corm_bundle_seal(const char *folder, corm_error **out_error);

/*
 * Makes one step of the first ones, up to and with `last` (NULL: all), named after `last`: their SQL one after the other.
 * Files that have applied them all go on as if they had applied it; a file that stands between them must be brought to
 * `last` by the former bundle first. The folders of the replaced steps are removed; steps that the program brings must
 * stand behind them.
 * What a step does on a server outside a transaction is then done plainly, in the one, to tables that steps have made.
 * Statuses: CORM_E_MIGRATION where one of them runs anything else outside a transaction.
 */
corm_status corm_bundle_squash(const char *folder, const char *last, corm_error **out_error);

/* One step of a file whose schema has a number (PRAGMA user_version). */
typedef struct corm_version_step {
    uint32_t struct_size;
    /* The version that it leads to, from the one before. 0: sets an empty file up at the newest version at once. */
    int32_t version;
    const char *up_sql;
    const char *down_sql;
    corm_step_callback up;
    corm_step_callback down;
    void *context;
} corm_version_step;

#define CORM_VERSION_STEP_INIT CORM_INIT_(corm_version_step)

/*
 * Brings a file from its user_version to another, each step with its number in one transaction; down where `version` is
 * less. Without bundle or history, for files made so.
 *
 * steps    borrowed until return; versions 1, 2, ... without a gap, in any order, and 0 where there is a setup.
 * version  where to; -1: the newest.
 *
 * Statuses: CORM_E_MIGRATION_NEWER for a file beyond the newest version, CORM_E_MIGRATION for a gap or a step without a way
 * back. Threading: any thread.
 */
corm_status corm_migration_set_version(corm_database *database, const corm_version_step *steps, size_t step_count,
                                       int32_t version, const corm_migration_options *options, corm_error **out_error);

/* The file's user_version. */
corm_status corm_migration_version(corm_database *database, int32_t *out_version, corm_error **out_error);

CORM_END_DECLS

#endif
