/* Functions as steps that end their transaction, leave things open or pull the database away: the step fails, nothing else. */
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

/* The step fails, and the handle is as good as before: no transaction, foreign keys on, the next step runs. */
static void fails_with(corm_status expected, corm_step_callback callback, void *context) {
    const corm_bundle_step bad = {.struct_size = sizeof bad, .id = "1", .up = callback, .context = context};
    corm_bundle *good;
    const corm_bundle_step next = {.struct_size = sizeof next, .id = "2", .up_sql = "CREATE TABLE after (x)"};
    OK(corm_bundle_add(bundle, &bad, &failure));
    GIVES(expected, corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    says("step 1");
    assert_int_equal(corm_transaction_depth(db), 0);
    assert_int_equal(select_int("PRAGMA foreign_keys"), 1);
    assert_false(is_there("made"));
    corm_bundle_states *states;
    OK(corm_bundle_status(db, bundle, &states, &failure));
    assert_int_equal(corm_bundle_states_get(states, 0)->state, CORM_STEP_PENDING);
    corm_bundle_states_free(states);
    OK(corm_bundle_create(NULL, &good, &failure));
    OK(corm_bundle_add(good, &next, &failure));
    OK(corm_bundle_apply(db, good, NULL, NULL, &failure));
    corm_bundle_free(good);
    assert_true(is_there("after"));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_transaction_rollback(db, &failure));
}

static corm_status make(corm_database *database) {
    return corm_database_execute_script(database, "CREATE TABLE made (x)", NULL);
}

static corm_status swallows(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    make(database);
    corm_database_execute_script(database, "CREATE TABLE once (x UNIQUE); INSERT INTO once VALUES (1)", NULL);
    corm_database_execute_script(database, "INSERT OR ROLLBACK INTO once VALUES (1)", NULL);
    corm_database_execute_script(database, "CREATE TABLE made (x)", NULL);
    return CORM_OK;
}
static void a_rollback_by_a_constraint_is_noticed(void **state) {
    (void)state;
    fails_with(CORM_E_MIGRATION, swallows, NULL);
    assert_false(is_there("once"));
}

static corm_status commits(corm_database *database, void *context, corm_error **error) {
    (void)error;
    make(database);
    *(corm_status *)context = corm_transaction_commit(database, NULL);
    return CORM_OK;
}
static corm_status rolls_back(corm_database *database, void *context, corm_error **error) {
    (void)error;
    make(database);
    *(corm_status *)context = corm_transaction_rollback(database, NULL);
    return CORM_OK;
}
static void its_own_transaction_cannot_be_ended(void **state) {
    (void)state;
    corm_status status = CORM_OK;
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "1", .up = commits, .context = &status};
    OK(corm_bundle_add(bundle, &step, &failure));
    corm_status applied = corm_bundle_apply(db, bundle, NULL, NULL, &failure);
    forget_failure();
    assert_true(status < 0);
    assert_int_equal(is_there("made"), applied == CORM_OK);
    assert_int_equal(corm_transaction_depth(db), 0);
    corm_bundle_free(bundle);
    OK(corm_bundle_create(NULL, &bundle, &failure));
    run_script("DROP TABLE IF EXISTS made; DROP TABLE IF EXISTS corm_migrations");
    const corm_bundle_step other = {.struct_size = sizeof other, .id = "1", .up = rolls_back, .context = &status};
    OK(corm_bundle_add(bundle, &other, &failure));
    applied = corm_bundle_apply(db, bundle, NULL, NULL, &failure);
    forget_failure();
    assert_true(status < 0);
    assert_int_equal(is_there("made"), applied == CORM_OK);
    assert_int_equal(corm_transaction_depth(db), 0);
    assert_int_equal(select_int("PRAGMA foreign_keys"), 1);
}

static corm_status nests(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    corm_transaction_begin(database, CORM_TRANSACTION_IMMEDIATE, NULL);
    make(database);
    corm_transaction_rollback(database, NULL);
    corm_transaction_begin(database, CORM_TRANSACTION_IMMEDIATE, NULL);
    corm_database_execute_script(database, "CREATE TABLE kept (x)", NULL);
    return STATUS(corm_transaction_commit(database, NULL) == CORM_OK);
}
static void savepoints_are_its_own_business(void **state) {
    (void)state;
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "1", .up = nests};
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    assert_true(is_there("kept") && !is_there("made"));
}

