/* The steps of scenario files about bundles and integer versions. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A step's function: runs the SQL that the scenario gives it. */
static corm_status run_sql(corm_database *database, void *sql, corm_error **error) {
    return corm_database_execute_script(database, sql, error);
}

static bool add(step *s, json_t *json) {
    corm_bundle_step one = CORM_BUNDLE_STEP_INIT;
    const char *function;
    if (!check_members(s->run, json, "a step", " id up down call ") ||
        !parse_text(s->run, json_object_get(json, "id"), &one.id) ||
        !parse_text(s->run, json_object_get(json, "up"), &one.up_sql) ||
        !parse_text(s->run, json_object_get(json, "down"), &one.down_sql) ||
        !parse_text(s->run, json_object_get(json, "call"), &function)) {
        return false;
    }
    if (function != NULL) {
        one.up = run_sql;
        one.context = (void *)function;
    }
    s->status = corm_bundle_add(s->run->bundle, &one, &s->run->error);
    return true;
}

static void replace_bundle(scenario *run, corm_bundle *bundle) {
    corm_bundle_free(run->bundle);
    run->bundle = bundle;
}

bool step_bundle(step *s) {
    corm_bundle *bundle = NULL;
    size_t index;
    json_t *json;
    s->status = corm_bundle_create(NULL, &bundle, &s->run->error);
    replace_bundle(s->run, bundle);
    json_array_foreach(member(s, "steps"), index, json) {
        if (s->status >= 0 && !add(s, json))
            return false;
    }
    return true;
}

static const char *folder(step *s) { return beside(s->run, "migrations"); }

/* Null removes a file; folders are made on the way. */
bool step_write_files(step *s) {
    const char *name;
    json_t *text;
    char path[1024];
    mkdir(folder(s), 0700);
    s->status = CORM_OK;
    json_object_foreach(member(s, "files"), name, text) {
        snprintf(path, sizeof path, "%s/%s", folder(s), name);
        if (json_is_null(text)) {
            remove(path);
            continue;
        }
        char *slash = strrchr(path, '/');
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
        FILE *file = fopen(path, "wb");
        if (file == NULL)
            return fail(s->run, "cannot write %s", path);
        fputs(json_string_value(text), file);
        fclose(file);
    }
    return true;
}

bool step_seal(step *s) {
    s->status = corm_bundle_seal(folder(s), &s->run->error);
    return true;
}

bool step_open_bundle(step *s) {
    corm_bundle *bundle = NULL;
    s->status = corm_bundle_create(folder(s), &bundle, &s->run->error);
    if (s->status >= 0)
        replace_bundle(s->run, bundle);
    return true;
}

bool step_generate(step *s) {
    scenario *run = s->run;
    corm_model *const *models;
    size_t count;
    const char *name;
    corm_migration_options options;
    corm_plan *plan = NULL;
    corm_schema *schema = NULL;
    if (!parse_options(s, &options) || !parse_text(run, member(s, "name"), &name) ||
        !named_models(s, member(s, "models"), &models, &count)) {
        return false;
    }
    if (member(s, "to") == NULL) {
        if (is_on_server())
            options.server = run->database;
        s->status = corm_bundle_generate(folder(s), name, models, count, &options, &plan, &run->error);
    } else {
        if (!parse_schema(s, member(s, "to"), &schema))
            return false;
        if (s->status >= 0)
            s->status = corm_bundle_generate_to(folder(s), name, schema, &options, &plan, &run->error);
    }
    corm_schema_free(schema);
    return check_plan(s, plan);
}

bool step_squash(step *s) {
    s->status = corm_bundle_squash(folder(s), json_string_value(member(s, "last")), &s->run->error);
    return true;
}

bool step_apply(step *s) {
    bool reverts = strcmp(json_string_value(member(s, "do")), "revert") == 0;
    corm_migration_options options;
    if (!parse_options(s, &options))
        return false;
    s->status = (reverts ? corm_bundle_revert : corm_bundle_apply)(
        s->run->database, s->run->bundle, json_string_value(member(s, "last")), &options, &s->run->error);
    return true;
}

bool step_adopt(step *s) {
    s->status =
        corm_bundle_adopt(s->run->database, s->run->bundle, json_string_value(member(s, "last")), &s->run->error);
    return true;
}

bool step_resolve(step *s) {
    s->status = corm_bundle_resolve(s->run->database, s->run->bundle, json_string_value(member(s, "id")),
                                    json_is_true(member(s, "applied")), &s->run->error);
    return true;
}

static bool check_states(step *s, corm_bundle_states *states) {
    static const char *const names[] = {"pending", "applied", "modified", "missing", "order", "dirty", "newer"};
    json_t *expected = wanted(s, "states");
    size_t index;
    json_t *item;
    if (json_array_size(expected) != corm_bundle_states_count(states))
        return fail(s->run, "found: %s", corm_bundle_states_json(states));
    json_array_foreach(expected, index, item) {
        const corm_bundle_state *state = corm_bundle_states_get(states, index);
        corm_value found[] = {corm_value_text(state->id), corm_value_text(names[state->state])};
        if (!check_value(s->run, "id", json_array_get(item, 0), &found[0]) ||
            !check_value(s->run, state->id, json_array_get(item, 1), &found[1])) {
            return false;
        }
    }
    return true;
}

bool step_status(step *s) {
    corm_bundle_states *states = NULL;
    s->status = corm_bundle_status(s->run->database, s->run->bundle, &states, &s->run->error);
    bool good = s->status < 0 || wanted(s, "states") == NULL || check_states(s, states);
    corm_bundle_states_free(states);
    return good;
}

bool step_drift(step *s) {
    corm_plan *plan = NULL;
    s->status = corm_bundle_drift(s->run->database, s->run->bundle, &plan, &s->run->error);
    return check_plan(s, plan);
}

bool step_set_version(step *s) {
    scenario *run = s->run;
    size_t count = json_array_size(member(s, "steps"));
    corm_version_step *steps = allocate(run, count * sizeof *steps);
    json_t *version = member(s, "version");
    corm_migration_options options;
    size_t index;
    json_t *json;
    if (!parse_options(s, &options))
        return false;
    json_array_foreach(member(s, "steps"), index, json) {
        steps[index] = (corm_version_step)CORM_VERSION_STEP_INIT;
        steps[index].version = (int32_t)json_integer_value(json_object_get(json, "version"));
        const char *function;
        if (!check_members(run, json, "a step", " version up down call ") ||
            !parse_text(run, json_object_get(json, "call"), &function) ||
            !parse_text(run, json_object_get(json, "up"), &steps[index].up_sql) ||
            !parse_text(run, json_object_get(json, "down"), &steps[index].down_sql)) {
            return false;
        }
        if (function != NULL) {
            steps[index].up = run_sql;
            steps[index].context = (void *)function;
        }
    }
    s->status =
        corm_migration_set_version(run->database, steps, count,
                                   version == NULL ? -1 : (int32_t)json_integer_value(version), &options, &run->error);
    return true;
}

bool step_version(step *s) {
    int32_t version = -1;
    s->status = corm_migration_version(s->run->database, &version, &s->run->error);
    return s->status < 0 || check_int(s, "value", version);
}
