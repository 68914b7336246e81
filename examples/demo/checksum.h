/* What load.py calls checksum, for C: the definitions say where each field of a record lies, so one loop does every model. */
#ifndef DEMO_CHECKSUM_H
#define DEMO_CHECKSUM_H

#include "models.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a */
static uint64_t add_bytes(uint64_t sum, const char *bytes, size_t size) {
    for (size_t index = 0; index < size; index += 1) {
        sum = (sum ^ (unsigned char)bytes[index]) * UINT64_C(0x100000001B3);
    }
    return sum;
}

/* The text of a field: NULL is the byte 0. `buffer` takes a number's. */
static const char *field_text(const corm_column_def *column, const char *record, char *buffer, size_t *size) {
    const char *field = record + column->offset;
    const char *text = buffer;
    if (column->type == CORM_TEXT) {
        text = *(const char *const *)field;
    } else if (column->type == CORM_BOOL) {
        strcpy(buffer, *(const bool *)field ? "1" : "0");
    } else if (column->size == sizeof(int64_t)) {
        sprintf(buffer, "%" PRId64, *(const int64_t *)field);
    } else {
        const corm_optional_int64 *number = (const corm_optional_int64 *)field;
        text = number->has_value ? buffer : NULL;
        sprintf(buffer, "%" PRId64, number->value);
    }
    *size = text == NULL ? 1 : strlen(text);
    return text == NULL ? "" : text;
}

/* Adds the rows of a model, in the order of its key, and their number. */
static corm_status add_rows(corm_database *db, const corm_model *model, const corm_model_def *def, uint64_t *sum,
                            int64_t *rows, corm_error **error) {
    const char *key[2] = {NULL, NULL};
    char order[64];
    corm_query query = CORM_QUERY_INIT;
    corm_cursor *cursor;
    corm_status status;
    union {
        section section;
        maintainer maintainer;
        package package;
        dependency dependency;
    } record;

    for (size_t index = 0; index < corm_model_info_get(model)->column_count; index += 1) {
        const corm_model_column *column = corm_model_column_get(model, index);
        if (column->key_position > 0)
            key[column->key_position - 1] = column->property;
    }
    snprintf(order, sizeof order, key[1] == NULL ? "%s" : "%s, %s", key[0], key[1]);
    query.order_by = order;
    if ((status = corm_cursor_open(db, model, &query, &cursor, error)) < 0)
        return status;
    while ((status = corm_cursor_next(cursor, &record, error)) == CORM_ROW) {
        for (size_t column = 0; column < def->column_count; column += 1) {
            char buffer[24];
            size_t size;
            const char *text = field_text(&def->columns[column], (const char *)&record, buffer, &size);
            *sum = add_bytes(add_bytes(*sum, text, size), "\x1f", 1);
        }
        *sum = add_bytes(*sum, "\n", 1);
        *rows += 1;
    }
    corm_cursor_close(cursor);
    return status;
}

#endif
