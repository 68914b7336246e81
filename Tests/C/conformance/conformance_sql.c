/* The steps of scenario files about raw SQL, transactions and the file. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

bool step_execute(step *s) {
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

bool step_execute_script(step *s) {
    const char *sql;
    if (!parse_text(s->run, member(s, "sql"), &sql))
        return false;
    s->status = corm_database_execute_script(s->run->database, sql, &s->run->error);
    return true;
}

bool check_result_row(step *s, corm_result *result, json_t *expected) {
    size_t index;
    json_t *item;
    if (json_array_size(expected) != corm_result_column_count(result)) {
        return fail(s->run, "a row has %zu values", corm_result_column_count(result));
    }
    json_array_foreach(expected, index, item) {
        corm_value value;
        const char *name = corm_result_column_name(result, index);
        s->status = corm_result_get(result, index, &value, &s->run->error);
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
    if (columns != NULL && json_array_size(columns) != corm_result_column_count(result)) {
        return fail(s->run, "expected %zu columns, found %zu", json_array_size(columns),
                    corm_result_column_count(result));
    }
    json_array_foreach(columns, index, item) {
        corm_value name = corm_value_text(corm_result_column_name(result, index));
        if (!check_value(s->run, "column", item, &name))
            return false;
    }
    return true;
}

bool step_query(step *s) {
    scenario *run = s->run;
    json_t *rows = wanted(s, "rows");
    const char *sql;
    const corm_value *values;
    size_t value_count;
    size_t count = 0;
    corm_result *result = NULL;
    if (!parse_text(run, member(s, "sql"), &sql) || !parse_values(run, given_values(s), &values, &value_count))
        return false;
    s->status = s->statement == NULL ? corm_result_open(run->database, sql, values, value_count, &result, &run->error)
                                     : corm_result_open_statement(run->database, s->statement, values, value_count,
                                                                  &result, &run->error);
    if (s->status < 0)
        return true;
    bool good = check_columns(s, result);
    while (good && (s->status = corm_result_next(result, &run->error)) == CORM_ROW) {
        good = count >= json_array_size(rows) || check_result_row(s, result, json_array_get(rows, count));
        count += 1;
    }
    corm_result_close(result);
    if (good && s->status == CORM_DONE && rows != NULL && count != json_array_size(rows)) {
        return fail(run, "expected %zu rows, found %zu", json_array_size(rows), count);
    }
    return good;
}

bool step_begin(step *s) {
    static const char *const kinds[] = {"immediate", "deferred", "exclusive", "read"};
    s->status = corm_transaction_begin(s->run->database, choice(s, "kind", kinds, 4), &s->run->error);
    return true;
}

bool step_commit(step *s) {
    s->status = corm_transaction_commit(s->run->database, &s->run->error);
    if (s->status < 0 && corm_transaction_rollback(s->run->database, NULL) < 0) {
        return fail(s->run, "the rollback after the commit fails too");
    }
    return true;
}

bool step_rollback(step *s) {
    s->status = corm_transaction_rollback(s->run->database, &s->run->error);
    return true;
}

bool step_last_insert_id(step *s) {
    s->status = CORM_OK;
    return check_int(s, "value", corm_database_last_insert_id(s->run->database));
}

bool step_changes(step *s) {
    s->status = CORM_OK;
    return check_int(s, "value", corm_database_changes(s->run->database));
}

bool step_reopen(step *s) {
    static const char *const modes[] = {"create", "readWrite", "readOnly"};
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.mode = choice(s, "mode", modes, 3);
    options.auto_sync = json_is_true(member(s, "autoSync"));
    options.untrusted = json_is_true(member(s, "untrusted"));
    s->status = corm_database_close(s->run->database, &s->run->error);
    if (s->status < 0)
        return true;
    s->run->database = NULL;
    s->status = corm_database_open(s->run->path, &options, &s->run->database, &s->run->error);
    return true;
}
