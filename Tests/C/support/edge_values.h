/* The table of Tests/Conformance/edge-values.json as a C struct: one field of every type, plain and optional. */
#ifndef EDGE_VALUES_H
#define EDGE_VALUES_H

#include <cormorant.h>

typedef struct edge_value {
    int64_t id;
    int64_t whole;
    corm_optional_int64 optionalWhole;
    uint64_t natural;
    int32_t small;
    corm_optional_int32 optionalSmall;
    uint32_t smallNatural;
    bool flag;
    corm_optional_bool optionalFlag;
    double ratio;
    corm_optional_double optionalRatio;
    float single;
    corm_optional_float optionalSingle;
    corm_text label;
    corm_text optionalLabel;
    const char *code;
    const char *optionalCode;
    corm_blob data;
    corm_blob optionalData;
    corm_datetime moment;
    corm_optional_int64 optionalMoment;
    corm_uuid token;
    corm_optional_uuid optionalToken;
    const char *price;
    corm_text optionalPrice;
    const char *extra;
    corm_text optionalExtra;
} edge_value;

#define EDGE_VALUE_COUNT 5

extern const corm_model_def edge_value_def;

/* The rows; their long texts live in the arena. */
void edge_values(edge_value rows[EDGE_VALUE_COUNT], corm_arena *arena);

/* Names the first property in which two rows differ; NULL when they are equal. */
const char *edge_value_difference(const edge_value *left, const edge_value *right);

/* Both print what went wrong and return false. */
bool edge_values_write(const char *path);
bool edge_values_read(const char *path);

#endif
