// C++20 has designated initialisers in the order of the members: a model's columns are written as in C. Compiled, never run.
// With -DWRONG=1 and so on it must not compile.
#include <cormorant.h>
#include <memory>
#include <string>
#include <vector>

#ifndef WRONG
#define WRONG 0
#endif

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

// What is copied as bytes may have a transform, whatever it is; a field that owns memory cannot.
struct point {
    int32_t x, y;
};
struct shape {
    int64_t id;
    point centre;
#if WRONG == 1
    std::string name;
#elif WRONG == 2
    std::vector<unsigned char> name;
#elif WRONG == 3
    std::unique_ptr<char[]> name;
#else
    corm_text name;
#endif
};
extern const corm_transform point_transform;
extern const corm_column_def shape_columns[3];
const corm_column_def shape_columns[3] = {
    CORM_COLUMN(shape, id, CORM_INT64),
    CORM_COLUMN(shape, centre, CORM_TEXT, .transform = &point_transform),
    CORM_COLUMN(shape, name, CORM_TEXT),
};
static_assert(CORM_FIELD_(shape, centre) == CORM_FIELD_OTHER);
