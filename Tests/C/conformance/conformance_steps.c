/* The steps of scenario files: the table of all, what they share, and what a step's error must be. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *member(step *s, const char *name) { return json_object_get(s->json, name); }
json_t *wanted(step *s, const char *name) { return json_object_get(s->expect, name); }

bool check_int(step *s, const char *name, int64_t found) {
    corm_value value = corm_value_int64(found);
    return wanted(s, name) == NULL || check_value(s->run, name, wanted(s, name), &value);
}

bool check_bool(step *s, const char *name, bool found) {
    json_t *expected = wanted(s, name);
    return expected == NULL || json_is_true(expected) == found ||
           fail(s->run, "%s: expected %s", name, found ? "false, found true" : "true, found false");
}

bool check_text(step *s, const char *name, const char *found) {
    corm_value value = corm_value_text(found);
    return wanted(s, name) == NULL || check_value(s->run, name, wanted(s, name), &value);
}

bool check_contains(step *s, const char *text) {
    size_t index;
    json_t *part;
    json_array_foreach(wanted(s, "contains"), index, part) {
        if (strstr(text, json_string_value(part)) == NULL)
            return fail(s->run, "no \"%s\" in: %s", json_string_value(part), text);
    }
    json_array_foreach(wanted(s, "lacks"), index, part) {
        if (strstr(text, json_string_value(part)) != NULL)
            return fail(s->run, "\"%s\" is in: %s", json_string_value(part), text);
    }
    return true;
}

bool check_json(step *s, const char *name, json_t *found) {
    json_t *expected = wanted(s, name);
    bool good = expected == NULL || json_equal(expected, found);
    char *text = json_dumps(found, 0);
    if (!good)
        fail(s->run, "%s: found %s", name, text);
    free(text);
    json_decref(found);
    return good;
}

json_t *given_values(step *s) { return member(s, s->statement == NULL ? "bindings" : "parameters"); }

int32_t choice(step *s, const char *name, const char *const *names, int32_t count) {
    return find_name(s->run, json_string_value(member(s, name)), names, count);
}

#define RANGE "prefix start end after"
#define COPY "snapshot dropSnapshot cancelAt"
#define PLAN "steps risk rows problems contains lacks progress"
#define METADATA                                                                                                       \
    "tables options columns flags foreignKeys indexes checks triggers relations ends problems contains lacks"
#define OPTIONS                                                                                                        \
    "mode journalMode synchronous foreignKeys busyTimeout template setUp cipher heapLimit keepSchema damaged"
#define QUERY "model sql bindings statement parameters where orderBy limit offset"
static const struct {
    const char *name;
    bool (*handler)(step *s);
    const char *members;
    const char *expected;
} handlers[] = {
    {"createTables", step_create_tables, "models", ""},
    {"tableExists", step_table_exists, "model", "found"},
    {"makeModel", step_make_model, "definition", ""},
    {"describe", step_describe, "model", "table columns properties key generatesKey"},
    {"createSQL", step_create_sql, "model", "contains lacks"},
    {"insert", step_write_record, "model record conflict", "record ignored"},
    {"save", step_write_record, "model record", "record"},
    {"upsert", step_upsert, "model record unique keep", "record"},
    {"upsertMany", step_upsert_many, "model records generate unique keep", "records"},
    {"getOrCreate", step_upsert, "model record unique", "found record"},
    {"getOrCreateMany", step_upsert_many, "model records generate unique", "count records"},
    {"refresh", step_write_record, "model record", "record"},
    {"update", step_write_record, "model record properties", "record"},
    {"updateChanges", step_update_changes, "model record since", "changed record"},
    {"delete", step_delete_record, "model record", "found"},
    {"insertMany", step_write_records, "model records generate conflict", "count records"},
    {"saveMany", step_write_records, "model records generate", "records"},
    {"updateMany", step_write_records, "model records generate properties", "records"},
    {"deleteMany", step_write_records, "model records generate", "count"},
    {"deleteKey", step_by_key, "model key", "found"},
    {"exists", step_exists, "model key statement parameters", "found sql bindings"},
    {"find", step_by_key, "model key", "found record"},
    {"deleteAll", step_delete_all, "model", "count"},
    {"fetchAll", step_fetch_all, QUERY, "records count sql bindings"},
    {"fetchOne", step_fetch_one, QUERY, "found record sql bindings"},
    {"one", step_one, QUERY, "record sql bindings"},
    {"oneValue", step_one_value, "sql bindings statement parameters", "value sql bindings"},
    {"stream", step_stream, QUERY, "records count sql bindings"},
    {"openCursor", step_open_cursor, "as " QUERY, "sql bindings"},
    {"next", step_next, "of", "found row record"},
    {"closeCursor", step_close_cursor, "of", ""},
    {"count", step_count, "model sql bindings statement parameters where", "count sql bindings"},
    {"pageCount", step_count, "model sql bindings statement parameters where pageSize", "count sql bindings"},
    {"maxKey", step_max_key, "model", "found value"},
    {"readJson", step_read_json, "model text path names refuseUnknown lines relations", "records count text"},
    {"importJson", step_import_json, "model text path names refuseUnknown lines save", "count"},
    {"execute", step_execute, "sql bindings statement parameters", "changes sql bindings"},
    {"executeScript", step_execute_script, "sql", ""},
    {"query", step_query, "sql bindings statement parameters", "columns rows sql bindings"},
    {"expression", step_expression, "expression", "sql bindings"},
    {"explain", step_explain, "statement", "contains lacks sql bindings"},
    {"load", step_load, "model records generate levels", "related count statements"},
    {"saveRelated", step_save_related, "model record relation related removed", "record related"},
    {"begin", step_begin, "kind", ""},
    {"commit", step_commit, "", ""},
    {"rollback", step_rollback, "", ""},
    {"lastInsertId", step_last_insert_id, "", "value"},
    {"hookCalls", step_hook_calls, "", "calls"},
    {"changes", step_changes, "", "value"},
    {"reopen", step_reopen, "mode autoSync untrusted", ""},
    {"schema", step_schema, "of with", "same contains lacks"},
    {"sync", step_sync, "models allowDrop " COPY, PLAN},
    {"planSync", step_sync, "models allowDrop", PLAN},
    {"plan", step_plan, "from to apply allowDrop " COPY, PLAN},
    {"restore", step_restore, "snapshot", ""},
    {"fileExists", step_file_exists, "file", "found"},
    {"bundle", step_bundle, "steps", ""},
    {"writeFiles", step_write_files, "files", ""},
    {"seal", step_seal, "", ""},
    {"openBundle", step_open_bundle, "", ""},
    {"generate", step_generate, "name models to allowDrop", PLAN},
    {"squash", step_squash, "last", ""},
    {"apply", step_apply, "last allowLossy " COPY, "progress"},
    {"revert", step_apply, "last allowLossy " COPY, "progress"},
    {"adopt", step_adopt, "last", ""},
    {"resolve", step_resolve, "id applied", ""},
    {"status", step_status, "", "states"},
    {"drift", step_drift, "", PLAN},
    {"setVersion", step_set_version, "steps version " COPY, "progress"},
    {"version", step_version, "", "value"},
    {"metadata", step_metadata, "of", METADATA},
    {"storePut", step_store, "store key value expiresIn entries", ""},
    {"storeGet", step_store, "store key", "found value"},
    {"storeContains", step_store, "store key", "found"},
    {"storeDelete", step_store, "store key", "found"},
    {"compareAndSet", step_store, "store key value version", "found"},
    {"storeScan", step_store, "store limit " RANGE, "keys values"},
    {"storeCount", step_store, "store " RANGE, "count"},
    {"storeClear", step_store, "store " RANGE, ""},
    {"storePurge", step_store, "store", "count"},
    {"storeAdopt", step_store, "store table", "count"},
    {"wait", step_wait, "milliseconds", ""},
    {"batch", step_batch, "parts onError", "results"},
    {"open", step_open, "as file memory " OPTIONS, ""},
    {"close", step_close, "", ""},
    {"transactionDepth", step_depth, "", "value"},
    {"registry", step_registry, "pattern limit " OPTIONS, ""},
    {"register", step_register, "name file mode", ""},
    {"use", step_use, "name as", ""},
    {"setCurrent", step_set_name, "name", ""},
    {"setDefault", step_set_name, "name", ""},
    {"registryState", step_registry_state, "", "names current default openCount"},
    {"closeFile", step_close_file, "name", ""},
    {"closeRegistry", step_close_registry, "", ""},
    {"attachNamed", step_attach_named, "name schema", ""},
    {"migrateAll", step_migrate_all, "names last allowLossy most", "told failed"},
    {"encrypt", step_recode, "file cipher", ""},
    {"decrypt", step_recode, "file cipher", ""},
    {"rekey", step_recode, "file cipher to", ""},
    {"checkPages", step_check_pages, "", "count"},
    {"attach", step_attach, "file schema cipher", ""},
    {"registerFunction", step_register_function, "name body deterministic inSchema", ""},
    {"registerCollation", step_register_collation, "name", ""},
    {"backup", step_backup, "file cipher cancelAt", ""},
    {"vacuum", step_look_after, "", ""},
    {"optimize", step_look_after, "", ""},
    {"checkpoint", step_checkpoint, "mode", "log copied"},
    {"writeText", step_write_text, "file text", ""},
    {"isPlain", step_is_plain, "file", "found"},
    {"damage", step_damage, "file at count", ""},
    {"damages", step_damages, "", "damages"},
    {"repair", step_repair, "file to cipher schema", "unreadablePages foundRows tables"},
    {"truncate", step_truncate, "file size", ""},
    {"copyFile", step_copy_file, "file to", ""},
    {"observe", step_observe,
     "as model key regions reads sql bindings statement parameters live keyColumns values latestOnly", "sql bindings"},
    {"events", step_events, "of wait", "events"},
    {"cancel", step_cancel, "of", ""},
    {"setCache", step_set_cache, "model maxCount maxBytes", ""},
    {"cacheStatistics", step_cache_statistics, "model", "hits misses count"},
    {"columns", step_columns, "model sql bindings statement parameters", "formats columns rows batches sql bindings"},
    {"queryJson", step_query_json, "sql bindings statement parameters", "text sql bindings"},
};

static bool check_error(step *s, json_t *expected) {
    scenario *run = s->run;
    const corm_error *error = run->error;
    step inner = {.run = run, .expect = expected};
    if (!check_members(run, expected, "error",
                       " code table columns constraint recordIndex offset hasHint messageContains hintContains ")) {
        return false;
    }
    if (s->status >= 0)
        return fail(run, "expected %s, but it succeeded", json_string_value(wanted(&inner, "code")));
    if (error == NULL || corm_error_code(error) != s->status)
        return fail(run, "no error to status %d", s->status);
    size_t index;
    json_t *text;
    json_array_foreach(wanted(&inner, "messageContains"), index, text) {
        if (strstr(corm_error_message(error), json_string_value(text)) == NULL) {
            return fail(run, "no \"%s\" in: %s", json_string_value(text), corm_error_message(error));
        }
    }
    const char *hint = corm_error_hint(error);
    json_array_foreach(wanted(&inner, "hintContains"), index, text) {
        if (hint == NULL || strstr(hint, json_string_value(text)) == NULL)
            return fail(run, "no \"%s\" in the hint: %s", json_string_value(text), hint == NULL ? "none" : hint);
    }
    const corm_error_info *info = corm_error_info_get(error);
    bool good = check_text(&inner, "code", corm_status_name(corm_error_code(error))) &&
                check_text(&inner, "table", info->table) && check_text(&inner, "columns", columns_of(error)) &&
                check_text(&inner, "constraint", info->constraint) &&
                check_int(&inner, "recordIndex", info->record_index) && check_int(&inner, "offset", info->offset) &&
                check_bool(&inner, "hasHint", hint != NULL);
    return good || fail(run, "that was the error: %s", corm_error_message(error));
}

static bool known_members(step *s, const char *members, const char *expected) {
    char padded[400];
    snprintf(padded, sizeof padded, " do on expect %s ", members);
    if (!check_members(s->run, s->json, "the step", padded))
        return false;
    snprintf(padded, sizeof padded, " error ran %s ", expected);
    return check_members(s->run, s->expect, "expect", padded);
}

static void note(const char *sql, int64_t nanoseconds, void *context) {
    (void)nanoseconds;
    json_array_append_new(context, json_string(sql));
}

/* The handler with what it runs and tells. */
static bool run_traced(step *s, bool (*handler)(step *s)) {
    bool traces = wanted(s, "ran") != NULL;
    if (traces && corm_database_set_trace(s->run->database, note, s->ran, NULL) != CORM_OK)
        return fail(s->run, "the database cannot be traced");
    bool good = handler(s);
    if (traces && corm_database_set_trace(s->run->database, NULL, NULL, NULL) != CORM_OK)
        return fail(s->run, "the database is traced for ever");
    return good && (s->status < 0 ||
                    (check_json(s, "ran", json_incref(s->ran)) && check_json(s, "progress", json_incref(s->told))));
}

