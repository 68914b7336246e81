/* What the files of the conformance runner share. Tests/Conformance/README.md describes the scenarios. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <cormorant.h>
#include <jansson.h>

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
    char path[512];
    corm_database *database;
    corm_arena *arena;
    struct allocation *allocations;
    corm_error *error; /* of the step's call */
    bool failed;
} scenario;

void *allocate(scenario *run, size_t size);
void release_allocations(scenario *run);

/* Reports a failed expectation; the scenario ends after this step. Returns false. */
bool fail(scenario *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the object has no members but those in `allowed` (names between spaces). */
bool check_members(scenario *run, json_t *object, const char *what, const char *allowed);

/* conformance_values.c */
bool parse_value(scenario *run, json_t *json, int64_t index, corm_value *out_value);
/* A list, or an object by name, as bindings, attributes or a key. NULL gives none. */
bool parse_values(scenario *run, json_t *json, const corm_value **out_values, size_t *out_count);
bool parse_text(scenario *run, json_t *json, const char **out_text);
bool parse_names(scenario *run, json_t *json, const char *const **out_names, size_t *out_count);
bool check_value(scenario *run, const char *what, json_t *expected, const corm_value *found);

/* conformance_models.c */
bool make_model(scenario *run, json_t *definition, dynamic_model *out_model, corm_status *out_status);
bool parse_record(scenario *run, const dynamic_model *model, json_t *json, int64_t index, corm_value *record);
/* `records` or `generate` of a step. */
bool parse_records(scenario *run, const dynamic_model *model, json_t *step, corm_value **out_records,
                   size_t *out_count);
bool check_record(scenario *run, const dynamic_model *model, json_t *expected, const corm_value *record);
bool check_records(scenario *run, const dynamic_model *model, json_t *expected, const corm_value *records,
                   size_t count);

/*
 * One step. Its handler makes one call, puts the call's status into `status`, and checks what is expected of a success;
 * it returns false when it has reported a failure.
 */
typedef struct step {
    scenario *run;
    json_t *json;
    json_t *expect;
    dynamic_model model; /* of the step's `model`, for this step only */
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
/* The position of the member's text among the names; 0 where the member is missing. */
int32_t choice(step *s, const char *name, const char *const *names, int32_t count);

/* conformance_records.c */
bool step_create_tables(step *s);
bool step_table_exists(step *s);
bool step_make_model(step *s);
bool step_describe(step *s);
bool step_create_sql(step *s);
bool step_write_record(step *s);
bool step_delete_record(step *s);
bool step_write_records(step *s);
bool step_by_key(step *s);
bool step_delete_all(step *s);
bool step_fetch_all(step *s);
bool step_fetch_one(step *s);
bool step_stream(step *s);
bool step_count(step *s);
bool step_max_key(step *s);

#endif
