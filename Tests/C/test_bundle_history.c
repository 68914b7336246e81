/* What a file's history and a bundle may disagree about: each disagreement has a status of its own and changes nothing. */
#include "migrations.h"

#include <stdio.h>
#include <string.h>

/* A bundle without files; each step makes a table named after its id. */
static corm_bundle *of(const char *const *ids, size_t count) {
    corm_bundle *bundle;
    OK(corm_bundle_create(NULL, &bundle, &failure));
    for (size_t index = 0; index < count; index += 1) {
        char up[64];
        char down[64];
        snprintf(up, sizeof up, "CREATE TABLE \"%s\" (x)", ids[index]);
        snprintf(down, sizeof down, "DROP TABLE \"%s\"", ids[index]);
        const corm_bundle_step step = {.struct_size = sizeof step, .id = ids[index], .up_sql = up, .down_sql = down};
        OK(corm_bundle_add(bundle, &step, &failure));
    }
    return bundle;
}

static corm_status apply(corm_bundle *bundle) { return corm_bundle_apply(db, bundle, NULL, NULL, &failure); }

static void apply_and_free(corm_bundle *bundle) {
    OK(apply(bundle));
    corm_bundle_free(bundle);
}

/* Both ways are refused so, and the file stays as it was. */
static void refused(corm_status expected, corm_bundle *bundle, const char *part) {
    const char *before = schema_now();
    GIVES(expected, apply(bundle));
    says(part);
    assert_non_null(corm_error_hint(failure));
    /* Steps that came late are no hindrance on the way back, which leads out of it. */
    if (expected != CORM_E_MIGRATION_ORDER)
        GIVES(expected, corm_bundle_revert(db, bundle, NULL, NULL, &failure));
    assert_string_equal(schema_now(), before);
}

/* The states of a bundle's steps, such as "1 applied, 2 pending". */
static const char *states_of(corm_bundle *bundle) {
    static const char *const names[] = {"pending", "applied", "modified", "missing", "order", "dirty", "newer"};
    static char text[512];
    corm_bundle_states *states;
    text[0] = 0;
    OK(corm_bundle_status(db, bundle, &states, &failure));
    for (size_t index = 0; index < corm_bundle_states_count(states); index += 1) {
        const corm_bundle_state *state = corm_bundle_states_get(states, index);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s", index > 0 ? ", " : "", state->id,
                 names[state->state]);
        assert_int_equal(state->started == NULL, state->state == CORM_STEP_PENDING || state->state == CORM_STEP_ORDER);
        assert_int_equal(state->finished != NULL, state->started != NULL && state->state != CORM_STEP_DIRTY);
        assert_non_null(strstr(corm_bundle_states_json(states), names[state->state]));
    }
    assert_null(corm_bundle_states_get(states, SIZE_MAX));
    assert_null(corm_bundle_states_get(states, corm_bundle_states_count(states)));
    corm_bundle_states_free(states);
    corm_bundle_states_free(states);
    assert_int_equal(corm_bundle_states_count(states), 0);
    return text;
}

static void pending_and_applied(void **state) {
    (void)state;
    corm_bundle *bundle = of(LIST("1", "2"));
    assert_string_equal(states_of(bundle), "1 pending, 2 pending");
    assert_false(is_there("corm_migrations"));
    OK(corm_bundle_apply(db, bundle, "1", NULL, &failure));
    assert_string_equal(states_of(bundle), "1 applied, 2 pending");
    corm_bundle_free(bundle);
}

static void a_step_that_was_edited(void **state) {
    (void)state;
    apply_and_free(of(LIST("1", "2")));
    corm_bundle *bundle = of(LIST("1"));
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "2", .up_sql = "CREATE TABLE \"2\" (x) "};
    OK(corm_bundle_add(bundle, &step, &failure));
    assert_string_equal(states_of(bundle), "1 applied, 2 modified");
    refused(CORM_E_MIGRATION_MODIFIED, bundle, "2 is not the step that was applied");
    corm_bundle_free(bundle);
}

static void a_step_that_is_missing(void **state) {
    (void)state;
    apply_and_free(of(LIST("1", "2", "3")));
    corm_bundle *bundle = of(LIST("1", "3", "4"));
    assert_string_equal(states_of(bundle), "1 applied, 2 missing, 3 applied, 4 pending");
    refused(CORM_E_MIGRATION_MISSING, bundle, "2");
    corm_bundle_free(bundle);
}

static void a_step_that_comes_late(void **state) {
    (void)state;
    apply_and_free(of(LIST("1", "3")));
    corm_bundle *bundle = of(LIST("1", "2", "3"));
    assert_string_equal(states_of(bundle), "1 applied, 2 order, 3 applied");
    refused(CORM_E_MIGRATION_ORDER, bundle, "2");
    corm_bundle_free(bundle);
}

