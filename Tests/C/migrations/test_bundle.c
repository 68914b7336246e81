/* Steps of the program's own: applied in order, taken back, and what their SQL and their functions may not do. */
#include "migrations.h"

#include <string.h>

static corm_bundle *bundle;

static int open_bundle(void **state) {
    set_up_empty(state);
    OK(corm_bundle_create(NULL, &bundle, &failure));
    return 0;
}
static int close_bundle(void **state) {
    corm_bundle_free(bundle);
    return tear_down_migrations(state);
}
#define TEST_BUNDLE(function) cmocka_unit_test_setup_teardown(function, open_bundle, close_bundle)

static corm_status add_sql(const char *id, const char *up, const char *down) {
    const corm_bundle_step step = {.struct_size = sizeof step, .id = id, .up_sql = up, .down_sql = down};
    return corm_bundle_add(bundle, &step, &failure);
}
static corm_status add_function(const char *id, corm_step_callback up, void *context) {
    const corm_bundle_step step = {.struct_size = sizeof step, .id = id, .up = up, .down = up, .context = context};
    return corm_bundle_add(bundle, &step, &failure);
}
#define APPLY(last) corm_bundle_apply(db, bundle, last, NULL, &failure)
#define REVERT(last) corm_bundle_revert(db, bundle, last, LOSSY, &failure)

static corm_status fills(corm_database *database, void *context, corm_error **error) {
    (void)error;
    *(int *)context += 1;
    return STATUS(corm_database_execute_script(database, "CREATE TABLE IF NOT EXISTS a (x); INSERT INTO a VALUES (1)",
                                               &failure) == CORM_OK);
}
static corm_status refuses(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    return STATUS(corm_database_execute_script(database, "CREATE TABLE b (x)", &failure) != CORM_OK);
}
static corm_status empties(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    return STATUS(corm_database_execute_script(database, "DROP TABLE a", &failure) == CORM_OK);
}

static void functions_are_steps_too(void **state) {
    (void)state;
    int count = 0;
    const corm_bundle_step step = {
        .struct_size = sizeof step, .id = "1", .up = fills, .down = empties, .context = &count};
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(add_function("2", refuses, NULL));
    GIVES(CORM_E_CALLBACK, APPLY(NULL));
    says("step 2");
    assert_int_equal(count, 1);
    assert_int_equal(select_int("SELECT count(*) FROM a"), 1);
    assert_false(is_there("b"));
    OK(REVERT(NULL));
    assert_false(is_there("a"));
    OK(APPLY("1"));
    assert_int_equal(count, 2);
}

static void ids_and_steps_that_cannot_be(void **state) {
    (void)state;
    int count = 0;
    OK(add_sql("1", "CREATE TABLE a (x)", NULL));
    GIVES(CORM_E_MIGRATION, add_sql("1", "CREATE TABLE b (x)", NULL));
    GIVES(CORM_E_MIGRATION, add_sql("", "CREATE TABLE b (x)", NULL));
    GIVES(CORM_E_MIGRATION, add_sql("2", "", NULL));
    GIVES(CORM_E_MIGRATION, add_sql("2", NULL, "DROP TABLE b"));
    GIVES(CORM_E_MISUSE, add_sql(NULL, "CREATE TABLE b (x)", NULL));
    GIVES(CORM_E_ENCODING, add_sql("\xff", "CREATE TABLE b (x)", NULL));
    GIVES(CORM_E_MISUSE, corm_bundle_add(bundle, NULL, &failure));
    corm_bundle_step both = {
        .struct_size = sizeof both, .id = "2", .up_sql = "SELECT 1", .up = fills, .context = &count};
    GIVES(CORM_E_MISUSE, corm_bundle_add(bundle, &both, &failure));
    both.up_sql = NULL;
    both.struct_size = 0;
    GIVES(CORM_E_MISUSE, corm_bundle_add(bundle, &both, &failure));
    both.struct_size = UINT32_MAX;
    GIVES(CORM_E_MISUSE, corm_bundle_add(bundle, &both, &failure));
    both.struct_size = offsetof(corm_bundle_step, up);
    both.up_sql = "CREATE TABLE b (x)";
    OK(corm_bundle_add(bundle, &both, &failure));
    OK(APPLY(NULL));
    assert_true(is_there("b"));
    assert_int_equal(count, 0);
}

static void handles_that_are_none(void **state) {
    (void)state;
    corm_bundle *gone;
    corm_bundle_states *states = NULL;
    corm_plan *plan = NULL;
    OK(corm_bundle_create(NULL, &gone, &failure));
    corm_bundle_free(gone);
    corm_bundle_free(gone);
    corm_bundle_free(NULL);
    corm_bundle *const bad[] = {NULL, gone, (corm_bundle *)db};
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "1", .up_sql = "SELECT 1"};
    for (size_t index = 0; index < 3; index += 1) {
        GIVES(CORM_E_MISUSE, corm_bundle_add(bad[index], &step, &failure));
        GIVES(CORM_E_MISUSE, corm_bundle_apply(db, bad[index], NULL, NULL, &failure));
        GIVES(CORM_E_MISUSE, corm_bundle_revert(db, bad[index], NULL, NULL, &failure));
        GIVES(CORM_E_MISUSE, corm_bundle_adopt(db, bad[index], NULL, &failure));
        GIVES(CORM_E_MISUSE, corm_bundle_resolve(db, bad[index], "1", true, &failure));
        GIVES(CORM_E_MISUSE, corm_bundle_status(db, bad[index], &states, &failure));
        GIVES(CORM_E_MISUSE, corm_bundle_drift(db, bad[index], &plan, &failure));
        corm_bundle_states_free((corm_bundle_states *)bad[index]);
        assert_int_equal(corm_bundle_states_count((corm_bundle_states *)bad[index]), 0);
        assert_null(corm_bundle_states_json((corm_bundle_states *)bad[index]));
    }
    GIVES(CORM_E_MISUSE, corm_bundle_create(NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_apply(NULL, bundle, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_revert((corm_database *)bundle, bundle, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_adopt(NULL, bundle, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_resolve(db, bundle, NULL, true, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_status(db, bundle, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_drift(db, bundle, NULL, &failure));
    assert_true(states == NULL && plan == NULL);
    OK(corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    OK(corm_bundle_revert(db, bundle, NULL, LOSSY, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_BUNDLE(functions_are_steps_too),
        TEST_BUNDLE(ids_and_steps_that_cannot_be),
        TEST_BUNDLE(handles_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
