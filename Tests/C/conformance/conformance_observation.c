/* The steps of scenario files about observers and caches. */
#include "conformance.h"

#include <poll.h>
#include <string.h>

/* A watch that a step began, by the name that the step gave it. */
struct watch {
    struct watch *next;
    const char *name;
    corm_observer *observer;
    dynamic_model model; /* whose records it watches; NULL inside for other watches */
};

static struct watch *find_watch(step *s) {
    const char *name = json_string_value(member(s, "of"));
    struct watch *watch = s->run->watches;
    while (watch != NULL && (name == NULL || strcmp(watch->name, name) != 0))
        watch = watch->next;
    if (watch == NULL)
        fail(s->run, "nothing is observed as \"%s\"", name ? name : "");
    return watch;
}

void cancel_watches(scenario *run) {
    for (; run->watches != NULL; run->watches = run->watches->next)
        corm_observer_close(run->watches->observer);
}

static bool parse_regions(step *s, corm_observe_options *options) {
    json_t *list = member(s, "regions"), *item;
    corm_region *regions = allocate(s->run, json_array_size(list) * sizeof *regions);
    size_t index;
    json_array_foreach(list, index, item) {
        regions[index] = (corm_region)CORM_REGION_INIT;
        regions[index].table = json_string_value(json_object_get(item, "table"));
        if (!check_members(s->run, item, "a region", " table columns ") ||
            !parse_list(s->run, json_object_get(item, "columns"), &regions[index].columns))
            return false;
    }
    options->regions = json_array_size(list) == 0 ? NULL : regions;
    options->region_count = json_array_size(list);
    return true;
}

/* What a function that is watched reads. */
typedef struct reading {
    corm_model *model;
    json_t *statements;
} reading;

/* Counts the records of the model, where there is one, and runs the statements. */
static corm_status read_all(corm_database *database, void *context, corm_error **out_error) {
    const reading *what = context;
    json_t *sql;
    size_t index;
    int64_t count;
    if (what->model != NULL) {
        corm_status counted = corm_query_count(database, what->model, NULL, &count, out_error);
        if (counted < 0)
            return counted;
    }
    json_array_foreach(what->statements, index, sql) {
        corm_result *result = NULL;
        corm_status status = corm_result_open(database, json_string_value(sql), CORM_NO_VALUES, &result, out_error);
        while (status >= 0 && (status = corm_result_next(result, out_error)) == CORM_ROW)
            ;
        corm_result_close(result);
        if (status < 0)
            return status;
    }
    return CORM_OK;
}

bool step_observe(step *s) {
    scenario *run = s->run;
    struct watch *watch = allocate(run, sizeof *watch);
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_query query = CORM_QUERY_INIT;
    options.live = json_is_true(member(s, "live"));
    options.values = json_is_true(member(s, "values"));
    options.latest_only = json_is_true(member(s, "latestOnly"));
    options.model = s->model.model;
    query.statement = s->statement;
    if (!parse_regions(s, &options) || !parse_values(run, member(s, "key"), &options.key, &options.key_count) ||
        !parse_list(run, member(s, "keyColumns"), &options.key_columns) ||
        !parse_text(run, member(s, "sql"), &query.sql) ||
        !parse_values(run, given_values(s), &query.values, &query.value_count))
        return false;
    if (member(s, "reads") != NULL) {
        reading *what = allocate(run, sizeof *what);
        *what = (reading){s->model.model, member(s, "reads")};
        options.reads = read_all;
        options.context = what;
        options.model = NULL;
    }
    options.query = query.sql != NULL || query.statement != NULL ? &query : NULL;
    s->status = corm_observer_open(run->database, &options, &watch->observer, &run->error);
    if (s->status < 0)
        return true;
    watch->next = run->watches;
    watch->name = json_string_value(member(s, "as"));
    watch->model = s->model;
    run->watches = watch;
    return watch->name != NULL || fail(run, "the watch needs a name: \"as\"");
}

bool step_cancel(step *s) {
    struct watch *watch = find_watch(s);
    if (watch == NULL)
        return false;
    corm_observer_close(watch->observer);
    s->status = CORM_OK;
    return true;
}

