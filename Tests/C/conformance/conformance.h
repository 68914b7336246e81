/* What the files of the conformance runner share. Tests/Conformance/README.md describes the scenarios. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "errors.h"

#include <cormorant.h>
#include <jansson.h>

#include "encrypted.h"

/* A model of a scenario file: every field of its records is a corm_value, so a record is an array of them. */
typedef struct dynamic_model {
    corm_model *model;
    size_t column_count;
    const char **properties;
} dynamic_model;

/* What a scenario is running on. Memory from `allocate` lives until the scenario ends. */
typedef struct scenario {
    const char *file;
    const char *name;
    size_t step_number;
    json_t *models; /* the definitions, by name */
    struct made_model *made;
    char path[512];
    const char *folder;
    corm_database *database; /* that of a step's `on`, while the step runs */
    struct named_database *others;
    corm_registry *registry;
    struct watch *watches;
    struct open_cursor *cursors;
    corm_bundle *bundle; /* of the steps about bundles */
    corm_arena *arena;
    struct allocation *allocations;
    corm_error *error;           /* of the step's call */
    corm_completion *completion; /* of the last batch, whose error that may be */
    json_t *calls;               /* the names of hooks that were called; NULL: none */
    bool failed;
} scenario;

void *allocate(scenario *run, size_t size);
void release_allocations(scenario *run);

