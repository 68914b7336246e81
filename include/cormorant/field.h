/* Fields of records: which types of C they may have, and how a model is told. */
#ifndef CORMORANT_FIELD_H
#define CORMORANT_FIELD_H

#include "value.h"

/* corm_column_def.field: what the field is in C. */
typedef int32_t corm_field;
#define CORM_FIELD_INTEGER 1 /* signed, of 1, 2, 4 or 8 bytes, or an enum of such a type; no char */
#define CORM_FIELD_BOOL 2
#define CORM_FIELD_DOUBLE 3
#define CORM_FIELD_FLOAT 4
#define CORM_FIELD_CHARACTERS 5 /* const char * */
#define CORM_FIELD_TEXT 6       /* corm_text */
#define CORM_FIELD_BLOB 7
#define CORM_FIELD_UUID 8
#define CORM_FIELD_OPTIONAL_INT64 9
#define CORM_FIELD_OPTIONAL_INT32 10
#define CORM_FIELD_OPTIONAL_BOOL 11
#define CORM_FIELD_OPTIONAL_DOUBLE 12
#define CORM_FIELD_OPTIONAL_FLOAT 13
#define CORM_FIELD_OPTIONAL_UUID 14
#define CORM_FIELD_VALUE 15
#define CORM_FIELD_OTHER 16    /* a type that carries no column but by a transform */
#define CORM_FIELD_UNSIGNED 17 /* as CORM_FIELD_INTEGER, unsigned */
/* char[n]: the text is in the record, with a NUL behind it and, when it was read, in all that is left. It needs no arena. */
#define CORM_FIELD_CHARACTER_ARRAY 18

/* CORM_FIELD_...: of a pointer to the field, because an array of char would pass for a pointer itself, which tells it then. */
#if defined(__cplusplus)
#define CORM_FIELD_(record, member) (corm_field_type<decltype(record::member)>::value)
#elif defined(__GNUC__)
/* _Generic is C11's; gcc and clang have it in C99, where they would only warn of it. */
#define CORM_FIELD_(record, member) (__extension__ CORM_GENERIC_FIELD_(record, member))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CORM_FIELD_(record, member) CORM_GENERIC_FIELD_(record, member)
#else
#define CORM_FIELD_(record, member) 0
#endif

#ifndef __cplusplus
#define CORM_GENERIC_FIELD_(record, member)                                                                            \
    _Generic(&((record *)0)->member,                                                                                   \
        signed char *: CORM_FIELD_INTEGER,                                                                             \
        unsigned char *: CORM_FIELD_UNSIGNED,                                                                          \
        short *: CORM_FIELD_INTEGER,                                                                                   \
        unsigned short *: CORM_FIELD_UNSIGNED,                                                                         \
        int *: CORM_FIELD_INTEGER,                                                                                     \
        unsigned *: CORM_FIELD_UNSIGNED,                                                                               \
        long *: CORM_FIELD_INTEGER,                                                                                    \
        unsigned long *: CORM_FIELD_UNSIGNED,                                                                          \
        long long *: CORM_FIELD_INTEGER,                                                                               \
        unsigned long long *: CORM_FIELD_UNSIGNED,                                                                     \
        bool *: CORM_FIELD_BOOL,                                                                                       \
        double *: CORM_FIELD_DOUBLE,                                                                                   \
        float *: CORM_FIELD_FLOAT,                                                                                     \
        char **: CORM_FIELD_CHARACTERS,                                                                                \
        const char **: CORM_FIELD_CHARACTERS,                                                                          \
        corm_text *: CORM_FIELD_TEXT,                                                                                  \
        corm_blob *: CORM_FIELD_BLOB,                                                                                  \
        corm_uuid *: CORM_FIELD_UUID,                                                                                  \
        corm_optional_int64 *: CORM_FIELD_OPTIONAL_INT64,                                                              \
        corm_optional_int32 *: CORM_FIELD_OPTIONAL_INT32,                                                              \
        corm_optional_bool *: CORM_FIELD_OPTIONAL_BOOL,                                                                \
        corm_optional_double *: CORM_FIELD_OPTIONAL_DOUBLE,                                                            \
        corm_optional_float *: CORM_FIELD_OPTIONAL_FLOAT,                                                              \
        corm_optional_uuid *: CORM_FIELD_OPTIONAL_UUID,                                                                \
        corm_value *: CORM_FIELD_VALUE,                                                                                \
        default: _Generic(((record *)0)->member, char *: CORM_FIELD_CHARACTER_ARRAY, default: CORM_FIELD_OTHER))
