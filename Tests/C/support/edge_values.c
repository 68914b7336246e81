#include "edge_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const corm_column_def columns[] = {
    CORM_COLUMN(edge_value, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(edge_value, whole, CORM_INT64),
    CORM_COLUMN(edge_value, optionalWhole, CORM_INT64),
    CORM_COLUMN(edge_value, natural, CORM_INT64, .is_unsigned = true),
    CORM_COLUMN(edge_value, small, CORM_INT32),
    CORM_COLUMN(edge_value, optionalSmall, CORM_INT32),
    CORM_COLUMN(edge_value, smallNatural, CORM_INT32, .is_unsigned = true),
    CORM_COLUMN(edge_value, flag, CORM_BOOL),
    CORM_COLUMN(edge_value, optionalFlag, CORM_BOOL),
    CORM_COLUMN(edge_value, ratio, CORM_DOUBLE),
    CORM_COLUMN(edge_value, optionalRatio, CORM_DOUBLE),
    CORM_COLUMN(edge_value, single, CORM_FLOAT),
    CORM_COLUMN(edge_value, optionalSingle, CORM_FLOAT),
    CORM_COLUMN(edge_value, label, CORM_TEXT, .not_null = true),
    CORM_COLUMN(edge_value, optionalLabel, CORM_TEXT),
    CORM_COLUMN(edge_value, code, CORM_VARCHAR, .length = 10, .not_null = true),
    CORM_COLUMN(edge_value, optionalCode, CORM_VARCHAR, .length = 10),
    CORM_COLUMN(edge_value, data, CORM_BLOB, .not_null = true),
    CORM_COLUMN(edge_value, optionalData, CORM_BLOB),
    CORM_COLUMN(edge_value, moment, CORM_DATETIME),
    CORM_COLUMN(edge_value, optionalMoment, CORM_DATETIME),
    CORM_COLUMN(edge_value, token, CORM_UUID),
    CORM_COLUMN(edge_value, optionalToken, CORM_UUID),
    CORM_COLUMN(edge_value, price, CORM_DECIMAL, .not_null = true),
    CORM_COLUMN(edge_value, optionalPrice, CORM_DECIMAL),
    CORM_COLUMN(edge_value, extra, CORM_JSON, .not_null = true),
    CORM_COLUMN(edge_value, optionalExtra, CORM_JSON),
};
const corm_model_def edge_value_def = CORM_MODEL(edge_value, "EdgeValues", columns);

/* A literal without its closing NUL, as text or blob. */
#define BYTES(literal) {(literal), sizeof(literal) - 1}
#define COUNTED_UUID                                                                                                   \
    {                                                                                                                  \
        { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff }             \
    }

