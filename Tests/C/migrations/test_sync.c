/* Sync in C: before the first use, and under the steps of a bundle. What it does is in Tests/Conformance/migrations-sync.json. */
#include "migrations.h"

#include <string.h>

static void count_statements(const char *sql, int64_t nanoseconds, void *context) {
    (void)sql;
    (void)nanoseconds;
    *(int *)context += 1;
}

static void a_model_is_synced_before_its_first_use(void **state) {
    (void)state;
    run_script("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    assert_false(options.auto_sync);
    options.auto_sync = true;
    corm_database *other = NULL;
    OK(corm_database_open(path_to("test.db"), &options, &other, &failure));
    person ada = {.name = "Ada", .city = "London"};
    OK(corm_record_save(other, people, &ada, NULL, &failure));
    in_step(MODELS(people));
    int statements = 0;
    OK(corm_database_set_trace(other, count_statements, &statements, &failure));
    OK(corm_record_exists(other, people, CORM_VALUES(corm_value_int64(ada.id)), &failure));
    OK(corm_record_save(other, people, &ada, NULL, &failure));
    assert_int_equal(statements, 2);
    OK(corm_database_close(other, &failure));
}

/* Makes the table as the first release had it, which today's model does not fit. */
static corm_status make_one(corm_database *database, void *context, corm_error **error) {
    (void)error;
    return STATUS(corm_database_execute(database, "CREATE TABLE person (id INTEGER PRIMARY KEY)", CORM_NO_VALUES, NULL,
                                        NULL) == CORM_OK &&
                  corm_record_save(database, context, &(person){.name = "Ada"}, NULL, NULL) == CORM_E_SCHEMA);
}

static void the_steps_of_a_bundle_bring_the_file_by_themselves(void **state) {
    (void)state;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.auto_sync = true;
    corm_database *other = NULL;
    corm_bundle *bundle = NULL;
    corm_bundle_step step = CORM_BUNDLE_STEP_INIT;
    step.id = "0001_person";
    step.up = make_one;
    step.context = people;
    OK(corm_database_open(path_to("test.db"), &options, &other, &failure));
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_apply(other, bundle, NULL, NULL, &failure));
    assert_false(is_there("corm_models"));
    corm_bundle_free(bundle);
    OK(corm_database_close(other, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(a_model_is_synced_before_its_first_use),
        TEST_EMPTY(the_steps_of_a_bundle_bring_the_file_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