#endif

#ifdef __cplusplus
/* What CORM_COLUMN says of a field's type. */
template <typename Field, bool = __is_enum(Field)> struct corm_field_type {
    static constexpr int32_t value = CORM_FIELD_OTHER;
};
template <typename Field> struct corm_field_type<Field, true> : corm_field_type<__underlying_type(Field)> {};
template <> struct corm_field_type<signed char> {
    static constexpr int32_t value = CORM_FIELD_INTEGER;
};
template <> struct corm_field_type<unsigned char> {
    static constexpr int32_t value = CORM_FIELD_UNSIGNED;
};
template <> struct corm_field_type<short> {
    static constexpr int32_t value = CORM_FIELD_INTEGER;
};
template <> struct corm_field_type<unsigned short> {
    static constexpr int32_t value = CORM_FIELD_UNSIGNED;
};
template <size_t size> struct corm_field_type<char[size]> {
    static constexpr int32_t value = CORM_FIELD_CHARACTER_ARRAY;
};
template <> struct corm_field_type<int> {
    static constexpr int32_t value = CORM_FIELD_INTEGER;
};
template <> struct corm_field_type<unsigned> {
    static constexpr int32_t value = CORM_FIELD_UNSIGNED;
};
template <> struct corm_field_type<long> {
    static constexpr int32_t value = CORM_FIELD_INTEGER;
};
template <> struct corm_field_type<unsigned long> {
    static constexpr int32_t value = CORM_FIELD_UNSIGNED;
};
template <> struct corm_field_type<long long> {
    static constexpr int32_t value = CORM_FIELD_INTEGER;
};
template <> struct corm_field_type<unsigned long long> {
    static constexpr int32_t value = CORM_FIELD_UNSIGNED;
};
template <> struct corm_field_type<bool> {
    static constexpr int32_t value = CORM_FIELD_BOOL;
};
template <> struct corm_field_type<double> {
    static constexpr int32_t value = CORM_FIELD_DOUBLE;
};
template <> struct corm_field_type<float> {
    static constexpr int32_t value = CORM_FIELD_FLOAT;
};
template <> struct corm_field_type<char *> {
    static constexpr int32_t value = CORM_FIELD_CHARACTERS;
};
template <> struct corm_field_type<const char *> {
    static constexpr int32_t value = CORM_FIELD_CHARACTERS;
};
template <> struct corm_field_type<corm_text> {
    static constexpr int32_t value = CORM_FIELD_TEXT;
};
template <> struct corm_field_type<corm_blob> {
    static constexpr int32_t value = CORM_FIELD_BLOB;
};
template <> struct corm_field_type<corm_uuid> {
    static constexpr int32_t value = CORM_FIELD_UUID;
};
template <> struct corm_field_type<corm_optional_int64> {
    static constexpr int32_t value = CORM_FIELD_OPTIONAL_INT64;
};
template <> struct corm_field_type<corm_optional_int32> {
    static constexpr int32_t value = CORM_FIELD_OPTIONAL_INT32;
};
template <> struct corm_field_type<corm_optional_bool> {
    static constexpr int32_t value = CORM_FIELD_OPTIONAL_BOOL;
};
template <> struct corm_field_type<corm_optional_double> {
    static constexpr int32_t value = CORM_FIELD_OPTIONAL_DOUBLE;
};
template <> struct corm_field_type<corm_optional_float> {
    static constexpr int32_t value = CORM_FIELD_OPTIONAL_FLOAT;
};
template <> struct corm_field_type<corm_optional_uuid> {
    static constexpr int32_t value = CORM_FIELD_OPTIONAL_UUID;
};
template <> struct corm_field_type<corm_value> {
    static constexpr int32_t value = CORM_FIELD_VALUE;
};
#endif

#endif