static const edge_value literals[EDGE_VALUE_COUNT] = {
    {.id = 1, .label = BYTES(""), .code = "", .data = BYTES(""), .price = "0", .extra = "{}"},
    {.id = 2,
     .optionalWhole = {true, 0},
     .optionalSmall = {true, 0},
     .optionalFlag = {true, false},
     .optionalRatio = {true, 0},
     .optionalSingle = {true, 0},
     .label = BYTES(""),
     .optionalLabel = BYTES(""),
     .code = "",
     .optionalCode = "",
     .data = BYTES(""),
     .optionalData = BYTES(""),
     .optionalMoment = {true, 0},
     .optionalToken = {true, {{0}}},
     .price = "0",
     .optionalPrice = BYTES("0.00"),
     .extra = "{}",
     .optionalExtra = BYTES("[]")},
    {.id = INT64_MAX,
     .whole = INT64_MAX,
     .optionalWhole = {true, INT64_MAX},
     .natural = INT64_MAX,
     .small = INT32_MAX,
     .optionalSmall = {true, INT32_MAX},
     .smallNatural = UINT32_MAX,
     .flag = true,
     .optionalFlag = {true, true},
     .ratio = 1.7976931348623157e308,
     .optionalRatio = {true, INFINITY},
     .single = 3.4028234663852886e38f,
     .optionalSingle = {true, INFINITY},
     .label = BYTES("\0"),
     .optionalLabel = BYTES("a\0b"),
     .code = "日本語🦤éабвгд",
     .optionalCode = "0123456789",
     .data = BYTES("\0"),
     .optionalData = BYTES("\xff\0\xfe\x80\xc0"),
     .moment = 253402300799999999,
     .optionalMoment = {true, 1},
     .token = {{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}},
     .optionalToken = {true, COUNTED_UUID},
     .price = "99999999999999999999999999999999.99",
     .optionalPrice = BYTES("0.000000000000000000001"),
     .extra = "{\"a\":[1,2,null,true],\"b\":{\"c\":\"d\"}}",
     .optionalExtra = BYTES("[\"\"]")},
    {.id = INT64_MIN,
     .whole = INT64_MIN,
     .optionalWhole = {true, INT64_MIN},
     .natural = 1,
     .small = INT32_MIN,
     .optionalSmall = {true, INT32_MIN},
     .smallNatural = 1,
     .flag = true,
     .optionalFlag = {true, false},
     .ratio = -1.7976931348623157e308,
     .optionalRatio = {true, -INFINITY},
     .single = -3.4028234663852886e38f,
     .optionalSingle = {true, -INFINITY},
     .label = BYTES("naïve 日本 🦤 e\u0301"),
     .optionalLabel = BYTES("'); DROP TABLE edge_values; --"),
     .code = "'\"`[]",
     .optionalCode = " \n\r\t",
     .optionalData = BYTES("'"),
     .moment = -62135596800000000,
     .optionalMoment = {true, -1},
     .token = COUNTED_UUID,
     .price = "-99999999999999999999999999999999.99",
     .optionalPrice = BYTES("-0.10"),
     .extra = "{\"quote\":\"'\"}"},
    {.id = 3,
     .whole = 9007199254740993,
     .optionalWhole = {true, -9007199254740993},
     .natural = 4294967296,
     .small = 1,
     .optionalSmall = {true, -1},
     .smallNatural = 2147483648,
     .optionalFlag = {true, true},
     .ratio = 0.1,
     .optionalRatio = {true, 5e-324},
     .single = 0.1f,
     .optionalSingle = {true, 1.401298464324817e-45f},
     .optionalLabel = BYTES("0123"),
     .code = "1e3",
     .optionalCode = "NULL",
     .data = BYTES("12"),
     .moment = 1700000000123456,
     .token = {{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0}},
     .price = "12.50",
     .extra = "{\"n\":12345678901234567}"},
};

static const char *repeated(const char *bytes, size_t size, size_t times, corm_arena *arena) {
    static char buffer[200000];
    for (size_t index = 0; index < times; index += 1)
        memcpy(buffer + index * size, bytes, size);
    return corm_arena_copy(arena, buffer, size * times);
}

void edge_values(edge_value rows[EDGE_VALUE_COUNT], corm_arena *arena) {
    memcpy(rows, literals, sizeof literals);
    rows[3].data = (corm_blob){repeated("\x00\x01\x02\xfd\xfe\xff", 6, 20000, arena), 120000};
    rows[4].label = (corm_text){repeated("0123456789", 10, 10000, arena), 100000};
}

static bool same_bytes(const void *left, size_t left_size, const void *right, size_t right_size) {
    if (left == NULL || right == NULL)
        return left == right;
    return left_size == right_size && memcmp(left, right, left_size) == 0;
}

