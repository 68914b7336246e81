/* The steps of scenario files about models, records and queries. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

static corm_value *record_of(step *s) {
    corm_value *record = allocate(s->run, s->model.column_count * sizeof(corm_value));
    return parse_record(s->run, &s->model, member(s, "record"), 0, record) ? record : NULL;
}

static bool check_found(step *s, const corm_value *record) {
    if (!check_bool(s, "found", s->status == CORM_OK))
        return false;
    return record == NULL || s->status != CORM_OK || check_record(s->run, &s->model, wanted(s, "record"), record);
}

bool parse_query(step *s, corm_query *query) {
    json_t *where = member(s, "where");
    *query = (corm_query)CORM_QUERY_INIT;
    query->limit = json_integer_value(member(s, "limit"));
    if (member(s, "limit") != NULL && query->limit == 0)
        query->limit = CORM_LIMIT_NO_ROWS;
    query->offset = json_integer_value(member(s, "offset"));
    query->statement = s->statement;
    return parse_text(s->run, member(s, "sql"), &query->sql) &&
           parse_values(s->run, where ? where : given_values(s), &query->values, &query->value_count) &&
           parse_list(s->run, member(s, "orderBy"), &query->order_by);
}

/* Models and tables -------------------------------------------------------------------------------------------------- */

bool step_create_tables(step *s) {
    corm_model *const *models;
    size_t count;
    if (!named_models(s, member(s, "models"), &models, &count))
        return false;
    s->status = corm_model_create_tables(s->run->database, models, count, &s->run->error);
    return true;
}

bool step_table_exists(step *s) {
    s->status = corm_model_table_exists(s->run->database, s->model.model, &s->run->error);
    return check_found(s, NULL);
}

bool step_make_model(step *s) {
    dynamic_model made = {0};
    bool good = make_model(s->run, member(s, "definition"), &made, &s->status);
    corm_model_free(made.model);
    return good;
}

bool step_describe(step *s) {
    const corm_model *model = s->model.model;
    const char *lists[] = {"columns", "properties", "key"};
    const corm_model_info *info = corm_model_info_get(model);
    size_t count = info->column_count;
    s->status = CORM_OK;
    for (int list = 0; list < 3; list += 1) {
        json_t *names = json_array();
        for (size_t place = 1; list == 2 && place <= info->key_count; place += 1)
            for (size_t index = 0; index < count; index += 1)
                if (corm_model_column_get(model, index)->key_position == place)
                    json_array_append_new(names, json_string(corm_model_column_get(model, index)->property));
        for (size_t index = 0; list < 2 && index < count; index += 1) {
            const corm_model_column *column = corm_model_column_get(model, index);
            json_array_append_new(names, json_string(list == 0 ? column->name : column->property));
        }
        bool same = wanted(s, lists[list]) == NULL || json_equal(wanted(s, lists[list]), names);
        json_decref(names);
        if (!same)
            return fail(s->run, "%s are not those expected", lists[list]);
    }
    return check_text(s, "table", info->table) && check_bool(s, "generatesKey", info->generates_key);
}

bool step_create_sql(step *s) {
    const char *sql = corm_model_info_get(s->model.model)->create_sql;
    s->status = CORM_OK;
    return check_contains(s, sql);
}

/* Records ------------------------------------------------------------------------------------------------------------ */

static const char *const conflicts[] = {"abort", "ignore", "replace", "fail", "rollback"};

bool step_write_record(step *s) {
    const char *verb = json_string_value(member(s, "do"));
    scenario *run = s->run;
    corm_value *record = record_of(s);
    const char *properties;
    if (record == NULL || !parse_properties(run, member(s, "properties"), &properties))
        return false;
    if (strcmp(verb, "insert") == 0) {
        int32_t conflict = choice(s, "conflict", conflicts, 5);
        s->status = corm_record_insert(run->database, s->model.model, record, conflict, run->arena, &run->error);
        json_t *ignored = wanted(s, "ignored");
        if (s->status >= 0 && json_is_true(ignored) != (s->status == CORM_IGNORED)) {
            return fail(run, "ignored: expected %s", json_is_true(ignored) ? "true" : "false");
        }
    } else if (strcmp(verb, "save") == 0) {
        s->status = corm_record_save(run->database, s->model.model, record, run->arena, &run->error);
    } else if (strcmp(verb, "refresh") == 0) {
        s->status = corm_record_refresh(run->database, s->model.model, record, run->arena, &run->error);
    } else {
        s->status = corm_record_update(run->database, s->model.model, record, properties, run->arena, &run->error);
    }
    return s->status < 0 || check_record(run, &s->model, wanted(s, "record"), record);
}

