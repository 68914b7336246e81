/* Conversions of one's own between a field and its column, and what happens when they fail. */
#include "support.h"

#include <stdio.h>
#include <string.h>

/* A point that is kept as the text "x;y". */
typedef struct point {
    int32_t x;
    int32_t y;
} point;

typedef struct place {
    int64_t id;
    point where;
    const char *shouted;
} place;

typedef struct calls {
    int encoded;
    int decoded;
    char text[64];
} calls;

static corm_status encode_point(const void *field, corm_value *out_value, void *context, corm_error **error) {
    (void)error;
    const point *from = field;
    calls *count = context;
    count->encoded += 1;
    if (from->x < 0)
        return CORM_E_CALLBACK;
    snprintf(count->text, sizeof count->text, "%d;%d", from->x, from->y);
    *out_value = corm_value_text(count->text);
    return CORM_OK;
}

static corm_status decode_point(const corm_value *value, void *field, corm_arena *arena, void *context,
                                corm_error **error) {
    (void)error;
    (void)arena;
    ((calls *)context)->decoded += 1;
    if (value->type != CORM_VALUE_TEXT)
        return CORM_E_CALLBACK;
    char text[64] = {0};
    memcpy(text, value->as.bytes.data, value->as.bytes.size < 63 ? value->as.bytes.size : 63);
    point *to = field;
    return STATUS(sscanf(text, "%d;%d", &to->x, &to->y) == 2);
}

/* A text that is kept with an exclamation mark. */
static corm_status encode_shout(const void *field, corm_value *out_value, void *context, corm_error **error) {
    (void)error;
    (void)context;
    static char text[64];
    const char *from = *(const char *const *)field;
    if (from == NULL) {
        *out_value = corm_value_null();
        return CORM_OK;
    }
    snprintf(text, sizeof text, "%s!", from);
    *out_value = corm_value_text(text);
    return CORM_OK;
}

static corm_status decode_shout(const corm_value *value, void *field, corm_arena *arena, void *context,
                                corm_error **error) {
    (void)error;
    (void)context;
    const char **to = field;
    if (value->type == CORM_VALUE_NULL || arena == NULL) {
        *to = NULL;
        return CORM_OK;
    }
    *to = corm_arena_copy(arena, value->as.bytes.data, value->as.bytes.size - 1);
    return STATUS(*to != NULL);
}

static calls seen;
static const corm_transform point_transform = {
    .struct_size = sizeof(corm_transform), .encode = encode_point, .decode = decode_point, .context = &seen};
static const corm_transform shout_transform = {
    .struct_size = sizeof(corm_transform), .encode = encode_shout, .decode = decode_shout};
