/* Metadata: memory and handles; what is told of files and schemas is in the scenarios. */
#include "migrations.h"

#include <string.h>

static corm_metadata *metadata;

static int free_metadata(void **state) {
    corm_metadata_free(metadata);
    metadata = NULL;
    return tear_down_migrations(state);
}

#define TEST_METADATA(function) cmocka_unit_test_setup_teardown(function, set_up_empty, free_metadata)

static const corm_table_metadata *table(const char *name) {
    for (size_t index = 0; index < corm_metadata_info_get(metadata)->table_count; index += 1) {
        const corm_table_metadata *found = corm_metadata_table_get(metadata, index);
        if (strcmp(found->name, name) == 0)
            return found;
    }
    fail_msg("there is no table %s", name);
    return NULL;
}

static void lists_are_never_null(void **state) {
    (void)state;
    run_script("CREATE TABLE t (a)");
    OK(corm_metadata_read(db, &metadata, &failure));
    const corm_table_metadata *t = table("t");
    assert_true(t->module_arguments && t->primary_key && t->foreign_keys && t->indexes && t->checks && t->triggers &&
                t->relations);
    assert_int_equal(t->columns[0]->type, 0);
    assert_string_equal(t->columns[0]->c_type, "corm_value");
}

static void handles_that_are_none(void **state) {
    (void)state;
    OK(corm_metadata_read(db, &metadata, &failure));
    assert_null(corm_metadata_table_get(metadata, 0));
    corm_metadata *gone = metadata;
    metadata = NULL;
    corm_metadata_free(gone);
    corm_metadata *const none[] = {NULL, gone, (corm_metadata *)db, (corm_metadata *)(uintptr_t)12345};
    for (size_t index = 0; index < sizeof none / sizeof none[0]; index += 1) {
        assert_int_equal(corm_metadata_info_get(none[index])->table_count, 0);
        assert_int_equal(corm_metadata_info_get(none[index])->problem_count, 0);
        assert_null(corm_metadata_table_get(none[index], 0));
        assert_null(corm_metadata_problem_get(none[index], SIZE_MAX));
        assert_null(corm_metadata_info_get(none[index])->json);
        corm_metadata_free(none[index]);
    }
    GIVES(CORM_E_MISUSE, corm_metadata_read(NULL, &gone, &failure));
    GIVES(CORM_E_MISUSE, corm_metadata_read(db, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_metadata_create(NULL, &gone, &failure));
    GIVES(CORM_E_MISUSE, corm_metadata_create((const corm_schema *)db, &gone, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_METADATA(lists_are_never_null),
        TEST_METADATA(handles_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