bool step_update_changes(step *s) {
    scenario *run = s->run;
    corm_value *record = record_of(s);
    corm_value *since = allocate(run, s->model.column_count * sizeof *since);
    const char *changed;
    if (record == NULL || !parse_record(run, &s->model, member(s, "since"), 0, since))
        return false;
    s->status = corm_record_changes(s->model.model, record, since, run->arena, &changed, &run->error);
    if (s->status < 0)
        return true;
    if ((changed == NULL) != (s->status == CORM_IGNORED) || !check_text(s, "changed", changed))
        return changed != NULL && s->status == CORM_OK ? false : fail(run, "an empty list of changes");
    corm_status told = s->status;
    s->status = corm_record_update_changes(run->database, s->model.model, record, since, run->arena, &run->error);
    if (s->status >= 0 && s->status != told)
        return fail(run, "the update says something else than the list of changes");
    return s->status < 0 || check_record(run, &s->model, wanted(s, "record"), record);
}

static bool parse_upsert(step *s, corm_upsert_options *options) {
    *options = (corm_upsert_options)CORM_UPSERT_OPTIONS_INIT;
    return parse_list(s->run, member(s, "unique"), &options->on) &&
           parse_list(s->run, member(s, "keep"), &options->keep);
}

bool step_upsert(step *s) {
    scenario *run = s->run;
    corm_value *record = record_of(s);
    corm_upsert_options options;
    int64_t inserted = 0;
    if (record == NULL || !parse_upsert(s, &options))
        return false;
    options.keep_row = strcmp(json_string_value(member(s, "do")), "getOrCreate") == 0;
    s->status =
        corm_record_upsert(run->database, s->model.model, record, 1, &options, run->arena, &inserted, &run->error);
    return s->status < 0 || ((!options.keep_row || check_bool(s, "found", inserted == 0)) &&
                             check_record(run, &s->model, wanted(s, "record"), record));
}

bool step_upsert_many(step *s) {
    scenario *run = s->run;
    corm_value *records;
    size_t count;
    corm_upsert_options options;
    int64_t inserted = 0;
    if (!parse_records(run, &s->model, s->json, &records, &count) || !parse_upsert(s, &options))
        return false;
    options.keep_row = strcmp(json_string_value(member(s, "do")), "getOrCreateMany") == 0;
    s->status =
        corm_record_upsert(run->database, s->model.model, records, count, &options, run->arena, &inserted, &run->error);
    return s->status < 0 || ((!options.keep_row || check_int(s, "count", inserted)) &&
                             check_records(run, &s->model, wanted(s, "records"), records, count));
}

bool step_delete_record(step *s) {
    corm_value *record = record_of(s);
    if (record == NULL)
        return false;
    s->status = corm_record_delete(s->run->database, s->model.model, record, &s->run->error);
    return s->status < 0 || check_found(s, NULL);
}

bool step_write_records(step *s) {
    const char *verb = json_string_value(member(s, "do"));
    scenario *run = s->run;
    corm_value *records;
    const char *properties;
    size_t count;
    int64_t changed = 0;
    if (!parse_records(run, &s->model, s->json, &records, &count) ||
        !parse_properties(run, member(s, "properties"), &properties)) {
        return false;
    }
    if (strcmp(verb, "insertMany") == 0) {
        s->status = corm_record_insert_many(run->database, s->model.model, records, count,
                                            choice(s, "conflict", conflicts, 5), run->arena, &changed, &run->error);
    } else if (strcmp(verb, "saveMany") == 0) {
        s->status = corm_record_save_many(run->database, s->model.model, records, count, run->arena, &run->error);
    } else if (strcmp(verb, "updateMany") == 0) {
        s->status =
            corm_record_update_many(run->database, s->model.model, records, count, properties, run->arena, &run->error);
    } else {
        s->status = corm_record_delete_many(run->database, s->model.model, records, count, &changed, &run->error);
    }
    return s->status < 0 ||
           (check_int(s, "count", changed) && check_records(run, &s->model, wanted(s, "records"), records, count));
}

bool step_by_key(step *s) {
    const char *verb = json_string_value(member(s, "do"));
    scenario *run = s->run;
    const corm_model *model = s->model.model;
    const corm_value *key;
    size_t count;
    corm_value *record = allocate(run, s->model.column_count * sizeof *record);
    if (!parse_values(run, member(s, "key"), &key, &count))
        return false;
    if (strcmp(verb, "find") == 0) {
        s->status = corm_record_find(run->database, model, key, count, record, run->arena, &run->error);
        return s->status < 0 || check_found(s, record);
    }
    s->status = strcmp(verb, "exists") == 0 ? corm_record_exists(run->database, model, key, count, &run->error)
                                            : corm_record_delete_key(run->database, model, key, count, &run->error);
    return s->status < 0 || check_found(s, NULL);
}