/* The handler on the database of the step's `on`. */
static bool run_on(step *s, bool (*handler)(step *s)) {
    if (member(s, "on") == NULL)
        return run_traced(s, handler);
    corm_database *own = s->run->database;
    s->run->database = database_named(s->run, json_string_value(member(s, "on")));
    bool good = s->run->database != NULL && run_traced(s, handler);
    s->run->database = own;
    return good;
}

static bool run_with(step *s, bool (*handler)(step *s)) {
    json_t *name = member(s, "model");
    if (name != NULL) {
        const dynamic_model *model = find_model(s->run, json_string_value(name));
        if (model == NULL)
            return false;
        s->model = *model;
    }
    s->ran = json_array();
    s->told = json_array();
    bool good = parse_statement(s) && run_on(s, handler);
    corm_statement_free(s->statement);
    json_decref(s->ran);
    json_decref(s->told);
    return good;
}

bool run_step(scenario *run, json_t *json) {
    step s = {.run = run, .json = json, .expect = json_object_get(json, "expect"), .status = CORM_E_INTERNAL};
    const char *verb = json_string_value(member(&s, "do"));
    for (size_t index = 0; verb != NULL && index < sizeof handlers / sizeof handlers[0]; index += 1) {
        if (strcmp(verb, handlers[index].name) != 0)
            continue;
        if (!known_members(&s, handlers[index].members, handlers[index].expected))
            return false;
        if (!run_with(&s, handlers[index].handler))
            return false;
        json_t *expected = wanted(&s, "error");
        if (expected != NULL)
            return check_error(&s, expected);
        return s.status >= 0 || fail(run, "%s: %s", corm_status_name(s.status), corm_error_message(run->error));
    }
    return fail(run, "unknown step \"%s\"", verb == NULL ? "" : verb);
}