static bool same_text(const char *left, const char *right) {
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

const char *edge_value_difference(const edge_value *left, const edge_value *right) {
#define PLAIN(field)                                                                                                   \
    if (left->field != right->field)                                                                                   \
    return #field
#define OPTIONAL(field)                                                                                                \
    if (left->field.has_value != right->field.has_value)                                                               \
        return #field;                                                                                                 \
    if (left->field.has_value && left->field.value != right->field.value)                                              \
    return #field
#define SIZED(field)                                                                                                   \
    if (!same_bytes(left->field.data, left->field.size, right->field.data, right->field.size))                         \
    return #field
#define TEXT(field)                                                                                                    \
    if (!same_text(left->field, right->field))                                                                         \
    return #field
    PLAIN(id);
    PLAIN(whole);
    OPTIONAL(optionalWhole);
    PLAIN(natural);
    PLAIN(small);
    OPTIONAL(optionalSmall);
    PLAIN(smallNatural);
    PLAIN(flag);
    OPTIONAL(optionalFlag);
    PLAIN(ratio);
    OPTIONAL(optionalRatio);
    PLAIN(single);
    OPTIONAL(optionalSingle);
    SIZED(label);
    SIZED(optionalLabel);
    TEXT(code);
    TEXT(optionalCode);
    SIZED(data);
    SIZED(optionalData);
    PLAIN(moment);
    OPTIONAL(optionalMoment);
    if (memcmp(&left->token, &right->token, sizeof left->token) != 0)
        return "token";
    if (left->optionalToken.has_value != right->optionalToken.has_value)
        return "optionalToken";
    if (left->optionalToken.has_value && memcmp(&left->optionalToken.value, &right->optionalToken.value, 16) != 0) {
        return "optionalToken";
    }
    TEXT(price);
    SIZED(optionalPrice);
    TEXT(extra);
    SIZED(optionalExtra);
    return NULL;
}

static bool report(corm_error *error, corm_database *database, corm_model *model, corm_arena *arena) {
    if (error != NULL)
        fprintf(stderr, "%s: %s\n", corm_status_name(corm_error_code(error)), corm_error_message(error));
    bool good = error == NULL;
    corm_error_free(error);
    corm_model_free(model);
    corm_arena_free(arena);
    if (database != NULL)
        good = corm_database_close(database, NULL) == CORM_OK && good;
    return good;
}

bool edge_values_write(const char *path) {
    corm_database *database = NULL;
    corm_model *model = NULL;
    corm_error *error = NULL;
    corm_arena *arena = corm_arena_create();
    edge_value rows[EDGE_VALUE_COUNT];
    edge_values(rows, arena);
    bool written = corm_database_open(path, NULL, &database, &error) == CORM_OK &&
                   corm_model_create(&edge_value_def, &model, &error) == CORM_OK &&
                   corm_model_create_tables(database, CORM_MODELS(model), &error) == CORM_OK &&
                   corm_record_insert_many(database, model, rows, EDGE_VALUE_COUNT, CORM_CONFLICT_ABORT, arena, NULL,
                                           &error) == CORM_OK;
    return report(error, database, model, arena) && written;
}

static bool same_rows(const edge_value *expected, corm_records *records) {
    const edge_value *found = corm_records_data(records);
    if (corm_records_count(records) != EDGE_VALUE_COUNT) {
        fprintf(stderr, "%zu rows, expected %d\n", corm_records_count(records), EDGE_VALUE_COUNT);
        return false;
    }
    for (size_t row = 0; row < EDGE_VALUE_COUNT; row += 1) {
        size_t place = 0;
        while (place < EDGE_VALUE_COUNT && found[place].id != expected[row].id)
            place += 1;
        const char *difference = place < EDGE_VALUE_COUNT ? edge_value_difference(&expected[row], &found[place]) : "id";
        if (difference == NULL)
            continue;
        fprintf(stderr, "row %zu differs in %s\n", row, difference);
        return false;
    }
    return true;
}

bool edge_values_read(const char *path) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_database *database = NULL;
    corm_model *model = NULL;
    corm_records *records = NULL;
    corm_error *error = NULL;
    corm_arena *arena = corm_arena_create();
    edge_value rows[EDGE_VALUE_COUNT];
    edge_values(rows, arena);
    options.mode = CORM_OPEN_READ_ONLY;
    bool same = corm_database_open(path, &options, &database, &error) == CORM_OK &&
                corm_model_create(&edge_value_def, &model, &error) == CORM_OK &&
                corm_query_fetch(database, model, NULL, &records, &error) == CORM_OK && same_rows(rows, records);
    corm_records_free(records);
    return report(error, database, model, arena) && same;
}
