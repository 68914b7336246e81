/* https://github.com/python/cpython/blob/3.11/Python/marshal.c */
#include "marshal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put(marshalled *to, char type, const void *bytes, size_t size) {
    to->bytes[to->size++] = (unsigned char)type;
    if (size > 0)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

void put_list(marshalled *to, int32_t count) { put(to, '[', &count, 4); }
void put_tuple(marshalled *to, int32_t count) { put(to, '(', &count, 4); }
void put_dict(marshalled *to) { put(to, '{', NULL, 0); }
void put_dict_end(marshalled *to) { put(to, '0', NULL, 0); }
void put_none(marshalled *to) { put(to, 'N', NULL, 0); }
void put_bool(marshalled *to, bool value) { put(to, value ? 'T' : 'F', NULL, 0); }
void put_int(marshalled *to, int32_t value) { put(to, 'i', &value, 4); }
void put_float(marshalled *to, double value) { put(to, 'g', &value, 8); }

void put_long(marshalled *to, int64_t value) {
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    uint16_t digits[5];
    int32_t count = 0;
    for (; rest > 0; rest >>= 15)
        digits[count++] = (uint16_t)(rest & 0x7fff);
    int32_t signed_count = value < 0 ? -count : count;
    put(to, 'l', &signed_count, 4);
    memcpy(to->bytes + to->size, digits, (size_t)count * 2);
    to->size += (size_t)count * 2;
}

static void put_sized(marshalled *to, char type, const void *bytes, size_t size) {
    int32_t length = (int32_t)size;
    put(to, type, &length, 4);
    if (size > 0)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

void put_str(marshalled *to, const char *text, size_t size) { put_sized(to, 'u', text, size); }
void put_bytes(marshalled *to, const void *bytes, size_t size) { put_sized(to, 's', bytes, size); }

typedef struct reader {
    const unsigned char *at;
    const unsigned char *end;
    char text[8192];
    size_t length;
} reader;

static void say(reader *from, const char *format, int64_t integer) {
    from->length += (size_t)snprintf(from->text + from->length, sizeof from->text - from->length, format, integer);
}

static int32_t take_int(reader *from) {
    int32_t value;
    memcpy(&value, from->at, 4);
    from->at += 4;
    return value;
}

static int64_t take_long(reader *from) {
    int32_t signed_count = take_int(from);
    int32_t count = signed_count < 0 ? -signed_count : signed_count;
    uint64_t value = 0;
    for (int32_t index = 0; index < count; index += 1, from->at += 2) {
        value |= (uint64_t)(from->at[0] | from->at[1] << 8) << (15 * index);
    }
    return (int64_t)(signed_count < 0 ? 0 - value : value);
}

static void take(reader *from) {
    char type = from->at < from->end ? (char)*from->at++ : '?';
    int64_t integer;
    double real;
    int32_t count;
    switch (type) {
    case 'N':
        say(from, "None", 0);
        break;
    case 'T':
        say(from, "True", 0);
        break;
    case 'F':
        say(from, "False", 0);
        break;
    case 'i':
        say(from, "%" PRId64, take_int(from));
        break;
    case 'I':
        memcpy(&integer, from->at, 8);
        from->at += 8;
        say(from, "%" PRId64, integer);
        break;
    case 'l':
        say(from, "%" PRId64, take_long(from));
        break;
    case 'g':
        memcpy(&real, from->at, 8);
        from->at += 8;
        from->length += (size_t)snprintf(from->text + from->length, sizeof from->text - from->length, "%g", real);
        break;
    case 'u':
    case 'a': /* a text in ASCII */
    case 'z': /* a short one */
        count = type == 'z' ? *from->at++ : take_int(from);
        from->length +=
            (size_t)snprintf(from->text + from->length, sizeof from->text - from->length, "'%.*s'", count, from->at);
        from->at += count;
        break;
    case 's':
        say(from, "b", 0);
        for (count = take_int(from); count > 0; count -= 1)
            say(from, "%02" PRIx64, *from->at++);
        break;
    case '(':
    case ')':
    case '[':
        say(from, type == '[' ? "[" : "(", 0);
        count = type == ')' ? *from->at++ : take_int(from);
        for (int32_t index = 0; index < count && from->at < from->end; index += 1) {
            if (index > 0)
                say(from, ", ", 0);
            take(from);
        }
        say(from, type == '[' ? "]" : ")", 0);
        break;
    default:
        say(from, "<type %" PRId64 ">", type);
        from->at = from->end;
        break;
    }
}

const char *block_text(const corm_block *block) {
    static reader from;
    from = (reader){.at = block->data, .end = (const unsigned char *)block->data + block->size};
    take(&from);
    if (from.at != from.end)
        say(&from, " and more", 0);
    return from.text;
}