static bool check_values(step *s, const char *what, json_t *expected, const corm_value *values, size_t count) {
    size_t index;
    json_t *item;
    if (expected == NULL)
        return true;
    if (json_array_size(expected) != count)
        return fail(s->run, "%s: %zu values", what, count);
    json_array_foreach(expected, index, item) {
        if (!check_value(s->run, what, item, &values[index]))
            return false;
    }
    return true;
}

/* `old` or `new` of a change: null, the values of a row, or a record of the model that is watched. */
static bool check_row(step *s, const struct watch *watch, const char *what, const corm_value *values, size_t count) {
    json_t *expected = wanted(s, what);
    if (expected == NULL)
        return true;
    if (json_is_null(expected) || values == NULL)
        return (json_is_null(expected) && values == NULL) || fail(s->run, "%s: whether there is a row is wrong", what);
    return json_is_object(expected) ? check_record(s->run, &watch->model, expected, values)
                                    : check_values(s, what, expected, values, count);
}

static bool check_change(step *s, const struct watch *watch, corm_event *event, size_t index) {
    static const char *const kinds[] = {"unknown", "insert", "update", "delete"};
    const corm_change *change = corm_event_change_get(event, index);
    return check_members(s->run, s->expect, "a change", " kind table key old new position ") &&
           check_text(s, "kind", kinds[change->kind]) && check_text(s, "table", change->table) &&
           check_values(s, "key", wanted(s, "key"), change->key, change->key_count) &&
           check_row(s, watch, "old", change->old_values, change->old_count) &&
           check_row(s, watch, "new", change->new_values, change->new_count) &&
           check_int(s, "position", change->position);
}

static bool check_event(step *s, const struct watch *watch, corm_event *event) {
    scenario *run = s->run;
    json_t *changes = wanted(s, "changes"), *rows = wanted(s, "rows"), *item;
    const corm_event_info *info = corm_event_info_get(event);
    size_t index, count;
    if (!check_members(run, s->expect, "an event", " foreign changes rows ") ||
        info->is_foreign != json_is_true(wanted(s, "foreign")))
        return fail(run, "whether the event is foreign is wrong");
    if (changes != NULL && json_array_size(changes) != info->change_count)
        return fail(run, "the event has %zu changes", info->change_count);
    json_array_foreach(changes, index, item) {
        step inner = {.run = run, .expect = item};
        if (!check_change(&inner, watch, event, index))
            return fail(run, "change %zu differs", index);
    }
    if (rows != NULL && json_array_size(rows) != info->row_count)
        return fail(run, "the event has %zu rows", info->row_count);
    json_array_foreach(rows, index, item) {
        const corm_value *values = corm_event_row_get(event, index, &count);
        if (!check_values(s, "row", item, values, count))
            return false;
    }
    return true;
}

bool step_events(step *s) {
    scenario *run = s->run;
    struct watch *watch = find_watch(s);
    json_t *expected = wanted(s, "events");
    corm_event *event;
    size_t count = 0;
    if (watch == NULL)
        return false;
    struct pollfd waiting = {.events = POLLIN};
    if (json_is_true(member(s, "wait")) &&
        (corm_observer_descriptor(watch->observer, &waiting.fd, NULL) < 0 || poll(&waiting, 1, 10000) != 1))
        return fail(run, "no event came");
    while ((s->status = corm_observer_next(watch->observer, &event, &run->error)) == CORM_ROW) {
        step inner = {.run = run, .expect = json_array_get(expected, count)};
        bool good = inner.expect == NULL || check_event(&inner, watch, event);
        corm_event_free(event);
        if (!good)
            return fail(run, "event %zu differs", count);
        count += 1;
    }
    return s->status < 0 || expected == NULL || json_array_size(expected) == count ||
           fail(run, "%zu events waited", count);
}

bool step_set_cache(step *s) {
    s->status = corm_database_set_cache(s->run->database, s->model.model, json_integer_value(member(s, "maxCount")),
                                        json_integer_value(member(s, "maxBytes")), &s->run->error);
    return true;
}

bool step_cache_statistics(step *s) {
    corm_cache_statistics found = CORM_CACHE_STATISTICS_INIT;
    s->status = corm_database_cache_statistics(s->run->database, s->model.model, &found, &s->run->error);
    return s->status < 0 || (check_int(s, "hits", found.hits) && check_int(s, "misses", found.misses) &&
                             check_int(s, "count", found.count));
}
