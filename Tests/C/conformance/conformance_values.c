/* Values of scenario files: from JSON to corm_value, and compared. */
#include "conformance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static corm_value repeated(scenario *run, int32_t type, const void *bytes, size_t size, size_t times) {
    char *data = allocate(run, size * times);
    for (size_t index = 0; index < times; index += 1)
        memcpy(data + index * size, bytes, size);
    return type == CORM_VALUE_BLOB ? corm_value_blob(data, size * times) : corm_value_text_size(data, size * times);
}

static int digit(char character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

static bool parse_hex(scenario *run, int32_t type, json_t *json, size_t times, corm_value *out_value) {
    const char *hex = json_string_value(json);
    size_t length = json_string_length(json);
    if (hex == NULL || length % 2 != 0)
        return fail(run, "hexadecimal digits come in pairs");
    unsigned char *bytes = allocate(run, length / 2);
    for (size_t index = 0; index < length / 2; index += 1) {
        int high = digit(hex[2 * index]);
        int low = digit(hex[2 * index + 1]);
        if (high < 0 || low < 0)
            return fail(run, "\"%s\" is not hexadecimal", hex);
        bytes[index] = (unsigned char)(high * 16 + low);
    }
    *out_value = repeated(run, type, bytes, length / 2, times);
    return true;
}

static bool parse_form(scenario *run, json_t *json, int64_t index, corm_value *out_value) {
    const char *form = json_object_iter_key(json_object_iter(json));
    json_t *times = json_object_get(json, "times");
    size_t count = times == NULL ? 1 : (size_t)json_integer_value(times);
    json_t *content;
    if (form == NULL)
        return fail(run, "an empty object is no value");
    if ((content = json_object_get(json, "unsigned")) != NULL) {
        *out_value = corm_value_uint64(strtoull(json_string_value(content), NULL, 10));
    } else if ((content = json_object_get(json, "real")) != NULL) {
        *out_value = corm_value_double(strtod(json_string_value(content), NULL));
    } else if ((content = json_object_get(json, "blob")) != NULL) {
        return parse_hex(run, CORM_VALUE_BLOB, content, count, out_value);
    } else if ((content = json_object_get(json, "textHex")) != NULL) {
        return parse_hex(run, CORM_VALUE_TEXT, content, count, out_value);
    } else if ((content = json_object_get(json, "repeat")) != NULL) {
        *out_value = repeated(run, CORM_VALUE_TEXT, json_string_value(content), json_string_length(content), count);
    } else if ((content = json_object_get(json, "index")) != NULL) {
        *out_value = corm_value_int64(index + json_integer_value(content));
    } else if ((content = json_object_get(json, "indexText")) != NULL) {
        char *text = allocate(run, json_string_length(content) + 20);
        sprintf(text, "%s%" PRId64, json_string_value(content), index);
        *out_value = corm_value_text(text);
    } else {
        return fail(run, "\"%s\" is no form of a value", form);
    }
    return true;
}

bool parse_value(scenario *run, json_t *json, int64_t index, corm_value *out_value) {
    switch (json_typeof(json)) {
    case JSON_NULL:
        *out_value = corm_value_null();
        return true;
    case JSON_TRUE:
        *out_value = corm_value_int64(1);
        return true;
    case JSON_FALSE:
        *out_value = corm_value_int64(0);
        return true;
    case JSON_INTEGER:
        *out_value = corm_value_int64(json_integer_value(json));
        return true;
    case JSON_STRING:
        *out_value = corm_value_text_size(json_string_value(json), json_string_length(json));
        return true;
    case JSON_OBJECT:
        return parse_form(run, json, index, out_value);
    default:
        return fail(run, "lists and numbers with a fraction are no values");
    }
}

bool parse_values(scenario *run, json_t *json, const corm_value **out_values, size_t *out_count) {
    size_t count = json_is_array(json) ? json_array_size(json) : json_object_size(json);
    corm_value *values = allocate(run, count * sizeof *values);
    size_t index = 0;
    const char *key;
    json_t *item;
    *out_values = count == 0 ? NULL : values;
    *out_count = count;
    if (json_is_array(json)) {
        json_array_foreach(json, index, item) {
            if (!parse_value(run, item, 0, &values[index]))
                return false;
        }
        return true;
    }
    json_object_foreach(json, key, item) {
        const corm_value *listed;
        size_t listed_count;
        if (!json_is_array(item)) {
            if (!parse_value(run, item, 0, &values[index]))
                return false;
        } else if (parse_values(run, item, &listed, &listed_count)) {
            values[index] = corm_value_list(listed, listed_count);
        } else {
            return false;
        }
        values[index] = corm_value_named(key, values[index]);
        index += 1;
    }
    return true;
}

bool parse_value_list(scenario *run, json_t *json, const corm_value **out_values, size_t *out_count) {
    if (!json_is_object(json))
        return parse_values(run, json, out_values, out_count);
    size_t count = (size_t)json_integer_value(json_object_get(json, "count"));
    corm_value *values = allocate(run, count * sizeof *values);
    for (size_t index = 0; index < count; index += 1) {
        if (!parse_value(run, json_object_get(json, "value"), (int64_t)index, &values[index]))
            return false;
    }
    *out_values = values;
    *out_count = count;
    return check_members(run, json, "values", " count value ");
}

bool parse_text(scenario *run, json_t *json, const char **out_text) {
    corm_value value;
    *out_text = NULL;
    if (json == NULL)
        return true;
    if (!parse_value(run, json, 0, &value))
        return false;
    if (value.type != CORM_VALUE_TEXT)
        return fail(run, "a text is wanted");
    *out_text = value.as.bytes.data;
    return true;
}

bool parse_names(scenario *run, json_t *json, const char *const **out_names, size_t *out_count) {
    const char **names = allocate(run, json_array_size(json) * sizeof *names);
    size_t index;
    json_t *item;
    json_array_foreach(json, index, item) {
        if (!parse_text(run, item, &names[index]))
            return false;
    }
    *out_names = json_array_size(json) == 0 ? NULL : names;
    *out_count = json_array_size(json);
    return true;
}

bool parse_list(scenario *run, json_t *json, const char **out_list) {
    const char *const *names;
    size_t count;
    size_t size = 1;
    if (!parse_names(run, json, &names, &count))
        return false;
    for (size_t index = 0; index < count; index += 1)
        size += 2 * strlen(names[index]) + 4;
    char *list = allocate(run, size), *end = list;
    for (size_t index = 0; index < count; index += 1) {
        if (index > 0)
            *end++ = ',';
        *end++ = '"';
        for (const char *next = names[index]; *next != '\0'; next += 1) {
            *end++ = *next;
            if (*next == '"')
                *end++ = '"';
        }
        *end++ = '"';
    }
    *end = '\0';
    *out_list = count == 0 ? NULL : list;
    return true;
}

bool parse_properties(scenario *run, json_t *json, const char **out_list) {
    if (!parse_list(run, json, out_list))
        return false;
    if (json_is_array(json) && *out_list == NULL)
        *out_list = "";
    return true;
}

static void describe(const corm_value *value, char *text, size_t size) {
    int shown = value->as.bytes.size > 60 ? 60 : (int)value->as.bytes.size;
    switch (value->type) {
    case CORM_VALUE_NULL:
        snprintf(text, size, "NULL");
        break;
    case CORM_VALUE_INTEGER:
        snprintf(text, size, "%" PRId64, value->as.integer);
        break;
    case CORM_VALUE_REAL:
        snprintf(text, size, "real %.17g", value->as.real);
        break;
    case CORM_VALUE_TEXT:
        snprintf(text, size, "text of %zu bytes '%.*s'", value->as.bytes.size, shown,
                 (const char *)value->as.bytes.data);
        break;
    default:
        snprintf(text, size, "blob of %zu bytes", value->as.bytes.size);
        break;
    }
}

bool same_value(const corm_value *left, const corm_value *right) {
    if (left->type != right->type)
        return false;
    switch (left->type) {
    case CORM_VALUE_NULL:
        return true;
    case CORM_VALUE_INTEGER:
        return left->as.integer == right->as.integer;
    case CORM_VALUE_REAL:
        return left->as.real == right->as.real;
    default:
        return left->as.bytes.size == right->as.bytes.size && left->as.bytes.data != NULL &&
               right->as.bytes.data != NULL &&
               memcmp(left->as.bytes.data, right->as.bytes.data, left->as.bytes.size) == 0;
    }
}

/* Whether a value is a datetime of the last minute. */
static bool is_now(const corm_value *found) {
    return found->type == CORM_VALUE_INTEGER && llabs(found->as.integer / 1000000 - (int64_t)time(NULL)) < 60;
}

bool check_value(scenario *run, const char *what, json_t *expected, const corm_value *found) {
    corm_value wanted;
    if (json_is_true(json_object_get(expected, "now")))
        return is_now(found) || fail(run, "%s: expected the time, found another value", what);
    if (!parse_value(run, expected, 0, &wanted))
        return false;
    if (same_value(&wanted, found))
        return true;
    char wanted_text[160];
    char found_text[160];
    describe(&wanted, wanted_text, sizeof wanted_text);
    describe(found, found_text, sizeof found_text);
    return fail(run, "%s: expected %s, found %s", what, wanted_text, found_text);
}
