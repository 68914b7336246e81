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
#define CORM_FIELD_OFFSET_DATETIME 19
#define CORM_FIELD_OPTIONAL_OFFSET_DATETIME 20
#define CORM_FIELD_RECORD 21         /* a record, in a row of several */
#define CORM_FIELD_RECORD_POINTER 22 /* a pointer to one: NULL where the row has none */

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

/* Which of the last two; any other type does not compile. */
#if defined(__cplusplus)
#define CORM_NESTED_FIELD_(row, member, part) (corm_nested_field<decltype(row::member), part>::value)
#elif defined(__GNUC__)
#define CORM_NESTED_FIELD_(row, member, part) (__extension__ CORM_GENERIC_NESTED_(row, member, part))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CORM_NESTED_FIELD_(row, member, part) CORM_GENERIC_NESTED_(row, member, part)
#else
#define CORM_NESTED_FIELD_(row, member, part) 0
#endif

#ifndef __cplusplus
#define CORM_GENERIC_NESTED_(row, member, part)                                                                        \
    _Generic(&((row *)0)->member,                                                                                      \
        part *: CORM_FIELD_RECORD,                                                                                     \
        part * *: CORM_FIELD_RECORD_POINTER,                                                                           \
        const part **: CORM_FIELD_RECORD_POINTER)
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
        corm_offset_datetime *: CORM_FIELD_OFFSET_DATETIME,                                                            \
        corm_optional_offset_datetime *: CORM_FIELD_OPTIONAL_OFFSET_DATETIME,                                          \
        corm_value *: CORM_FIELD_VALUE,                                                                                \
        default: _Generic(((record *)0)->member, char *: CORM_FIELD_CHARACTER_ARRAY, default: CORM_FIELD_OTHER))
#endif

#ifdef __cplusplus
/* What CORM_COLUMN says of a field's type. One that owns memory has no transform either: no constructor runs for a record. */
template <typename Field, bool = __is_enum(Field)> struct corm_field_type {
    static_assert(
        __is_trivially_copyable(Field),
        "a field of a record is copied as bytes; use const char *, char[n] or corm_text for text, corm_blob for "
        "bytes, corm_optional_... for what may be NULL");
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
template <> struct corm_field_type<corm_offset_datetime> {
    static constexpr int32_t value = CORM_FIELD_OFFSET_DATETIME;
};
template <> struct corm_field_type<corm_optional_offset_datetime> {
    static constexpr int32_t value = CORM_FIELD_OPTIONAL_OFFSET_DATETIME;
};
template <> struct corm_field_type<corm_value> {
    static constexpr int32_t value = CORM_FIELD_VALUE;
};

/* What CORM_NESTED says of it. */
template <typename Field, typename Record> struct corm_nested_field;
template <typename Record> struct corm_nested_field<Record, Record> {
    static constexpr int32_t value = CORM_FIELD_RECORD;
};
template <typename Record> struct corm_nested_field<Record *, Record> {
    static constexpr int32_t value = CORM_FIELD_RECORD_POINTER;
};
template <typename Record> struct corm_nested_field<const Record *, Record> {
    static constexpr int32_t value = CORM_FIELD_RECORD_POINTER;
};
#endif

/* How CORM_STRUCT goes through its fields. */
#define CORM_MEMBER_(record, field) CORM_MEMBER_OF_ field
#define CORM_MEMBER_OF_(field_type, member, ...) field_type member;
#define CORM_MEMBER_COLUMN_(record, field) CORM_MEMBER_COLUMN_OF_(record, CORM_BARE_ field)
#define CORM_MEMBER_COLUMN_OF_(...) CORM_MEMBER_COLUMN_IN_(__VA_ARGS__)
#define CORM_MEMBER_COLUMN_IN_(record, field_type, member, ...) CORM_COLUMN(record, member, __VA_ARGS__),
#define CORM_BARE_(...) __VA_ARGS__
#define CORM_EACH_(what, record, ...)                                                                                  \
    CORM_EACH_OF_(CORM_NUMBER_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15,    \
                               14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),                                      \
                  what, record, __VA_ARGS__)
#define CORM_EACH_OF_(count, ...) CORM_EACH_IN_(count, __VA_ARGS__)
#define CORM_EACH_IN_(count, ...) CORM_EACH_##count##_(__VA_ARGS__)
#define CORM_NUMBER_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,   \
                     a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, number, ...)                               \
    number
