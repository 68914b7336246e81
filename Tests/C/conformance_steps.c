/* The steps of scenario files: those about SQL and transactions, the table of all, and what a step's error must be. */
#include "conformance.h"

#include <stdio.h>
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

json_t *given_values(step *s) { return member(s, s->statement == NULL ? "bindings" : "parameters"); }

int32_t choice(step *s, const char *name, const char *const *names, int32_t count) {
    return find_name(s->run, json_string_value(member(s, name)), names, count);
}

static bool execute(step *s) {
    scenario *run = s->run;
    const char *sql;
    const corm_value *values;
    size_t count;
    int64_t changes = -1;
    if (!parse_text(run, member(s, "sql"), &sql) || !parse_values(run, given_values(s), &values, &count))
        return false;
    s->status = s->statement == NULL
                    ? corm_database_execute(run->database, sql, values, count, &changes, &run->error)
                    : corm_statement_execute(run->database, s->statement, values, count, &changes, &run->error);
    return s->status < 0 || check_int(s, "changes", changes);
}

static bool execute_script(step *s) {
    const char *sql;
    if (!parse_text(s->run, member(s, "sql"), &sql))
        return false;
    s->status = corm_database_execute_script(s->run->database, sql, &s->run->error);
    return true;
}

static bool check_row(step *s, corm_result *result, json_t *expected) {
    size_t index;
    json_t *item;
    if (json_array_size(expected) != (size_t)corm_result_column_count(result)) {
        return fail(s->run, "a row has %d values", corm_result_column_count(result));
    }
    json_array_foreach(expected, index, item) {
        corm_value value;
        const char *name = corm_result_column_name(result, (int32_t)index);
        s->status = corm_result_get(result, (int32_t)index, &value, &s->run->error);
        if (s->status < 0)
            return fail(s->run, "%s", corm_error_message(s->run->error));
        if (!check_value(s->run, name, item, &value))
            return false;
    }
    return true;
}

static bool check_columns(step *s, corm_result *result) {
    json_t *columns = wanted(s, "columns");
    size_t index;
    json_t *item;
    if (columns != NULL && json_array_size(columns) != (size_t)corm_result_column_count(result)) {
        return fail(s->run, "expected %zu columns, found %d", json_array_size(columns),
                    corm_result_column_count(result));
    }
    json_array_foreach(columns, index, item) {
        corm_value name = corm_value_text(corm_result_column_name(result, (int32_t)index));
        if (!check_value(s->run, "column", item, &name))
            return false;
    }
    return true;
}

static bool query(step *s) {
    scenario *run = s->run;
    json_t *rows = wanted(s, "rows");
    const char *sql;
    const corm_value *values;
    size_t value_count;
    size_t count = 0;
    corm_result *result = NULL;
    if (!parse_text(run, member(s, "sql"), &sql) || !parse_values(run, given_values(s), &values, &value_count))
        return false;
    s->status = s->statement == NULL
                    ? corm_result_open(run->database, sql, values, value_count, &result, &run->error)
                    : corm_statement_open(run->database, s->statement, values, value_count, &result, &run->error);
    if (s->status < 0)
        return true;
    bool good = check_columns(s, result);
    while (good && (s->status = corm_result_next(result, &run->error)) == CORM_ROW) {
        good = count >= json_array_size(rows) || check_row(s, result, json_array_get(rows, count));
        count += 1;
    }
    corm_result_close(result);
    if (good && s->status == CORM_DONE && rows != NULL && count != json_array_size(rows)) {
        return fail(run, "expected %zu rows, found %zu", json_array_size(rows), count);
    }
    return good;
}

static bool begin(step *s) {
    static const char *const kinds[] = {"immediate", "deferred", "exclusive"};
    s->status = corm_transaction_begin(s->run->database, choice(s, "kind", kinds, 3), &s->run->error);
    return true;
}

static bool commit(step *s) {
    s->status = corm_transaction_commit(s->run->database, &s->run->error);
    if (s->status < 0 && corm_transaction_rollback(s->run->database, NULL) < 0) {
        return fail(s->run, "the rollback after the commit fails too");
    }
    return true;
}

static bool rollback(step *s) {
    s->status = corm_transaction_rollback(s->run->database, &s->run->error);
    return true;
}

static bool last_insert_id(step *s) {
    s->status = CORM_OK;
    return check_int(s, "value", corm_database_last_insert_id(s->run->database));
}

static bool changes(step *s) {
    s->status = CORM_OK;
    return check_int(s, "value", corm_database_changes(s->run->database));
}

static bool reopen(step *s) {
    static const char *const modes[] = {"create", "readWrite", "readOnly"};
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.mode = choice(s, "mode", modes, 3);
    s->status = corm_database_close(s->run->database, &s->run->error);
    if (s->status < 0)
        return true;
    s->run->database = NULL;
    s->status = corm_database_open(s->run->path, &options, &s->run->database, &s->run->error);
    return true;
}

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
    {"refresh", step_write_record, "model record", "record"},
    {"update", step_write_record, "model record properties", "record"},
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
    {"stream", step_stream, QUERY, "records count sql bindings"},
    {"count", step_count, "model sql bindings statement parameters where", "count sql bindings"},
    {"pageCount", step_count, "model sql bindings statement parameters where pageSize", "count sql bindings"},
    {"maxKey", step_max_key, "model", "found value"},
    {"execute", execute, "sql bindings statement parameters", "changes sql bindings"},
    {"executeScript", execute_script, "sql", ""},
    {"query", query, "sql bindings statement parameters", "columns rows sql bindings"},
    {"expression", step_expression, "expression", "sql bindings"},
    {"explain", step_explain, "statement", "contains lacks sql bindings"},
    {"begin", begin, "kind", ""},
    {"commit", commit, "", ""},
    {"rollback", rollback, "", ""},
    {"lastInsertId", last_insert_id, "", "value"},
    {"changes", changes, "", "value"},
    {"reopen", reopen, "mode", ""},
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
    bool good = check_text(&inner, "code", corm_status_name(corm_error_code(error))) &&
                check_text(&inner, "table", corm_error_table(error)) &&
                check_text(&inner, "columns", corm_error_columns(error)) &&
                check_text(&inner, "constraint", corm_error_constraint(error)) &&
                check_int(&inner, "recordIndex", corm_error_record_index(error)) &&
                check_int(&inner, "offset", corm_error_offset(error)) && check_bool(&inner, "hasHint", hint != NULL);
    return good || fail(run, "that was the error: %s", corm_error_message(error));
}

static bool known_members(step *s, const char *members, const char *expected) {
    char padded[128];
    snprintf(padded, sizeof padded, " do expect %s ", members);
    if (!check_members(s->run, s->json, "the step", padded))
        return false;
    snprintf(padded, sizeof padded, " error %s ", expected);
    return check_members(s->run, s->expect, "expect", padded);
}

static bool run_with(step *s, bool (*handler)(step *s)) {
    json_t *name = member(s, "model");
    if (name != NULL) {
        const dynamic_model *model = find_model(s->run, json_string_value(name));
        if (model == NULL)
            return false;
        s->model = *model;
    }
    bool good = parse_statement(s) && handler(s);
    corm_statement_free(s->statement);
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
