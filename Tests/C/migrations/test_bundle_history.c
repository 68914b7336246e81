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

static void steps_of_the_program_are_adopted_by_their_schema(void **state) {
    (void)state;
    corm_bundle *bundle;
    corm_bundle_step step = CORM_BUNDLE_STEP_INIT;
    step.id = "1";
    step.up_sql = "CREATE TABLE a (x)";
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    run_script("CREATE TABLE a (x)");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(pending_and_applied),
        TEST_EMPTY(steps_of_the_program_are_adopted_by_their_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
