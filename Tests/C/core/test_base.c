/* Versions and the names of statuses. */
#include "support.h"

#include <string.h>

static void every_status_has_its_name(void **state) {
    (void)state;
#define NAMED(status) assert_string_equal(corm_status_name(status), #status)
    NAMED(CORM_OK);
    NAMED(CORM_ROW);
    NAMED(CORM_DONE);
    NAMED(CORM_NOT_FOUND);
    NAMED(CORM_IGNORED);
    NAMED(CORM_E_MISUSE);
    NAMED(CORM_E_NO_MEMORY);
    NAMED(CORM_E_INTERNAL);
    NAMED(CORM_E_IO);
    NAMED(CORM_E_CANNOT_OPEN);
    NAMED(CORM_E_NOT_A_DATABASE);
    NAMED(CORM_E_READ_ONLY);
    NAMED(CORM_E_BUSY);
    NAMED(CORM_E_CORRUPT);
    NAMED(CORM_E_FULL);
    NAMED(CORM_E_INTERRUPTED);
    NAMED(CORM_AGAIN);
    NAMED(CORM_CHANGED);
    NAMED(CORM_E_SQL);
    NAMED(CORM_E_BINDING);
    NAMED(CORM_E_CONSTRAINT);
    NAMED(CORM_E_UNIQUE);
    NAMED(CORM_E_NOT_NULL);
    NAMED(CORM_E_FOREIGN_KEY);
    NAMED(CORM_E_CHECK);
    NAMED(CORM_E_TYPE);
    NAMED(CORM_E_RANGE);
    NAMED(CORM_E_ENCODING);
    NAMED(CORM_E_NULL_VALUE);
    NAMED(CORM_E_MODEL);
    NAMED(CORM_E_SCHEMA);
    NAMED(CORM_E_TRANSACTION);
    NAMED(CORM_E_TOO_BIG);
    NAMED(CORM_E_CALLBACK);
    NAMED(CORM_E_NO_RECORD);
    NAMED(CORM_E_SQLITE);
    NAMED(CORM_E_JSON);
    NAMED(CORM_E_WRONG_KEY);
    NAMED(CORM_E_KEY_MISSING);
    NAMED(CORM_E_NOT_ENCRYPTED);
    NAMED(CORM_E_ALTERED);
    NAMED(CORM_E_TRUNCATED);
    NAMED(CORM_E_CIPHER);
#undef NAMED
}

static void a_number_that_is_no_status_is_unknown(void **state) {
    (void)state;
    assert_string_equal(corm_status_name(7), "CORM_UNKNOWN");
    assert_string_equal(corm_status_name(-1000), "CORM_UNKNOWN");
    assert_string_equal(corm_status_name(INT32_MIN), "CORM_UNKNOWN");
    assert_string_equal(corm_status_name(INT32_MAX), "CORM_UNKNOWN");
}

static void the_library_is_of_the_headers_version(void **state) {
    (void)state;
    assert_string_equal(corm_version(), CORM_VERSION);
#if !CORM_VERSION_AT_LEAST(0, 1, 0) || CORM_VERSION_AT_LEAST(0, 1, 1) || CORM_VERSION_AT_LEAST(0, 2, 0) ||             \
    CORM_VERSION_AT_LEAST(1, 0, 0)
#error "CORM_VERSION_AT_LEAST compares wrongly"
#endif
    assert_ptr_equal(corm_version(), corm_version());
    assert_memory_equal(corm_sqlite_version(), "3.", 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_name),
        cmocka_unit_test(a_number_that_is_no_status_is_unknown),
        cmocka_unit_test(the_library_is_of_the_headers_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
