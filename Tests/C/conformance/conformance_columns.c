/* The steps of scenario files about results as columns and as JSON. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

/* The value of a column's row, as SQLite would hold it; false where the format is none that is known. */
static bool read_value(const char *format, const struct ArrowArray *column, int64_t row, corm_value *out_value) {
    const uint8_t *present = column->n_buffers > 0 ? column->buffers[0] : NULL;
    const void *data = column->n_buffers > 1 ? column->buffers[1] : NULL;
    *out_value = corm_value_null();
    if (strcmp(format, "n") == 0 || (present != NULL && !(present[row / 8] >> row % 8 & 1)))
        return true;
    if (strcmp(format, "l") == 0 || strcmp(format, "L") == 0 || strncmp(format, "tsu:", 4) == 0 ||
        strcmp(format, "ttu") == 0 || strcmp(format, "tDu") == 0)
        *out_value = corm_value_int64(((const int64_t *)data)[row]);
    else if (strcmp(format, "i") == 0 || strcmp(format, "tdD") == 0)
        *out_value = corm_value_int64(((const int32_t *)data)[row]);
    else if (strcmp(format, "I") == 0)
        *out_value = corm_value_int64(((const uint32_t *)data)[row]);
    else if (strcmp(format, "b") == 0)
        *out_value = corm_value_int64(((const uint8_t *)data)[row / 8] >> row % 8 & 1);
    else if (strcmp(format, "g") == 0)
        *out_value = corm_value_double(((const double *)data)[row]);
    else if (strcmp(format, "f") == 0)
        *out_value = corm_value_double(((const float *)data)[row]);
    else if (strcmp(format, "u") == 0 || strcmp(format, "z") == 0) {
        const int32_t *offsets = data;
        const char *bytes = (const char *)column->buffers[2] + offsets[row];
        size_t size = (size_t)(offsets[row + 1] - offsets[row]);
        *out_value = *format == 'u' ? corm_value_text_size(bytes, size) : corm_value_blob(bytes, size);
    } else
        return false;
    return true;
}

static bool check_schema(step *s, const struct ArrowSchema *schema) {
    json_t *formats = json_array(), *names = json_array();
    for (int64_t column = 0; column < schema->n_children; column += 1) {
        const struct ArrowSchema *child = schema->children[column];
        char format[32];
        snprintf(format, sizeof format, "%s%s", child->format, child->flags & ARROW_FLAG_NULLABLE ? "?" : "");
        json_array_append_new(formats, json_string(format));
        json_array_append_new(names, json_string(child->name));
    }
    bool good = check_json(s, "formats", formats);
    return check_json(s, "columns", names) && good;
}

static bool check_batch(step *s, const struct ArrowSchema *schema, const struct ArrowArray *batch, size_t before) {
    json_t *rows = wanted(s, "rows");
    for (int64_t row = 0; row < batch->length && before + (size_t)row < json_array_size(rows); row += 1) {
        json_t *expected = json_array_get(rows, before + (size_t)row);
        if (json_array_size(expected) != (size_t)batch->n_children)
            return fail(s->run, "a row has %d values", (int)batch->n_children);
        for (int64_t column = 0; column < batch->n_children; column += 1) {
            corm_value found;
            const struct ArrowSchema *child = schema->children[column];
            if (!read_value(child->format, batch->children[column], row, &found))
                return fail(s->run, "the format %s is unknown", child->format);
            if (!check_value(s->run, child->name, json_array_get(expected, (size_t)column), &found))
                return false;
        }
    }
    return true;
}

static bool check_batches(step *s, struct ArrowArrayStream *stream, const struct ArrowSchema *schema) {
    json_t *sizes = json_array(), *rows = wanted(s, "rows");
    struct ArrowArray batch;
    size_t count = 0;
    bool good = true;
    for (;;) {
        if (stream->get_next(stream, &batch) != 0) {
            json_decref(sizes);
            return fail(s->run, "%s", stream->get_last_error(stream));
        }
        if (batch.release == NULL)
            break;
        good = good && check_batch(s, schema, &batch, count);
        count += (size_t)batch.length;
        json_array_append_new(sizes, json_integer(batch.length));
        batch.release(&batch);
    }
    good = check_json(s, "batches", sizes) && good;
    return good && (rows == NULL || json_array_size(rows) == count || fail(s->run, "there are %zu rows", count));
}

/* The result of the step's SQL or statement. */
static bool open_result(step *s, corm_result **out_result) {
    const char *sql;
    const corm_value *values;
    size_t count;
    if (!parse_text(s->run, member(s, "sql"), &sql) || !parse_values(s->run, given_values(s), &values, &count))
        return false;
    s->status =
        s->statement == NULL
            ? corm_result_open(s->run->database, sql, values, count, out_result, &s->run->error)
            : corm_result_open_statement(s->run->database, s->statement, values, count, out_result, &s->run->error);
    return true;
}

bool step_columns(step *s) {
    scenario *run = s->run;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    corm_result *result;
    if (s->model.model != NULL) {
        corm_query query = CORM_QUERY_INIT;
        s->status = corm_query_arrow(run->database, s->model.model, &query, &stream, &run->error);
    } else {
        if (!open_result(s, &result))
            return false;
        if (s->status == CORM_OK)
            s->status = corm_result_arrow(result, &stream, &run->error);
    }
    if (s->status < 0)
        return true;
    if (stream.get_schema(&stream, &schema) != 0)
        return fail(run, "%s", stream.get_last_error(&stream));
    bool good = check_schema(s, &schema) && check_batches(s, &stream, &schema);
    schema.release(&schema);
    stream.release(&stream);
    return good;
}

bool step_query_json(step *s) {
    corm_result *result;
    const char *text;
    if (!open_result(s, &result))
        return false;
    if (s->status < 0)
        return true;
    s->status = corm_result_json(result, &text, &s->run->error);
    bool good = s->status < 0 || check_text(s, "text", text);
    corm_result_close(result);
    return good;
}
