/* Values, and the arenas that texts live in. */
#include "support.h"

#include <math.h>
#include <string.h>

static void values_hold_what_they_are_made_of(void **state) {
    (void)state;
    static const char bytes[] = "a\0b";
    corm_value zero = {0};
    assert_int_equal(zero.type, CORM_VALUE_NULL);
    assert_int_equal(corm_value_null().type, CORM_VALUE_NULL);
    assert_int_equal(corm_value_int64(INT64_MIN).type, CORM_VALUE_INTEGER);
    assert_true(corm_value_int64(INT64_MIN).as.integer == INT64_MIN);
    assert_int_equal(corm_value_uint64(UINT64_MAX).type, CORM_VALUE_UNSIGNED);
    assert_true(corm_value_uint64(UINT64_MAX).as.unsigned_integer == UINT64_MAX);
    assert_int_equal(corm_value_double(0.5).type, CORM_VALUE_REAL);
    assert_true(corm_value_double(0.5).as.real == 0.5);

    corm_value text = corm_value_text("abc");
    assert_int_equal(text.type, CORM_VALUE_TEXT);
    assert_int_equal(text.as.bytes.size, 3);
    assert_int_equal(corm_value_text("").type, CORM_VALUE_TEXT);
    assert_int_equal(corm_value_text("").as.bytes.size, 0);
    assert_int_equal(corm_value_text(NULL).type, CORM_VALUE_NULL);

    text = corm_value_text_size(bytes, 3);
    assert_ptr_equal(text.as.bytes.data, bytes);
    assert_int_equal(text.as.bytes.size, 3);
    assert_int_equal(corm_value_text_size(NULL, 0).type, CORM_VALUE_NULL);

    corm_value blob = corm_value_blob(bytes, 3);
    assert_int_equal(blob.type, CORM_VALUE_BLOB);
    assert_ptr_equal(blob.as.bytes.data, bytes);
    assert_int_equal(corm_value_blob(bytes, 0).type, CORM_VALUE_BLOB);
    assert_int_equal(corm_value_blob(NULL, 0).type, CORM_VALUE_NULL);
}

static void a_named_value_is_the_same_value(void **state) {
    (void)state;
    static const char name[] = "age";
    corm_value value = corm_value_named(name, corm_value_int64(7));
    assert_ptr_equal(value.name, name);
    assert_true(value.as.integer == 7);
    assert_null(corm_value_named(NULL, value).name);
    assert_null(corm_value_int64(7).name);
}

static void count_values(const corm_value *values, size_t count, size_t expected, bool is_null) {
    assert_int_equal(count, expected);
    assert_int_equal(values == NULL, is_null);
}

static void macros_make_an_array_and_its_count(void **state) {
    (void)state;
    count_values(CORM_VALUES(corm_value_int64(1)), 1, false);
    count_values(CORM_VALUES(corm_value_int64(1), corm_value_text("x"), corm_value_null()), 3, false);
    count_values(CORM_NO_VALUES, 0, true);
}

static void an_arena_copies_and_forgets(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    assert_non_null(arena);
    char *copy = corm_arena_copy(arena, "a\0b", 3);
    assert_memory_equal(copy, "a\0b\0", 4);
    assert_string_equal(corm_arena_copy(arena, NULL, 0), "");
    assert_string_equal(corm_arena_copy(arena, "x", 0), "");
    char *copies[1000];
    for (int index = 0; index < 1000; index += 1) {
        copies[index] = corm_arena_copy(arena, "0123456789", (size_t)(index % 11));
        assert_int_equal((uintptr_t)copies[index] == (uintptr_t)copy, 0);
    }
    for (int index = 0; index < 1000; index += 1) {
        assert_memory_equal(copies[index], "0123456789", (size_t)(index % 11));
        assert_int_equal(copies[index][index % 11], 0);
    }
    char *large = corm_arena_copy(arena, copies[10], 10);
    assert_memory_equal(large, "0123456789", 11);
    corm_arena_clear(arena);
    static char many[3000000];
    memset(many, 'x', sizeof many);
    large = corm_arena_copy(arena, many, sizeof many);
    assert_memory_equal(large, many, sizeof many);
    assert_int_equal(large[sizeof many], 0);
    corm_arena_clear(arena);
    assert_string_equal(corm_arena_copy(arena, "again", 5), "again");
    corm_arena_free(arena);
}