#define CORM_EACH_1_(what, record, field) what(record, field)
#define CORM_EACH_2_(what, record, field, ...) what(record, field) CORM_EACH_1_(what, record, __VA_ARGS__)
#define CORM_EACH_3_(what, record, field, ...) what(record, field) CORM_EACH_2_(what, record, __VA_ARGS__)
#define CORM_EACH_4_(what, record, field, ...) what(record, field) CORM_EACH_3_(what, record, __VA_ARGS__)
#define CORM_EACH_5_(what, record, field, ...) what(record, field) CORM_EACH_4_(what, record, __VA_ARGS__)
#define CORM_EACH_6_(what, record, field, ...) what(record, field) CORM_EACH_5_(what, record, __VA_ARGS__)
#define CORM_EACH_7_(what, record, field, ...) what(record, field) CORM_EACH_6_(what, record, __VA_ARGS__)
#define CORM_EACH_8_(what, record, field, ...) what(record, field) CORM_EACH_7_(what, record, __VA_ARGS__)
#define CORM_EACH_9_(what, record, field, ...) what(record, field) CORM_EACH_8_(what, record, __VA_ARGS__)
#define CORM_EACH_10_(what, record, field, ...) what(record, field) CORM_EACH_9_(what, record, __VA_ARGS__)
#define CORM_EACH_11_(what, record, field, ...) what(record, field) CORM_EACH_10_(what, record, __VA_ARGS__)
#define CORM_EACH_12_(what, record, field, ...) what(record, field) CORM_EACH_11_(what, record, __VA_ARGS__)
#define CORM_EACH_13_(what, record, field, ...) what(record, field) CORM_EACH_12_(what, record, __VA_ARGS__)
#define CORM_EACH_14_(what, record, field, ...) what(record, field) CORM_EACH_13_(what, record, __VA_ARGS__)
#define CORM_EACH_15_(what, record, field, ...) what(record, field) CORM_EACH_14_(what, record, __VA_ARGS__)
#define CORM_EACH_16_(what, record, field, ...) what(record, field) CORM_EACH_15_(what, record, __VA_ARGS__)
#define CORM_EACH_17_(what, record, field, ...) what(record, field) CORM_EACH_16_(what, record, __VA_ARGS__)
#define CORM_EACH_18_(what, record, field, ...) what(record, field) CORM_EACH_17_(what, record, __VA_ARGS__)
#define CORM_EACH_19_(what, record, field, ...) what(record, field) CORM_EACH_18_(what, record, __VA_ARGS__)
#define CORM_EACH_20_(what, record, field, ...) what(record, field) CORM_EACH_19_(what, record, __VA_ARGS__)
#define CORM_EACH_21_(what, record, field, ...) what(record, field) CORM_EACH_20_(what, record, __VA_ARGS__)
#define CORM_EACH_22_(what, record, field, ...) what(record, field) CORM_EACH_21_(what, record, __VA_ARGS__)
#define CORM_EACH_23_(what, record, field, ...) what(record, field) CORM_EACH_22_(what, record, __VA_ARGS__)
#define CORM_EACH_24_(what, record, field, ...) what(record, field) CORM_EACH_23_(what, record, __VA_ARGS__)
#define CORM_EACH_25_(what, record, field, ...) what(record, field) CORM_EACH_24_(what, record, __VA_ARGS__)
#define CORM_EACH_26_(what, record, field, ...) what(record, field) CORM_EACH_25_(what, record, __VA_ARGS__)
#define CORM_EACH_27_(what, record, field, ...) what(record, field) CORM_EACH_26_(what, record, __VA_ARGS__)
#define CORM_EACH_28_(what, record, field, ...) what(record, field) CORM_EACH_27_(what, record, __VA_ARGS__)
#define CORM_EACH_29_(what, record, field, ...) what(record, field) CORM_EACH_28_(what, record, __VA_ARGS__)
#define CORM_EACH_30_(what, record, field, ...) what(record, field) CORM_EACH_29_(what, record, __VA_ARGS__)
#define CORM_EACH_31_(what, record, field, ...) what(record, field) CORM_EACH_30_(what, record, __VA_ARGS__)
#define CORM_EACH_32_(what, record, field, ...) what(record, field) CORM_EACH_31_(what, record, __VA_ARGS__)

#endif
