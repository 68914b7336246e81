/* The steps of scenario files about key-value stores. */
#include "conformance.h"

#include <string.h>
#include <time.h>

/* The version that the last storeGet of the scenario found. */
static int64_t version_read;

bool step_wait(step *s) {
    int64_t milliseconds = json_integer_value(member(s, "milliseconds"));
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    s->status = CORM_OK;
    return nanosleep(&time, NULL) == 0;
}

static bool parse_key(scenario *run, json_t *json, corm_text *out_key) {
    corm_value value;
    *out_key = (corm_text){NULL, 0};
    if (json == NULL)
        return true;
    if (!parse_value(run, json, 0, &value))
        return false;
    *out_key = (corm_text){value.as.bytes.data, value.as.bytes.size};
    return value.type == CORM_VALUE_TEXT || fail(run, "a key is a text");
}

/* A value, or {"json": text}. */
static bool parse_stored(scenario *run, json_t *json, corm_store_entry *out_entry) {
    json_t *text = json_object_get(json, "json");
    out_entry->is_json = text != NULL;
    return parse_value(run, text != NULL ? text : json, 0, &out_entry->value);
}

static bool check_stored(scenario *run, const char *what, json_t *expected, const corm_store_entry *entry) {
    json_t *text = json_object_get(expected, "json");
    if ((text != NULL) != entry->is_json)
        return fail(run, "%s: JSON or not is wrong", what);
    return check_value(run, what, text != NULL ? text : expected, &entry->value);
}

static bool parse_entry(scenario *run, json_t *json, corm_store_entry *out_entry) {
    *out_entry = (corm_store_entry)CORM_STORE_ENTRY_INIT;
    out_entry->expires_after = json_integer_value(json_object_get(json, "expiresIn"));
    return parse_key(run, json_object_get(json, "key"), &out_entry->key) &&
           parse_stored(run, json_object_get(json, "value"), out_entry);
}

static bool parse_range(step *s, corm_store_range *out_range) {
    *out_range = (corm_store_range)CORM_STORE_RANGE_INIT;
    out_range->limit = json_integer_value(member(s, "limit"));
    return parse_key(s->run, member(s, "prefix"), &out_range->prefix) &&
           parse_key(s->run, member(s, "start"), &out_range->start) &&
           parse_key(s->run, member(s, "end"), &out_range->end) &&
           parse_key(s->run, member(s, "after"), &out_range->after);
}

static bool put(step *s, corm_store *store) {
    json_t *list = member(s, "entries"), *item;
    corm_store_entry *entries = allocate(s->run, (json_array_size(list) + 1) * sizeof *entries);
    size_t index;
    if (list == NULL) {
        if (!parse_entry(s->run, s->json, entries))
            return false;
        s->status = corm_store_put(store, entries, &s->run->error);
        return true;
    }
    json_array_foreach(list, index, item) {
        if (!parse_entry(s->run, item, &entries[index]))
            return false;
    }
    s->status = corm_store_put_many(store, entries, json_array_size(list), &s->run->error);
    return true;
}

static bool scan(step *s, corm_store *store) {
    scenario *run = s->run;
    json_t *keys = wanted(s, "keys"), *values = wanted(s, "values");
    corm_store_range range;
    corm_store_entry entry = CORM_STORE_ENTRY_INIT;
    corm_result *result;
    size_t index = 0;
    bool good = true;
    if (!parse_range(s, &range))
        return false;
    s->status = corm_store_scan(store, &range, &result, &run->error);
    if (s->status < 0)
        return true;
    for (; good && (s->status = corm_store_next(result, &entry, &run->error)) == CORM_ROW; index += 1) {
        corm_value key = corm_value_text_size(entry.key.data, entry.key.size);
        good = (keys == NULL ||
                (index < json_array_size(keys) && check_value(run, "the key", json_array_get(keys, index), &key))) &&
               (values == NULL || (index < json_array_size(values) &&
                                   check_stored(run, "the value", json_array_get(values, index), &entry)));
    }
    corm_result_close(result);
    if (!good || s->status < 0)
        return good || fail(run, "the scan differs at entry %zu", index);
    return ((keys == NULL || json_array_size(keys) == index) && (values == NULL || json_array_size(values) == index)) ||
           fail(run, "the scan has %zu entries", index);
}

static bool get(step *s, corm_store *store, corm_text key) {
    corm_store_entry entry = CORM_STORE_ENTRY_INIT;
    s->status = corm_store_get(store, key.data, key.size, s->run->arena, &entry, &s->run->error);
    if (s->status == CORM_OK)
        version_read = entry.version;
    return s->status < 0 || (check_bool(s, "found", s->status == CORM_OK) &&
                             (wanted(s, "value") == NULL || s->status != CORM_OK
                                  ? wanted(s, "value") == NULL || fail(s->run, "nothing was found")
                                  : check_stored(s->run, "value", wanted(s, "value"), &entry)));
}

static bool compare_and_set(step *s, corm_store *store) {
    corm_store_entry entry = CORM_STORE_ENTRY_INIT;
    if (!parse_entry(s->run, s->json, &entry))
        return false;
    entry.version = strcmp(json_string_value(member(s, "version")), "read") == 0 ? version_read : 0;
    s->status = corm_store_compare_and_set(store, &entry, &s->run->error);
    return s->status < 0 || check_bool(s, "found", s->status == CORM_OK);
}

static bool run_on_store(step *s, corm_store *store) {
    scenario *run = s->run;
    const char *verb = json_string_value(member(s, "do"));
    const char *table;
    corm_store_range range;
    corm_text key;
    int64_t count = 0;
    if (!parse_key(run, member(s, "key"), &key) || !parse_text(run, member(s, "table"), &table) ||
        !parse_range(s, &range))
        return false;
    if (strcmp(verb, "storePut") == 0)
        return put(s, store);
    if (strcmp(verb, "compareAndSet") == 0)
        return compare_and_set(s, store);
    if (strcmp(verb, "storeScan") == 0)
        return scan(s, store);
    if (strcmp(verb, "storeGet") == 0)
        return get(s, store, key);
    if (strcmp(verb, "storeDelete") == 0 || strcmp(verb, "storeContains") == 0) {
        s->status = strcmp(verb, "storeDelete") == 0
                        ? corm_store_delete(store, key.data, key.size, &run->error)
                        : corm_store_get(store, key.data, key.size, NULL, NULL, &run->error);
        return s->status < 0 || check_bool(s, "found", s->status == CORM_OK);
    }
    if (strcmp(verb, "storeCount") == 0)
        s->status = corm_store_count(store, &range, &count, &run->error);
    else if (strcmp(verb, "storeClear") == 0)
        s->status = corm_store_clear(store, &range, &count, &run->error);
    else if (strcmp(verb, "storePurge") == 0)
        s->status = corm_store_purge(store, &count, &run->error);
    else
        s->status = corm_store_adopt(store, table, &count, &run->error);
    return s->status < 0 || check_int(s, "count", count);
}

bool step_store(step *s) {
    corm_store *store;
    const char *name;
    if (!parse_text(s->run, member(s, "store"), &name))
        return false;
    s->status = corm_store_open(s->run->database, name, &store, &s->run->error);
    if (s->status < 0)
        return true;
    bool good = run_on_store(s, store);
    corm_store_close(store);
    return good;
}
