// C++20 has designated initialisers in the order of the members: a model's columns are written as in C. Compiled, never run.
#include <cormorant.h>

enum class colour : int32_t { red, green };

struct paint {
    int64_t id;
    const char *name;
    colour shade;
    corm_optional_double price;
    char code[8];
    uint8_t coats;
};

struct coat {
    paint under;
    paint *over;
    int64_t layers;
};
extern corm_model *paint_model;
extern const corm_column_def coat_columns[3];
const corm_column_def coat_columns[3] = {
    CORM_NESTED(coat, under, paint),
    CORM_NESTED(coat, over, paint),
    CORM_COLUMN(coat, layers, CORM_INT64),
};

using brush_code = char[8];
CORM_STRUCT(brush, (int64_t, id, CORM_INT64, .primary_key = true), (brush_code, code, CORM_TEXT, .unique = true));
CORM_DEFINE(brush, "Brush", brush_columns, .strict = true);

extern const corm_column_def paint_columns[5];
const corm_column_def paint_columns[5] = {
    CORM_COLUMN(paint, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(paint, name, CORM_VARCHAR, .length = 40, .not_null = true),
    CORM_COLUMN(paint, shade, CORM_INT32),
    CORM_COLUMN(paint, price, CORM_DOUBLE),
    CORM_COLUMN(paint, coats, CORM_INT32, .check_choices = true, CORM_CHOICES({"one", 1}, {"two", 2})),
};

// A table within a function has its choices as long as itself: clang warns where they are gone before.
corm_status make_within(corm_model **out_model, corm_error **error);
corm_status make_within(corm_model **out_model, corm_error **error) {
    const corm_column_def columns[] = {
        CORM_COLUMN(paint, id, CORM_INT64, .primary_key = true),
        CORM_COLUMN(paint, shade, CORM_TEXT, CORM_CHOICES({"red", 0}, {"green", 1})),
    };
    const corm_model_def definition = CORM_MODEL(paint, "Paint", columns);
    return corm_model_create(&definition, out_model, error);
}

extern const corm_model_def paint_def, paints_def;
const corm_model_def paint_def = CORM_MODEL(paint, "Paint", paint_columns);
const corm_model_def paints_def = CORM_MODEL(paint, "Paint", paint_columns, .table = "paints", .strict = true);
static_assert(CORM_FIELD_(paint, shade) == CORM_FIELD_INTEGER);
static_assert(CORM_FIELD_(paint, price) == CORM_FIELD_OPTIONAL_DOUBLE);
static_assert(CORM_FIELD_(paint, code) == CORM_FIELD_CHARACTER_ARRAY);
static_assert(CORM_FIELD_(paint, coats) == CORM_FIELD_UNSIGNED);
static_assert(CORM_NESTED_FIELD_(coat, under, paint) == CORM_FIELD_RECORD);
static_assert(CORM_NESTED_FIELD_(coat, over, paint) == CORM_FIELD_RECORD_POINTER);
static_assert(CORM_FIELD_(brush, code) == CORM_FIELD_CHARACTER_ARRAY);