static void a_file_newer_than_the_program(void **state) {
    (void)state;
    apply_and_free(of(LIST("1", "2", "3")));
    corm_bundle *bundle = of(LIST("1", "2"));
    assert_string_equal(states_of(bundle), "1 applied, 2 applied, 3 newer");
    refused(CORM_E_MIGRATION_NEWER, bundle, "newer version of the program");
    corm_bundle_free(bundle);
}

static void a_file_that_was_changed_by_hand(void **state) {
    (void)state;
    corm_bundle *bundle = of(LIST("1"));
    OK(apply(bundle));
    run("ALTER TABLE \"1\" ADD COLUMN y");
    corm_bundle_free(bundle);
    bundle = of(LIST("1", "2"));
    refused(CORM_E_MIGRATION_DRIFT, bundle, "schema");
    run("ALTER TABLE \"1\" DROP COLUMN y");
    OK(apply(bundle));
    corm_bundle_free(bundle);
}

static void drift_says_what_differs(void **state) {
    (void)state;
    corm_bundle *bundle;
    corm_plan *plan;
    make_file("migrations/1/up.sql", "CREATE TABLE a (x)");
    make_file("migrations/1/down.sql", "DROP TABLE a");
    OK(corm_bundle_seal(path_to("migrations"), &failure));
    OK(corm_bundle_create(path_to("migrations"), &bundle, &failure));
    OK(corm_bundle_drift(db, bundle, &plan, &failure));
    assert_int_equal(corm_plan_step_count(plan), 0);
    corm_plan_free(plan);
    OK(apply(bundle));
    run("ALTER TABLE a ADD COLUMN y; CREATE TABLE b (z)");
    refused(CORM_E_MIGRATION_DRIFT, bundle, "add column \"a.y\"");
    refused(CORM_E_MIGRATION_DRIFT, bundle, "create table \"b\"");
    OK(corm_bundle_drift(db, bundle, &plan, &failure));
    assert_int_equal(corm_plan_step_count(plan), 2);
    assert_non_null(strstr(corm_plan_sql(plan), "DROP COLUMN \"y\""));
    assert_int_equal(corm_plan_problem_count(plan), 2);
    corm_plan_free(plan);
    corm_bundle_free(bundle);
}

static void a_step_outside_a_transaction_that_fails_is_dirty(void **state) {
    (void)state;
    corm_bundle *bundle = of(LIST("1"));
    const corm_bundle_step step = {.struct_size = sizeof step,
                                   .id = "2",
                                   .up_sql = "-- outside transaction\nVACUUM; CREATE TABLE half (x); SELECT * FROM no",
                                   .down_sql = "DROP TABLE half"};
    OK(corm_bundle_add(bundle, &step, &failure));
    GIVES(CORM_E_MIGRATION, corm_bundle_resolve(db, bundle, "2", true, &failure));
    GIVES(CORM_E_SQL, apply(bundle));
    says("step 2");
    assert_true(is_there("half"));
    assert_string_equal(states_of(bundle), "1 applied, 2 dirty");
    refused(CORM_E_MIGRATION_DIRTY, bundle, "resolve");
    GIVES(CORM_E_MIGRATION, corm_bundle_resolve(db, bundle, "1", true, &failure));
    OK(corm_bundle_resolve(db, bundle, "2", true, &failure));
    assert_string_equal(states_of(bundle), "1 applied, 2 applied");
    OK(apply(bundle));
    OK(corm_bundle_revert(db, bundle, "1", LOSSY, &failure));
    GIVES(CORM_E_SQL, apply(bundle));
    run("DROP TABLE half");
    OK(corm_bundle_resolve(db, bundle, "2", false, &failure));
    assert_string_equal(states_of(bundle), "1 applied, 2 pending");
    corm_bundle_free(bundle);
}

static void a_step_outside_a_transaction_opens_none(void **state) {
    (void)state;
    corm_bundle *bundle = of(LIST("1"));
    const corm_bundle_step step = {
        .struct_size = sizeof step, .id = "2", .up_sql = "-- outside transaction\nBEGIN; CREATE TABLE half (x)"};
    OK(corm_bundle_add(bundle, &step, &failure));
    GIVES(CORM_E_MIGRATION, apply(bundle));
    assert_false(is_there("half"));
    run("BEGIN; COMMIT");
    corm_bundle_free(bundle);
}

