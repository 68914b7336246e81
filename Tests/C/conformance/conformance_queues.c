/* The step of scenario files about write queues. */
#include "conformance.h"

#include <string.h>

static bool add_part(step *s, corm_batch *batch) {
    static const char *const conflicts[] = {"abort", "ignore", "replace", "fail", "rollback"};
    scenario *run = s->run;
    const char *verb = json_string_value(member(s, "do")), *sql;
    const corm_value *values;
    const char *properties;
    size_t count;
    if (!check_members(run, s->json, "a part", " do model record conflict properties sql bindings "))
        return false;
    if (strcmp(verb, "execute") == 0) {
        if (!parse_text(run, member(s, "sql"), &sql) || !parse_values(run, member(s, "bindings"), &values, &count))
            return false;
        s->status = corm_batch_execute(batch, sql, values, count, &run->error);
        return true;
    }
    const dynamic_model *model = find_model(run, json_string_value(member(s, "model")));
    corm_value *record = model ? allocate(run, model->column_count * sizeof *record) : NULL;
    if (record == NULL || !parse_record(run, model, member(s, "record"), 0, record) ||
        !parse_properties(run, member(s, "properties"), &properties))
        return false;
    if (strcmp(verb, "insert") == 0)
        s->status = corm_batch_insert(batch, model->model, record, choice(s, "conflict", conflicts, 5), &run->error);
    else if (strcmp(verb, "save") == 0)
        s->status = corm_batch_save(batch, model->model, record, &run->error);
    else if (strcmp(verb, "update") == 0)
        s->status = corm_batch_update(batch, model->model, record, properties, &run->error);
    else if (strcmp(verb, "delete") == 0)
        s->status = corm_batch_delete(batch, model->model, record, &run->error);
    else
        return fail(run, "unknown part \"%s\"", verb);
    /* What has gone into the batch is a copy. */
    memset(record, 0x55, model->column_count * sizeof *record);
    return true;
}

static bool add_parts(step *s, corm_batch *batch) {
    json_t *item;
    size_t index;
    s->status = CORM_OK;
    json_array_foreach(member(s, "parts"), index, item) {
        step part = {.run = s->run, .json = item, .status = CORM_OK};
        if (!add_part(&part, batch))
            return false;
        if ((s->status = part.status) < 0)
            return true;
    }
    return true;
}

static bool check_results(step *s, corm_completion *completion) {
    json_t *found = json_array();
    for (size_t index = 0; index < corm_completion_info_get(completion)->result_count; index += 1) {
        const corm_write_result *one = corm_completion_result_get(completion, index);
        json_t *key = one->generated_key ? json_integer(one->generated_key) : json_null();
        json_t *code = one->error ? json_string(corm_status_name(corm_error_code(one->error))) : json_null();
        json_array_append_new(found, json_pack("[Ioo]", (json_int_t)one->changes, key, code));
    }
    return check_json(s, "results", found);
}

/* Hands the batch over and waits for its end, by a listener. */
static bool commit(step *s, corm_queue *queue, corm_batch *batch) {
    static const char *const policies[] = {"rollback", "continue"};
    scenario *run = s->run;
    corm_listener *listener = NULL;
    corm_completion *completion = NULL;
    bool good = true;
    if ((s->status = corm_listener_open(queue, NULL, &listener, &run->error)) == CORM_OK)
        s->status = corm_batch_commit(batch, choice(s, "onError", policies, 2), NULL, NULL, &run->error);
    if (s->status == CORM_OK)
        s->status = corm_queue_flush(queue, &run->error);
    if (s->status == CORM_OK && corm_listener_next(listener, &completion, &run->error) == CORM_ROW) {
        s->status = corm_completion_info_get(completion)->status;
        good = s->status < 0 || check_results(s, completion);
        /* The completion's, which lives as long as the scenario. */
        run->error = corm_completion_info_get(completion)->error;
    }
    corm_completion_free(run->completion);
    run->completion = completion;
    corm_listener_close(listener);
    return good;
}

bool step_batch(step *s) {
    scenario *run = s->run;
    corm_queue *queue = NULL;
    corm_batch *batch = NULL;
    bool good = true;
    s->status = corm_queue_open(run->database, NULL, &queue, &run->error);
    if (s->status == CORM_OK)
        s->status = corm_batch_create(queue, &batch, &run->error);
    if (s->status == CORM_OK)
        good = add_parts(s, batch);
    if (good && s->status == CORM_OK)
        good = commit(s, queue, batch);
    corm_batch_free(batch);
    corm_queue_close(queue, NULL);
    return good;
}
