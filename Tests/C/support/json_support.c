#include "json_support.h"

const corm_column_def item_columns[11] = {
    CORM_COLUMN(item, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(item, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(item, price, CORM_DOUBLE),
    CORM_COLUMN(item, sold, CORM_BOOL),
    CORM_COLUMN(item, photo, CORM_BLOB),
    CORM_COLUMN(item, made, CORM_DATETIME, .default_sql = "'2026-01-31 12:00:00'"),
    CORM_COLUMN(item, code, CORM_UUID),
    CORM_COLUMN(item, weight, CORM_DECIMAL, .column = "net_weight"),
    CORM_COLUMN(item, extra, CORM_JSON),
    CORM_COLUMN(item, stock, CORM_INT32, .is_unsigned = true, .json_key = "in stock", .json_optional = true),
    CORM_COLUMN(item, secret, CORM_TEXT, .json_key = ""),
};
const corm_model_def item_def = CORM_MODEL(item, "Item", item_columns);
corm_model *items;

int set_up_json(void **state) {
    set_up_relations(state);
    OK(corm_model_create(&item_def, &items, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(items), &failure));
    return 0;
}

int tear_down_json(void **state) {
    corm_model_free(items);
    return tear_down_relations(state);
}

corm_json_reader *reader_of(const corm_model *model, const char *text, size_t size, size_t chunk,
                            const corm_json_options *options) {
    corm_json_reader *reader;
    OK(corm_json_reader_create(model, options, &reader, &failure));
    for (size_t at = 0; at < size; at += chunk)
        OK(corm_json_reader_feed(reader, text + at, size - at < chunk ? size - at : chunk, &failure));
    OK(corm_json_reader_end(reader, &failure));
    return reader;
}

corm_status read_text(const corm_model *model, const char *text, const corm_json_options *options,
                      corm_records **records) {
    corm_json_reader *reader = reader_of(model, text, strlen(text), SIZE_MAX, options);
    forget_failure();
    corm_status status = corm_json_reader_fetch(reader, 0, records, &failure);
    corm_json_reader_free(reader);
    return status;
}

void refuses(corm_status status, const char *message, const char *text) {
    for (size_t chunk = 1; chunk < 1000; chunk += 998) {
        corm_records *records = NULL;
        corm_json_reader *reader = reader_of(items, text, strlen(text), chunk, NULL);
        GIVES(status, corm_json_reader_fetch(reader, 0, &records, &failure));
        if (strstr(corm_error_message(failure), message) == NULL)
            fail_msg("%s: expected \"%s\", found \"%s\"", text, message, corm_error_message(failure));
        /* It does not go on behind an error. */
        GIVES(status, corm_json_reader_fetch(reader, 0, &records, &failure));
        corm_json_reader_free(reader);
    }
}

const char *written(const corm_model *model, const void *records, size_t count, const corm_json_nested *nested,
                    size_t nested_count, const corm_json_options *options) {
    static corm_arena *arena;
    const char *text;
    size_t size;
    if (arena == NULL)
        arena = corm_arena_create();
    corm_arena_clear(arena);
    OK(corm_json_write(model, records, count, nested, nested_count, options, arena, &text, &size, &failure));
    assert_int_equal(strlen(text), size);
    return text;
}