static const corm_column_def place_columns[] = {
    CORM_COLUMN(place, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(place, where, CORM_TEXT, .not_null = true, .transform = &point_transform),
    CORM_COLUMN(place, shouted, CORM_TEXT, .transform = &shout_transform),
};
static const corm_model_def place_def = CORM_MODEL(place, "Place", place_columns);
static corm_model *places;

static int set_up_places(void **state) {
    memset(&seen, 0, sizeof seen);
    set_up(state);
    OK(corm_model_create(&place_def, &places, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(places), &failure));
    return 0;
}

static int tear_down_places(void **state) {
    corm_model_free(places);
    return tear_down(state);
}

static void fields_are_converted_both_ways(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    place one = {.where = {3, -4}, .shouted = "hey"};
    place read = {0};
    OK(corm_record_insert(db, places, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(seen.encoded, 1);
    assert_string_equal(select_text("SELECT \"where\" FROM place"), "3;-4");
    assert_string_equal(select_text("SELECT shouted FROM place"), "hey!");
    OK(corm_record_find(db, places, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    assert_int_equal(read.where.x, 3);
    assert_int_equal(read.where.y, -4);
    assert_string_equal(read.shouted, "hey");
    assert_int_equal(seen.decoded, 1);

    one.where.y = 5;
    one.shouted = NULL;
    OK(corm_record_update(db, places, &one, NULL, NULL, &failure));
    corm_records *records;
    OK(corm_query_fetch(db, places, NULL, &records, &failure));
    const place *all = corm_records_data(records);
    assert_int_equal(all[0].where.y, 5);
    assert_null(all[0].shouted);
    corm_records_free(records);

    corm_cursor *cursor;
    OK(corm_cursor_open(db, places, NULL, &cursor, &failure));
    GIVES(CORM_ROW, corm_cursor_next(cursor, &read, &failure));
    assert_int_equal(read.where.y, 5);
    corm_cursor_close(cursor);
    corm_arena_free(arena);
}

static void a_failing_encode_names_the_column(void **state) {
    (void)state;
    place one = {.where = {-1, 0}};
    GIVES(CORM_E_CALLBACK, corm_record_insert(db, places, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_string_equal(corm_error_info_get(failure)->table, "place");
    assert_string_equal(columns_of(failure), "where");
    assert_non_null(strstr(corm_error_message(failure), "where"));
    GIVES(CORM_E_CALLBACK, corm_record_save(db, places, &one, NULL, &failure));

    place many[3] = {{.where = {1, 1}}, {.where = {2, 2}}, {.where = {-3, 3}}};
    GIVES(CORM_E_CALLBACK, corm_record_insert_many(db, places, many, 3, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(corm_error_info_get(failure)->record_index, 2);
    assert_int_equal(select_int("SELECT count(*) FROM place"), 0);
    assert_int_equal(corm_transaction_depth(db), 0);
}

static void a_failing_decode_names_the_column(void **state) {
    (void)state;
    place read = {.id = 77};
    corm_records *records = NULL;
    corm_cursor *cursor;
    OK(corm_database_execute(db, "INSERT INTO place (\"where\") VALUES ('garbage')", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_CALLBACK, corm_record_find(db, places, CORM_VALUES(corm_value_int64(1)), &read, NULL, &failure));
    assert_string_equal(columns_of(failure), "where");
    GIVES(CORM_E_CALLBACK, corm_query_fetch(db, places, NULL, &records, &failure));
    assert_null(records);
    OK(corm_cursor_open(db, places, NULL, &cursor, &failure));
    GIVES(CORM_E_CALLBACK, corm_cursor_next(cursor, &read, &failure));
    corm_cursor_close(cursor);
    place one = {.where = {1, 2}};
    OK(corm_record_insert(db, places, &one, CORM_CONFLICT_ABORT, NULL, &failure));
}

static void a_value_out_of_a_transform_is_checked_too(void **state) {
    (void)state;
    place one = {.where = {1, 2}, .shouted = "\xff"};
    GIVES(CORM_E_ENCODING, corm_record_insert(db, places, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_string_equal(columns_of(failure), "shouted");
}

static void half_a_transform_is_refused(void **state) {
    (void)state;
    static const corm_transform halves[] = {{.struct_size = sizeof(corm_transform), .encode = encode_shout},
                                            {.struct_size = sizeof(corm_transform), .decode = decode_shout}};
    for (int half = 0; half < 2; half += 1) {
        corm_column_def columns[3];
        corm_model_def definition = place_def;
        corm_model *model = NULL;
        memcpy(columns, place_columns, sizeof columns);
        columns[2].transform = &halves[half];
        definition.columns = columns;
        GIVES(CORM_E_MODEL, corm_model_create(&definition, &model, &failure));
        assert_string_equal(columns_of(failure), "shouted");
    }
}

#define PLACES(function) cmocka_unit_test_setup_teardown(function, set_up_places, tear_down_places)

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACES(fields_are_converted_both_ways),    PLACES(a_failing_encode_names_the_column),
        PLACES(a_failing_decode_names_the_column), PLACES(a_value_out_of_a_transform_is_checked_too),
        PLACES(half_a_transform_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
