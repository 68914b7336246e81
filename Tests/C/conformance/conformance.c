/* conformance FILE...: runs scenario files and exits with 1 when one fails. */
#include "conformance.h"
#include "folders.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct allocation {
    struct allocation *next;
    max_align_t bytes[];
};

void *allocate(scenario *run, size_t size) {
    struct allocation *allocation = calloc(1, sizeof(struct allocation) + size + 1);
    if (allocation == NULL)
        abort();
    allocation->next = run->allocations;
    run->allocations = allocation;
    return allocation->bytes;
}

void release_allocations(scenario *run) {
    while (run->allocations != NULL) {
        struct allocation *next = run->allocations->next;
        free(run->allocations);
        run->allocations = next;
    }
}

bool fail(scenario *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "FAIL %s: %s: step %zu: ", run->file, run->name, run->step_number);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    run->failed = true;
    return false;
}

bool check_members(scenario *run, json_t *object, const char *what, const char *allowed) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        char padded[64];
        snprintf(padded, sizeof padded, " %s ", key);
        if (strcmp(key, "note") != 0 && strcmp(key, "because") != 0 && strstr(allowed, padded) == NULL) {
            return fail(run, "%s has the unknown member \"%s\"", what, key);
        }
    }
    return true;
}

static void run_steps(scenario *run, json_t *steps) {
    size_t index;
    json_t *step;
    json_array_foreach(steps, index, step) {
        if (run->failed || !run_step(run, step))
            return;
        corm_error_free(run->error);
        run->error = NULL;
        run->step_number += 1;
    }
}

static bool run_scenario(const char *file, json_t *models, json_t *setup, json_t *json) {
    scenario run = {.file = file, .name = json_string_value(json_object_get(json, "name")), .models = models};
    char folder[400];
    if (run.name == NULL || !json_is_array(json_object_get(json, "steps"))) {
        run.name = run.name == NULL ? "?" : run.name;
        return fail(&run, "a scenario needs a name and steps");
    }
    if (!make_folder(folder, sizeof folder))
        return fail(&run, "no temporary folder");
    run.arena = corm_arena_create();
    run.folder = folder;
    if (make_place(&run, folder) && corm_database_open(run.path, NULL, &run.database, &run.error) != CORM_OK) {
        fail(&run, "the database does not open: %s", corm_error_message(run.error));
    }
    run_steps(&run, setup);
    run_steps(&run, json_object_get(json, "steps"));
    corm_error_free(run.error);
    run.error = NULL;
    close_cursors(&run);
    cancel_watches(&run);
    close_databases(&run);
    if (corm_database_close(run.database, &run.error) != CORM_OK) {
        fail(&run, "the database does not close: %s", corm_error_message(run.error));
    }
    corm_error_free(run.error);
    run.error = NULL;
    remove_place(&run);
    corm_completion_free(run.completion);
    json_decref(run.calls);
    corm_bundle_free(run.bundle);
    release_models(&run);
    corm_arena_free(run.arena);
    release_allocations(&run);
    remove_folder(folder);
    return !run.failed;
}

/* The models of a file as an object by name. */
static json_t *models_by_name(json_t *file) {
    json_t *models = json_object();
    size_t index;
    json_t *model;
    json_array_foreach(json_object_get(file, "models"), index, model) {
        json_object_set(models, json_string_value(json_object_get(model, "name")), model);
    }
    return models;
}

/* Whether a scenario is for the SQLite that is there. */
static bool is_for_this_sqlite(json_t *scenario) {
    int minor = 0;
    int limit = 0;
    const char *wanted = json_string_value(json_object_get(scenario, "sqlite"));
    if (wanted == NULL)
        return true;
    sscanf(corm_sqlite_version(), "3.%d", &minor);
    if (sscanf(wanted, "from 3.%d", &limit) == 1)
        return minor >= limit;
    return sscanf(wanted, "before 3.%d", &limit) == 1 && minor < limit;
}

static int run_file(const char *path, int *count) {
    json_error_t error;
    json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (file == NULL) {
        fprintf(stderr, "FAIL %s:%d: %s\n", path, error.line, error.text);
        return 1;
    }
    keep_for_engine(file);
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    json_t *models = models_by_name(file);
    json_t *setup = json_object_get(file, "setup");
    int failures = 0;
    size_t index;
    json_t *json;
    json_array_foreach(json_object_get(file, "scenarios"), index, json) {
        if (is_for_this_sqlite(json))
            failures += run_scenario(name, models, setup, json) ? 0 : 1;
        *count += 1;
    }
    json_decref(models);
    json_decref(file);
    return failures;
}

int main(int argument_count, char **arguments) {
    int failures = 0;
    int count = 0;
    for (int index = 1; index < argument_count; index += 1)
        failures += run_file(arguments[index], &count);
    bool some_left_out = tell_left_out();
    printf("%d scenarios, %d failed\n", count, failures);
    return failures > 0 || (count == 0 && !some_left_out);
}