static void a_file_made_without_steps_is_adopted(void **state) {
    (void)state;
    corm_bundle *bundle;
    make_file("migrations/1/up.sql", "CREATE TABLE a (x PRIMARY KEY, y CHECK (y > 0), z)");
    make_file("migrations/2/up.sql", "CREATE TABLE b (x REFERENCES a)");
    make_file("migrations/2/down.sql", "DROP TABLE b");
    make_file("migrations/3/up.sql", "CREATE TABLE c (x)");
    OK(corm_bundle_seal(path_to("migrations"), &failure));
    OK(corm_bundle_create(path_to("migrations"), &bundle, &failure));
    run("CREATE TABLE b (x REFERENCES a(\"x\"))");
    GIVES(CORM_E_MIGRATION_DRIFT, corm_bundle_adopt(db, bundle, "2", &failure));
    says("drop table \"a\"");
    assert_false(is_there("corm_migrations"));
    run("CREATE TABLE A (z, x, y, CONSTRAINT positive CHECK (y>0), PRIMARY KEY (x)) -- by hand");
    OK(corm_bundle_adopt(db, bundle, "2", &failure));
    assert_string_equal(states_of(bundle), "1 applied, 2 applied, 3 pending");
    GIVES(CORM_E_MIGRATION, corm_bundle_adopt(db, bundle, "2", &failure));
    OK(apply(bundle));
    assert_true(is_there("c"));
    corm_bundle_free(bundle);
}

static void steps_of_the_program_are_adopted_by_their_schema(void **state) {
    (void)state;
    corm_bundle *bundle;
    corm_bundle_step step = CORM_BUNDLE_STEP_INIT;
    step.id = "1";
    step.up_sql = "CREATE TABLE a (x)";
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    run("CREATE TABLE a (x)");
    GIVES(CORM_E_MIGRATION, corm_bundle_adopt(db, bundle, NULL, &failure));
    corm_bundle_free(bundle);
    step.schema_sql = "CREATE TABLE b (x)";
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    GIVES(CORM_E_MIGRATION_DRIFT, corm_bundle_adopt(db, bundle, NULL, &failure));
    corm_bundle_free(bundle);
    step.schema_sql = "create table \"a\" (X) -- the same";
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_adopt(db, bundle, NULL, &failure));
    OK(apply(bundle));
    corm_bundle_free(bundle);
}

static void steps_in_a_file_that_had_tables(void **state) {
    (void)state;
    run("CREATE TABLE other (x); INSERT INTO other VALUES (1)");
    corm_bundle *bundle = of(LIST("1", "2"));
    OK(apply(bundle));
    OK(corm_bundle_revert(db, bundle, NULL, LOSSY, &failure));
    assert_string_equal(schema_now(), "CREATE TABLE other (x)");
    corm_bundle_free(bundle);
}

static void a_way_back_that_leads_elsewhere(void **state) {
    (void)state;
    corm_bundle *bundle = of(LIST("1"));
    const corm_bundle_step step = {.struct_size = sizeof step,
                                   .id = "2",
                                   .up_sql = "CREATE TABLE b (x)",
                                   .down_sql = "DROP TABLE b; CREATE TABLE more (x)"};
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(apply(bundle));
    GIVES(CORM_E_MIGRATION_DRIFT, corm_bundle_revert(db, bundle, "1", NULL, &failure));
    assert_true(is_there("b") && !is_there("more"));
    corm_bundle_free(bundle);
}

static void a_history_of_somebody_else(void **state) {
    (void)state;
    run("CREATE TABLE corm_migrations (version INTEGER); INSERT INTO corm_migrations VALUES (1)");
    corm_bundle *bundle = of(LIST("1"));
    corm_bundle_states *states = NULL;
    GIVES(CORM_E_MIGRATION, apply(bundle));
    says("corm_migrations");
    GIVES(CORM_E_MIGRATION, corm_bundle_status(db, bundle, &states, &failure));
    assert_int_equal(select_int("SELECT version FROM corm_migrations"), 1);
    corm_bundle_free(bundle);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(pending_and_applied),
        TEST_EMPTY(a_step_that_was_edited),
        TEST_EMPTY(a_step_that_is_missing),
        TEST_EMPTY(a_step_that_comes_late),
        TEST_EMPTY(a_file_newer_than_the_program),
        TEST_EMPTY(a_file_that_was_changed_by_hand),
        TEST_EMPTY(drift_says_what_differs),
        TEST_EMPTY(a_step_outside_a_transaction_that_fails_is_dirty),
        TEST_EMPTY(a_step_outside_a_transaction_opens_none),
        TEST_EMPTY(a_file_made_without_steps_is_adopted),
        TEST_EMPTY(steps_of_the_program_are_adopted_by_their_schema),
        TEST_EMPTY(steps_in_a_file_that_had_tables),
        TEST_EMPTY(a_way_back_that_leads_elsewhere),
        TEST_EMPTY(a_history_of_somebody_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