/* Reports a failed expectation; the scenario ends after this step. Returns false. */
bool fail(scenario *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the object has no members but those in `allowed` (names between spaces). */
bool check_members(scenario *run, json_t *object, const char *what, const char *allowed);

/* conformance_engine.c */
/* Leaves in a scenario file what is for the engine that it runs on, with what its members `postgres` say there. */
void keep_for_engine(json_t *json);
/* The scenario's path: of a file in the folder, or a URL. */
bool make_place(scenario *run, const char *folder);
void remove_place(scenario *run);
/* Whether scenarios run on a server. */
bool is_on_server(void);
/* Tells by reason how many were not run; whether any was not. */
bool tell_left_out(void);

/* conformance_values.c */
bool parse_value(scenario *run, json_t *json, int64_t index, corm_value *out_value);
/* A list, or an object by name, as bindings, attributes or a key. NULL gives none. */
bool parse_values(scenario *run, json_t *json, const corm_value **out_values, size_t *out_count);
bool parse_text(scenario *run, json_t *json, const char **out_text);
bool parse_names(scenario *run, json_t *json, const char *const **out_names, size_t *out_count);
/* The same as one text, as lists of names are (value.h). NULL gives none. */
bool parse_list(scenario *run, json_t *json, const char **out_list);
/* The same of what an update is to write, where a list of none is not the same as no list. */
bool parse_properties(scenario *run, json_t *json, const char **out_list);
bool check_value(scenario *run, const char *what, json_t *expected, const corm_value *found);

/* A list, or `{"count": n, "value": ...}`. NULL gives none. */
bool parse_value_list(scenario *run, json_t *json, const corm_value **out_values, size_t *out_count);
bool same_value(const corm_value *left, const corm_value *right);

/* conformance_models.c */
/* CORM_INT64 and so on; 0 for NULL and unknown names. */
corm_type column_type(const char *name);
const char *type_name(corm_type type);
/* The position of a name in a list; 0 for NULL and, after a reported failure, for an unknown name. */
int32_t find_name(scenario *run, const char *name, const char *const *names, int32_t count);
/* A model without its relations; the caller frees it. */
bool make_plain_model(scenario *run, json_t *definition, dynamic_model *out_model, corm_status *out_status);
bool parse_record(scenario *run, const dynamic_model *model, json_t *json, int64_t index, corm_value *record);
/* `records` or `generate` of a step. */
bool parse_records(scenario *run, const dynamic_model *model, json_t *step, corm_value **out_records,
                   size_t *out_count);
bool check_record(scenario *run, const dynamic_model *model, json_t *expected, const corm_value *record);
bool check_records(scenario *run, const dynamic_model *model, json_t *expected, const corm_value *records,
                   size_t count);

/* conformance_relations.c */
/* A model of the file, made once in a scenario and with its relations; NULL after a reported failure. */
const dynamic_model *find_model(scenario *run, const char *name);
void release_models(scenario *run);
/* A model with its relations, where it can be made; the caller frees it. */
bool make_model(scenario *run, json_t *definition, dynamic_model *out_model, corm_status *out_status);

/* conformance_expressions.c, conformance_statements.c. What is wrong is reported; the result may then be NULL. */
corm_expr *make_expression(scenario *run, json_t *json);
corm_expr **make_expressions(scenario *run, json_t *list, size_t *out_count);
corm_statement *make_statement(scenario *run, json_t *json);

/*
 * One step. Its handler makes one call, puts the call's status into `status`, and checks what is expected of a success;
 * it returns false when it has reported a failure.
 */
typedef struct step {
    scenario *run;
    json_t *json;
    json_t *expect;
    dynamic_model model;       /* of the step's `model`; NULL inside where it has none */
    corm_statement *statement; /* of the step's `statement`, or NULL */
    json_t *ran;               /* the SQL that was run, where the step expects that */
    json_t *told;              /* what progress was told, each step of it once in a row */
    json_int_t calls;          /* of progress */
    corm_status status;
} step;

/* conformance_steps.c */
bool run_step(scenario *run, json_t *json);
json_t *member(step *s, const char *name);
json_t *wanted(step *s, const char *name);
/* Each compares one member of `expect`, if it is there. */
bool check_int(step *s, const char *name, int64_t found);
bool check_bool(step *s, const char *name, bool found);
bool check_text(step *s, const char *name, const char *found);
/* A list, compared with a member of `expect` as JSON; takes the list over. */
bool check_json(step *s, const char *name, json_t *found);
/* A list of texts, compared with the lines of another. */
bool check_lines(step *s, const char *name, const char *lines);
/* Whether a text has all of `contains` and none of `lacks`. */
bool check_contains(step *s, const char *text);
/* `bindings` or `parameters`. */
json_t *given_values(step *s);
/* The position of the member's text among the names; 0 where the member is missing. */
int32_t choice(step *s, const char *name, const char *const *names, int32_t count);

/* conformance_sql.c */
/* Compares the row that a result stands on. */
bool check_result_row(step *s, corm_result *result, json_t *expected);
bool step_execute(step *s);
bool step_execute_script(step *s);
bool step_query(step *s);
bool step_begin(step *s);
bool step_commit(step *s);
bool step_rollback(step *s);
bool step_last_insert_id(step *s);
bool step_changes(step *s);
bool step_reopen(step *s);

/* conformance_cursors.c */
void close_cursors(scenario *run);
bool step_open_cursor(step *s);
bool step_next(step *s);
bool step_close_cursor(step *s);

/* conformance_hooks.c */
/* Those of a model; NULL where the definition has none. */
const corm_record_hooks *make_hooks(scenario *run, json_t *json, size_t column_count, const char **properties);
/* The validator of a column, where the definition has one. */
void make_validator(scenario *run, json_t *json, corm_column_def *column);
bool step_hook_calls(step *s);

/* conformance_functions.c */
bool step_register_function(step *s);
bool step_register_collation(step *s);

/* conformance_metadata.c */
bool step_metadata(step *s);

/* conformance_migrations.c */
/* The models named in the member. */
bool named_models(step *s, json_t *names, corm_model *const **out_models, size_t *out_count);
/* A file beside the scenario's database. */
const char *beside(scenario *run, const char *name);
/* A schema as CREATE statements or {"models": names}; missing: the file's. `status` says whether it could be made. */
bool parse_schema(step *s, json_t *json, corm_schema **out_schema);
bool parse_options(step *s, corm_migration_options *out_options);
/* What `cancelAt` and the expected `progress` need, with the step as context; NULL where there is neither. */
corm_progress_callback progress_of(step *s);
/* Compares a plan with `expect` and frees it. */
bool check_plan(step *s, corm_plan *plan);
bool step_schema(step *s);
bool step_sync(step *s);
bool step_plan(step *s);
bool step_restore(step *s);
bool step_file_exists(step *s);

/* conformance_bundles.c */
bool step_bundle(step *s);
bool step_write_files(step *s);
bool step_seal(step *s);
bool step_open_bundle(step *s);
bool step_generate(step *s);
bool step_squash(step *s);
bool step_apply(step *s);
bool step_adopt(step *s);
bool step_resolve(step *s);
bool step_status(step *s);
bool step_drift(step *s);
bool step_set_version(step *s);
bool step_version(step *s);

/* conformance_records.c */
/* QUERY of a step. */
bool parse_query(step *s, corm_query *query);
bool step_create_tables(step *s);
bool step_table_exists(step *s);
bool step_make_model(step *s);
bool step_describe(step *s);
bool step_create_sql(step *s);
bool step_write_record(step *s);
bool step_upsert(step *s);
bool step_update_changes(step *s);
bool step_upsert_many(step *s);
bool step_delete_record(step *s);
bool step_write_records(step *s);
bool step_by_key(step *s);
bool step_delete_all(step *s);
bool step_fetch_all(step *s);
bool step_fetch_one(step *s);
bool step_one(step *s);
bool step_one_value(step *s);
bool step_stream(step *s);
bool step_exists(step *s);
bool step_count(step *s);
bool step_max_key(step *s);

/* conformance_json.c */
bool step_read_json(step *s);
bool step_import_json(step *s);
/* conformance_related.c */
bool step_load(step *s);
bool step_save_related(step *s);

/* conformance_queues.c */
bool step_batch(step *s);

/* conformance_databases.c */
/* The database that a step opened or used under a name; NULL after a reported failure. */
corm_database *database_named(scenario *run, const char *name);
/* Those that steps left open, and the registry. */
void close_databases(scenario *run);
bool parse_cipher(step *s, const char *name, corm_cipher_options *out_cipher);
bool step_open(step *s);
bool step_close(step *s);
bool step_registry(step *s);
bool step_register(step *s);
bool step_use(step *s);
bool step_set_name(step *s);
bool step_registry_state(step *s);
bool step_close_file(step *s);
bool step_close_registry(step *s);
bool step_attach_named(step *s);
bool step_migrate_all(step *s);
bool step_recode(step *s);
bool step_check_pages(step *s);
bool step_attach(step *s);
bool step_backup(step *s);
bool step_look_after(step *s);
bool step_checkpoint(step *s);
bool step_write_text(step *s);
bool step_is_plain(step *s);
bool step_damage(step *s);
bool step_damages(step *s);
bool step_repair(step *s);
bool step_truncate(step *s);
bool step_copy_file(step *s);
bool step_depth(step *s);

/* conformance_observation.c */
void cancel_watches(scenario *run);
bool step_observe(step *s);
bool step_cancel(step *s);
bool step_events(step *s);
bool step_set_cache(step *s);
bool step_cache_statistics(step *s);

/* conformance_columns.c */
bool step_columns(step *s);
bool step_query_json(step *s);

/* conformance_stores.c */
bool step_store(step *s);
bool step_wait(step *s);

/* conformance_statements.c */
/* Makes the step's statement, if it has one, and compares it with `sql` and `bindings`. */
bool parse_statement(step *s);
bool step_expression(step *s);
bool step_explain(step *s);

#endif
