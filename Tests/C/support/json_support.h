/* What the tests of JSON share: a reader of a text, and an item that has a column of each type. */
#ifndef JSON_SUPPORT_H
#define JSON_SUPPORT_H

#include "relations.h"

#include <string.h>

typedef struct item {
    int64_t id;
    corm_text title;
    double price;
    corm_optional_bool sold;
    corm_blob photo;
    corm_datetime made;
    corm_optional_uuid code;
    const char *weight;
    const char *extra;
    uint32_t stock;
    const char *secret;
} item;

extern const corm_column_def item_columns[11];
extern const corm_model_def item_def;
extern corm_model *items;

int set_up_json(void **state);
int tear_down_json(void **state);
#define JSON_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_json, tear_down_json)

/* A reader that has been fed the whole text, in chunks of `chunk` bytes. */
corm_json_reader *reader_of(const corm_model *model, const char *text, size_t size, size_t chunk,
                            const corm_json_options *options);
/* The records of a text. */
corm_status read_text(const corm_model *model, const char *text, const corm_json_options *options,
                      corm_records **records);
/* The text does not become items: this status, and this in the message. */
void refuses(corm_status status, const char *message, const char *text);
/* The records as text; freed by the next call. */
const char *written(const corm_model *model, const void *records, size_t count, const corm_json_nested *nested,
                    size_t nested_count, const corm_json_options *options);

#endif
