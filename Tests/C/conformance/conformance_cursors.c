/* The steps of scenario files about cursors that stay open between steps. */
#include "conformance.h"

#include <string.h>

/* Over the records of a model, or else over rows. */
struct open_cursor {
    struct open_cursor *next;
    const char *name;
    dynamic_model model;
    corm_cursor *records;
    corm_result *rows;
};

static struct open_cursor *cursor_of(step *s) {
    const char *name = json_string_value(member(s, "of"));
    struct open_cursor *found = s->run->cursors;
    while (found != NULL && (name == NULL || strcmp(found->name, name) != 0))
        found = found->next;
    if (found == NULL)
        fail(s->run, "there is no cursor \"%s\"", name == NULL ? "" : name);
    return found;
}

static void close_cursor(struct open_cursor *cursor) {
    corm_cursor_close(cursor->records);
    corm_result_close(cursor->rows);
    cursor->records = NULL;
    cursor->rows = NULL;
}

void close_cursors(scenario *run) {
    for (; run->cursors != NULL; run->cursors = run->cursors->next)
        close_cursor(run->cursors);
}

bool step_open_cursor(step *s) {
    scenario *run = s->run;
    struct open_cursor *cursor = allocate(run, sizeof *cursor);
    corm_query query;
    *cursor = (struct open_cursor){run->cursors, json_string_value(member(s, "as")), s->model, NULL, NULL};
    if (cursor->name == NULL)
        return fail(run, "the cursor needs a name: \"as\"");
    if (!parse_query(s, &query))
        return false;
    if (s->model.model != NULL)
        s->status = corm_cursor_open(run->database, s->model.model, &query, &cursor->records, &run->error);
    else if (s->statement != NULL)
        s->status = corm_result_open_statement(run->database, s->statement, query.values, query.value_count,
                                               &cursor->rows, &run->error);
    else
        s->status =
            corm_result_open(run->database, query.sql, query.values, query.value_count, &cursor->rows, &run->error);
    if (s->status >= 0)
        run->cursors = cursor;
    return true;
}

bool step_next(step *s) {
    struct open_cursor *cursor = cursor_of(s);
    if (cursor == NULL)
        return false;
    corm_value *record = allocate(s->run, cursor->model.column_count * sizeof *record);
    s->status = cursor->records == NULL ? corm_result_next(cursor->rows, &s->run->error)
                                        : corm_cursor_next(cursor->records, record, &s->run->error);
    if (s->status < 0)
        return true;
    if (!check_bool(s, "found", s->status == CORM_ROW))
        return false;
    if (s->status == CORM_ROW && wanted(s, "row") != NULL)
        return check_result_row(s, cursor->rows, wanted(s, "row"));
    return s->status != CORM_ROW || check_record(s->run, &cursor->model, wanted(s, "record"), record);
}

bool step_close_cursor(step *s) {
    struct open_cursor *cursor = cursor_of(s);
    if (cursor == NULL)
        return false;
    close_cursor(cursor);
    s->status = CORM_OK;
    return true;
}
