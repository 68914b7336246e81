/* Enough of Python's marshal format, version 2, to write the rows that blocks take and to read what they give. */
#ifndef MARSHAL_H
#define MARSHAL_H

#include <cormorant-binding.h>

typedef struct marshalled {
    unsigned char bytes[4096];
    size_t size;
} marshalled;

void put_list(marshalled *to, int32_t count);
void put_tuple(marshalled *to, int32_t count);
void put_dict(marshalled *to);
void put_dict_end(marshalled *to);
void put_none(marshalled *to);
void put_bool(marshalled *to, bool value);
void put_int(marshalled *to, int32_t value);
/* Any 64-bit integer, in digits of 15 bits. */
void put_long(marshalled *to, int64_t value);
void put_float(marshalled *to, double value);
void put_str(marshalled *to, const char *text, size_t size);
void put_bytes(marshalled *to, const void *bytes, size_t size);

/* The block as text: [(1, 'Ada', None), True]; floats with %g, bytes as b<hex>. Valid until the next call. */
const char *block_text(const corm_block *block);

#endif
