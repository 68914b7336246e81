/* The steps of scenario files about JSON. */
#include "conformance.h"

#include <string.h>

/* A reader of the step's text, fed in small chunks; NULL with a status, or after a reported failure. */
static corm_json_reader *make_reader(step *s, corm_json_options *options) {
    static const char *const names[] = {"properties", "columns"};
    scenario *run = s->run;
    corm_json_reader *reader = NULL;
    const char *text = json_string_value(member(s, "text"));
    size_t size = json_string_length(member(s, "text"));
    *options = (corm_json_options)CORM_JSON_OPTIONS_INIT;
    options->names = choice(s, "names", names, 2);
    options->path = json_string_value(member(s, "path"));
    options->refuse_unknown = json_is_true(member(s, "refuseUnknown"));
    options->lines = json_is_true(member(s, "lines"));
    if (run->failed)
        return NULL;
    s->status = corm_json_reader_create(s->model.model, options, &reader, &run->error);
    for (size_t at = 0; s->status >= 0 && at < size; at += 7)
        s->status = corm_json_reader_feed(reader, text + at, size - at < 7 ? size - at : 7, &run->error);
    if (s->status >= 0)
        s->status = corm_json_reader_end(reader, &run->error);
    options->path = NULL; /* for writing */
    return reader;
}

/* Compares the text that writing the records, and those of the step's relations within them, gives. */
static bool check_written(step *s, corm_json_reader *reader, const corm_json_options *options, corm_records *records) {
    scenario *run = s->run;
    corm_json_nested nested[8];
    corm_related *related[8] = {NULL};
    size_t count = json_array_size(member(s, "relations"));
    bool good = count <= 8 || fail(run, "more than 8 relations");
    for (size_t index = 0; good && s->status >= 0 && index < count; index += 1) {
        nested[index] = (corm_json_nested)CORM_JSON_NESTED_INIT;
        nested[index].relations = json_string_value(json_array_get(member(s, "relations"), index));
        s->status = corm_json_reader_related(reader, nested[index].relations, &related[index], &run->error);
        nested[index].related = related[index];
    }
    corm_arena *arena = corm_arena_create();
    const char *text = NULL;
    size_t size;
    if (good && s->status >= 0)
        s->status = corm_json_write(s->model.model, corm_records_data(records), corm_records_count(records), nested,
                                    count, options, arena, &text, &size, &run->error);
    good = good && (s->status < 0 || check_text(s, "text", text));
    corm_arena_free(arena);
    for (size_t index = 0; index < 8; index += 1)
        corm_related_free(related[index]);
    return good;
}

bool step_read_json(step *s) {
    corm_json_options options;
    corm_records *records = NULL;
    corm_json_reader *reader = make_reader(s, &options);
    if (reader != NULL && s->status >= 0)
        s->status = corm_json_reader_fetch(reader, 0, &records, &s->run->error);
    bool good = !s->run->failed;
    if (good && s->status >= 0) {
        good =
            check_int(s, "count", (int64_t)corm_records_count(records)) &&
            (wanted(s, "records") == NULL || check_records(s->run, &s->model, wanted(s, "records"),
                                                           corm_records_data(records), corm_records_count(records))) &&
            (wanted(s, "text") == NULL || check_written(s, reader, &options, records));
    }
    corm_records_free(records);
    corm_json_reader_free(reader);
    return good;
}

bool step_import_json(step *s) {
    corm_json_options options;
    int64_t count = -1;
    corm_json_reader *reader = make_reader(s, &options);
    int32_t operation = json_is_true(member(s, "save")) ? CORM_WRITE_SAVE : CORM_WRITE_INSERT;
    if (reader != NULL && s->status >= 0)
        s->status = corm_json_reader_import(s->run->database, reader, operation, &count, &s->run->error);
    corm_json_reader_free(reader);
    return !s->run->failed && (s->status < 0 || check_int(s, "count", count));
}
