/* Prefix, suffix and part of a text: the text stands for itself, whatever wildcards are in it. */
#include "statements.h"

/* Texts that a pattern could mistake for one another; their ids are 1 and so on. */
static const char *const names[] = {"100%", "1000", "a_b", "axb", "a\\b", "a\\%b", "%", "_", "\\", "%_\\", "", "A_B"};

static int set_up_names(void **state) {
    set_up(state);
    for (size_t index = 0; index < sizeof names / sizeof *names; index += 1) {
        person one = {.name = names[index]};
        OK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    }
    return 0;
}
#define NAMES_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_names, tear_down)

static corm_expr *prefix(const char *part) { return binary(CORM_OP_HAS_PREFIX, column("name"), text(part)); }
static corm_expr *suffix(const char *part) { return binary(CORM_OP_HAS_SUFFIX, column("name"), text(part)); }
static corm_expr *contains(const char *part) { return binary(CORM_OP_CONTAINS, column("name"), text(part)); }

static void the_text_may_be_a_parameter(void **state) {
    (void)state;
    corm_statement *found = with_column(select_from(people), column("id"));
    where(found, binary(CORM_OP_CONTAINS, column("name"), corm_expr_parameter("part")));
    corm_result *result;
    corm_value part[] = {corm_value_named("part", corm_value_text("\\%"))};
    OK(corm_statement_open(db, found, part, 1, &result, &failure));
    assert_string_equal(rows_of(result), "6");
    part[0] = corm_value_named("part", corm_value_null());
    OK(corm_statement_open(db, found, part, 1, &result, &failure));
    assert_string_equal(rows_of(result), "");
    part[0] = corm_value_named("part", corm_value_int64(1));
    GIVES(CORM_E_TYPE, corm_statement_open(db, found, part, 1, &result, &failure));
    corm_statement_free(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        NAMES_TEST(the_text_may_be_a_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