static void no_arena_is_no_crash(void **state) {
    (void)state;
    corm_arena_clear(NULL);
    corm_arena_free(NULL);
    assert_null(corm_arena_copy(NULL, "x", 1));
    corm_arena *arena = corm_arena_create();
    assert_null(corm_arena_copy(arena, NULL, 5));
    assert_null(corm_arena_copy(arena, "x", SIZE_MAX));
    assert_null(corm_arena_copy(arena, "x", SIZE_MAX - 64));
    corm_arena_free(arena);
}

static void values_go_in_and_come_out(void **state) {
    (void)state;
    static const char bytes[] = "a\0b";
    corm_result *result;
    corm_value value;
    OK(corm_result_open(db, "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?",
                        CORM_VALUES(corm_value_null(), corm_value_int64(INT64_MIN), corm_value_uint64(INT64_MAX),
                                    corm_value_double(INFINITY), corm_value_text(""), corm_value_text(NULL),
                                    corm_value_text_size(bytes, 3), corm_value_blob(bytes, 0),
                                    corm_value_blob(bytes, 3)),
                        &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    static const int32_t types[] = {CORM_VALUE_NULL, CORM_VALUE_INTEGER, CORM_VALUE_INTEGER,
                                    CORM_VALUE_REAL, CORM_VALUE_TEXT,    CORM_VALUE_NULL,
                                    CORM_VALUE_TEXT, CORM_VALUE_BLOB,    CORM_VALUE_BLOB};
    for (int32_t column = 0; column < 9; column += 1) {
        OK(corm_result_get(result, column, &value, &failure));
        assert_int_equal(value.type, types[column]);
        assert_null(value.name);
        if (column == 1)
            assert_true(value.as.integer == INT64_MIN);
        if (column == 2)
            assert_true(value.as.integer == INT64_MAX);
        if (column == 3)
            assert_true(isinf(value.as.real));
        if (column == 4 || column == 7) {
            assert_int_equal(value.as.bytes.size, 0);
            assert_non_null(value.as.bytes.data);
        }
        if (column == 6 || column == 8)
            assert_memory_equal(value.as.bytes.data, bytes, 3);
    }
    corm_result_close(result);
}

static void values_that_cannot_go_in_are_refused(void **state) {
    (void)state;
    const char *sql = "SELECT ?";
    corm_value unknown = {.type = 99};
    corm_value negative = {.type = -1};
    GIVES(CORM_E_RANGE, corm_database_execute(db, sql, CORM_VALUES(corm_value_double(NAN)), NULL, &failure));
    assert_non_null(corm_error_hint(failure));
    GIVES(CORM_E_RANGE, corm_database_execute(db, sql, CORM_VALUES(corm_value_uint64(1ULL << 63)), NULL, &failure));
    GIVES(CORM_E_ENCODING, corm_database_execute(db, sql, CORM_VALUES(corm_value_text("\xff")), NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_execute(db, sql, &unknown, 1, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_execute(db, sql, &negative, 1, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_execute(db, sql, NULL, 1, NULL, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_hold_what_they_are_made_of),
        cmocka_unit_test(a_named_value_is_the_same_value),
        cmocka_unit_test(macros_make_an_array_and_its_count),
        cmocka_unit_test(an_arena_copies_and_forgets),
        cmocka_unit_test(no_arena_is_no_crash),
        TEST(values_go_in_and_come_out),
        TEST(values_that_cannot_go_in_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