bool step_delete_all(step *s) {
    int64_t count = -1;
    s->status = corm_query_delete(s->run->database, s->model.model, NULL, &count, &s->run->error);
    return s->status < 0 || check_int(s, "count", count);
}

/* Queries ------------------------------------------------------------------------------------------------------------ */

bool step_fetch_all(step *s) {
    scenario *run = s->run;
    corm_query query;
    corm_records *records = NULL;
    if (!parse_query(s, &query))
        return false;
    s->status = corm_query_fetch(run->database, s->model.model, &query, &records, &run->error);
    if (s->status < 0)
        return true;
    size_t count = corm_records_count(records);
    bool good = check_int(s, "count", (int64_t)count) &&
                check_records(run, &s->model, wanted(s, "records"), corm_records_data(records), count);
    corm_records_free(records);
    return good;
}

bool step_fetch_one(step *s) {
    corm_query query;
    corm_value *record = allocate(s->run, s->model.column_count * sizeof *record);
    if (!parse_query(s, &query))
        return false;
    s->status = corm_query_first(s->run->database, s->model.model, &query, record, s->run->arena, &s->run->error);
    return s->status < 0 || check_found(s, record);
}

bool step_one(step *s) {
    corm_query query;
    corm_value *record = allocate(s->run, s->model.column_count * sizeof *record);
    if (!parse_query(s, &query))
        return false;
    query.one = true;
    s->status = corm_query_first(s->run->database, s->model.model, &query, record, s->run->arena, &s->run->error);
    return s->status < 0 || check_record(s->run, &s->model, wanted(s, "record"), record);
}

bool step_one_value(step *s) {
    corm_query query;
    corm_value value = corm_value_null();
    if (!parse_query(s, &query))
        return false;
    query.one = true;
    s->status = corm_query_value(s->run->database, &query, s->run->arena, &value, &s->run->error);
    return s->status < 0 || check_value(s->run, "value", wanted(s, "value"), &value);
}

bool step_stream(step *s) {
    scenario *run = s->run;
    corm_query query;
    corm_cursor *cursor = NULL;
    corm_value *record = allocate(run, s->model.column_count * sizeof *record);
    json_t *expected = wanted(s, "records");
    size_t count = 0;
    if (!parse_query(s, &query))
        return false;
    s->status = corm_cursor_open(run->database, s->model.model, &query, &cursor, &run->error);
    if (s->status < 0)
        return true;
    while ((s->status = corm_cursor_next(cursor, record, &run->error)) == CORM_ROW && !run->failed) {
        if (count < json_array_size(expected))
            check_record(run, &s->model, json_array_get(expected, count), record);
        count += 1;
    }
    corm_cursor_close(cursor);
    if (s->status == CORM_DONE && expected != NULL && count != json_array_size(expected)) {
        fail(run, "expected %zu records, found %zu", json_array_size(expected), count);
    }
    return s->status < 0 || (check_int(s, "count", (int64_t)count) && !run->failed);
}

bool step_exists(step *s) {
    corm_query query;
    if (member(s, "key") != NULL)
        return step_by_key(s);
    if (!parse_query(s, &query))
        return false;
    s->status = corm_query_exists(s->run->database, s->model.model, &query, &s->run->error);
    return s->status < 0 || check_found(s, NULL);
}

bool step_count(step *s) {
    json_t *page_size = member(s, "pageSize");
    corm_query query;
    int64_t count = -1;
    if (!parse_query(s, &query))
        return false;
    s->status = page_size == NULL ? corm_query_count(s->run->database, s->model.model, &query, &count, &s->run->error)
                                  : corm_query_page_count(s->run->database, s->model.model, &query,
                                                          json_integer_value(page_size), &count, &s->run->error);
    return s->status < 0 || check_int(s, "count", count);
}

bool step_max_key(step *s) {
    corm_value key = corm_value_null();
    s->status = corm_query_max_key(s->run->database, s->model.model, &key, s->run->arena, &s->run->error);
    if (s->status < 0 || !check_found(s, NULL))
        return s->status < 0;
    return wanted(s, "value") == NULL || check_value(s->run, "value", wanted(s, "value"), &key);
}