static corm_status leaves_open(corm_database *database, void *result, corm_error **error) {
    (void)error;
    make(database);
    corm_transaction_begin(database, CORM_TRANSACTION_IMMEDIATE, NULL);
    corm_transaction_begin(database, CORM_TRANSACTION_IMMEDIATE, NULL);
    return STATUS(*(bool *)result);
}
static void savepoints_left_open_go_with_the_step(void **state) {
    (void)state;
    bool result = true;
    fails_with(CORM_E_MIGRATION, leaves_open, &result);
    run_script("DROP TABLE after; DROP TABLE corm_migrations");
    corm_bundle_free(bundle);
    OK(corm_bundle_create(NULL, &bundle, &failure));
    result = false;
    fails_with(CORM_E_CALLBACK, leaves_open, &result);
}

static corm_status closes(corm_database *database, void *context, corm_error **error) {
    (void)error;
    make(database);
    *(corm_status *)context = corm_database_close(database, NULL);
    return CORM_E_CALLBACK;
}
static void the_database_cannot_be_closed_in_a_step(void **state) {
    (void)state;
    corm_status status = CORM_OK;
    fails_with(CORM_E_CALLBACK, closes, &status);
    assert_int_equal(status, CORM_E_MISUSE);
}

static corm_status migrates(corm_database *database, void *context, corm_error **error) {
    (void)error;
    corm_status *statuses = context;
    corm_schema *schema;
    make(database);
    statuses[0] = corm_bundle_apply(database, bundle, NULL, NULL, NULL);
    statuses[1] = corm_migration_sync(database, MODELS(people), NULL, NULL, NULL);
    statuses[2] = corm_migration_restore(database, "x", NULL, NULL);
    statuses[3] = corm_migration_set_version(database, NULL, 0, 0, NULL, NULL);
    statuses[4] = corm_schema_read(database, &schema, NULL);
    if (statuses[4] == CORM_OK)
        corm_schema_free(schema);
    return CORM_E_CALLBACK;
}
static void migrations_within_a_step_are_refused(void **state) {
    (void)state;
    corm_status statuses[5];
    fails_with(CORM_E_CALLBACK, migrates, statuses);
    assert_int_equal(statuses[0], CORM_E_TRANSACTION);
    assert_int_equal(statuses[1], CORM_E_TRANSACTION);
    assert_int_equal(statuses[2], CORM_E_TRANSACTION);
    assert_int_equal(statuses[4], CORM_OK);
}

static corm_status frees(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)database;
    corm_bundle_free(*(corm_bundle **)context);
    return CORM_OK;
}
static void the_bundle_may_go_while_it_is_applied(void **state) {
    (void)state;
    corm_bundle *short_lived;
    OK(corm_bundle_create(NULL, &short_lived, &failure));
    const corm_bundle_step steps[] = {
        {.struct_size = sizeof steps[0], .id = "1", .up = frees, .context = &short_lived},
        {.struct_size = sizeof steps[0], .id = "2", .up_sql = "CREATE TABLE kept (x)"},
    };
    OK(corm_bundle_add(short_lived, &steps[0], &failure));
    OK(corm_bundle_add(short_lived, &steps[1], &failure));
    OK(corm_bundle_apply(db, short_lived, NULL, NULL, &failure));
    assert_true(is_there("kept"));
    GIVES(CORM_E_MISUSE, corm_bundle_apply(db, short_lived, NULL, NULL, &failure));
}

static corm_status keeps_reading(corm_database *database, void *context, corm_error **error) {
    (void)error;
    make(database);
    return STATUS(corm_result_open(database, "SELECT 1 UNION SELECT 2", CORM_NO_VALUES, context, NULL) == CORM_OK &&
                  corm_result_next(*(corm_result **)context, NULL) == CORM_ROW);
}
static void a_result_may_outlive_its_step(void **state) {
    (void)state;
    corm_result *result = NULL;
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "1", .up = keeps_reading, .context = &result};
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    assert_true(is_there("made"));
    corm_result_close(result);
    assert_int_equal(select_int("PRAGMA foreign_keys"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_BUNDLE(a_rollback_by_a_constraint_is_noticed),   TEST_BUNDLE(its_own_transaction_cannot_be_ended),
        TEST_BUNDLE(savepoints_are_its_own_business),         TEST_BUNDLE(savepoints_left_open_go_with_the_step),
        TEST_BUNDLE(the_database_cannot_be_closed_in_a_step), TEST_BUNDLE(migrations_within_a_step_are_refused),
        TEST_BUNDLE(the_bundle_may_go_while_it_is_applied),   TEST_BUNDLE(a_result_may_outlive_its_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
