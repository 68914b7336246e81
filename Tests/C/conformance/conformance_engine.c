/* On which engine scenarios run: SQLite, or the PostgreSQL server of CORMORANT_TEST_POSTGRES, each in a schema of its own. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where schemas are made and dropped; the reasons for what is not run, with their counts. */
static corm_database *server;
static json_t *left_out;

static const char *server_url(void) {
    const char *url = getenv("CORMORANT_TEST_POSTGRES");
    return url == NULL || *url == 0 ? NULL : url;
}

bool is_on_server(void) { return server_url() != NULL; }

static bool is_for_this_engine(json_t *json) {
    const char *engine = server_url() == NULL ? "sqlite" : "postgres";
    json_t *engines = json_object_get(json, "engines");
    size_t index;
    json_t *name;
    json_array_foreach(engines, index, name) {
        if (strcmp(json_string_value(name), engine) == 0)
            return true;
    }
    return engines == NULL;
}

static void note_left_out(json_t *json) {
    bool is_scenario = json_object_get(json, "steps") != NULL;
    const char *reason = json_string_value(json_object_get(json, "because"));
    char line[256];
    snprintf(line, sizeof line, "%s: %s", is_scenario ? "scenarios" : "steps", reason == NULL ? "no reason" : reason);
    left_out = left_out == NULL ? json_object() : left_out;
    json_object_set_new(left_out, line, json_integer(json_integer_value(json_object_get(left_out, line)) + 1));
}

/* The engines of a file are those of its scenarios that name none themselves. */
static void tell_scenarios(json_t *file) {
    json_t *engines = json_object_get(file, "engines");
    size_t index;
    json_t *scenario;
    json_array_foreach(json_object_get(file, "scenarios"), index, scenario) {
        if (engines != NULL && json_object_get(scenario, "engines") == NULL) {
            json_object_set(scenario, "engines", engines);
            json_object_set(scenario, "because", json_object_get(file, "because"));
        }
    }
}

static void keep_members_for_engine(json_t *object) {
    tell_scenarios(object);
    json_t *other = json_incref(json_object_get(object, "postgres"));
    json_object_del(object, "postgres");
    json_object_del(object, "engines");
    if (server_url() != NULL && other != NULL)
        json_object_update(object, other);
    json_decref(other);
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) keep_for_engine(value);
}

void keep_for_engine(json_t *json) {
    if (json_is_object(json))
        keep_members_for_engine(json);
    for (size_t index = 0; json_is_array(json) && index < json_array_size(json);) {
        json_t *item = json_array_get(json, index);
        if (json_is_object(item) && !is_for_this_engine(item)) {
            note_left_out(item);
            json_array_remove(json, index);
            continue;
        }
        keep_for_engine(item);
        index += 1;
    }
}

static bool on_server(scenario *run, const char *format) {
    char sql[128];
    snprintf(sql, sizeof sql, format, (int)getpid());
    if (server == NULL && corm_database_open(server_url(), NULL, &server, &run->error) != CORM_OK)
        return fail(run, "the server does not answer: %s", corm_error_message(run->error));
    if (corm_database_execute(server, sql, NULL, 0, NULL, &run->error) != CORM_OK)
        return fail(run, "%s: %s", sql, corm_error_message(run->error));
    return true;
}

bool make_place(scenario *run, const char *folder) {
    if (server_url() == NULL) {
        snprintf(run->path, sizeof run->path, "%s/test.db", folder);
        return true;
    }
    snprintf(run->path, sizeof run->path, "%s%coptions=-csearch_path%%3Dscenario_%d", server_url(),
             strchr(server_url(), '?') == NULL ? '?' : '&', (int)getpid());
    return on_server(run, "CREATE SCHEMA scenario_%d");
}

void remove_place(scenario *run) {
    if (server_url() != NULL)
        on_server(run, "DROP SCHEMA IF EXISTS scenario_%d CASCADE");
    corm_error_free(run->error);
    run->error = NULL;
}

bool tell_left_out(void) {
    bool some = left_out != NULL;
    const char *reason;
    json_t *count;
    json_object_foreach(left_out, reason, count)
        printf("not on this engine, %s: %d\n", reason, (int)json_integer_value(count));
    json_decref(left_out);
    corm_database_close(server, NULL);
    return some;
}
