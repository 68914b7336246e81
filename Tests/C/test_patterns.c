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

static void a_prefix_is_no_pattern(void **state) {
    (void)state;
    MEETS(prefix("100%"), "\"name\" LIKE ? ESCAPE '\\'", "'100\\%%'", "1");
    MEETS(prefix("100"), "\"name\" LIKE ? ESCAPE '\\'", "'100%'", "1 2");
    MEETS(prefix("a_"), "\"name\" LIKE ? ESCAPE '\\'", "'a\\_%'", "3 12");
    MEETS(prefix("a\\"), "\"name\" LIKE ? ESCAPE '\\'", "'a\\\\%'", "5 6");
    MEETS(prefix("a\\%"), "\"name\" LIKE ? ESCAPE '\\'", "'a\\\\\\%%'", "6");
    MEETS(prefix("%"), "\"name\" LIKE ? ESCAPE '\\'", "'\\%%'", "7 10");
    MEETS(prefix(""), "\"name\" LIKE ? ESCAPE '\\'", "'%'", "1 2 3 4 5 6 7 8 9 10 11 12");
}

static void a_suffix_is_no_pattern(void **state) {
    (void)state;
    MEETS(suffix("%"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\%'", "1 7");
    MEETS(suffix("_b"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\_b'", "3 12");
    MEETS(suffix("\\"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\\\'", "9 10");
    MEETS(suffix("\\b"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\\\b'", "5");
}

static void a_part_is_no_pattern(void **state) {
    (void)state;
    MEETS(contains("%"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\%%'", "1 6 7 10");
    MEETS(contains("_"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\_%'", "3 8 10 12");
    MEETS(contains("\\"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\\\%'", "5 6 9 10");
    MEETS(contains("%_\\"), "\"name\" LIKE ? ESCAPE '\\'", "'%\\%\\_\\\\%'", "10");
    MEETS(unary(CORM_OP_NOT, contains("_")), "NOT \"name\" LIKE ? ESCAPE '\\'", "'%\\_%'", "1 2 4 5 6 7 9 11");
}

static void the_text_may_come_from_another_column(void **state) {
    (void)state;
    OK(corm_database_execute(db,
                             "UPDATE person SET city = CASE id WHEN 1 THEN '0%' WHEN 2 THEN '0%' WHEN 3 THEN 'a_' "
                             "WHEN 4 THEN 'a_' WHEN 5 THEN '\\' WHEN 9 THEN '\\' END",
                             CORM_NO_VALUES, NULL, &failure));
    MEETS(binary(CORM_OP_HAS_PREFIX, column("name"), column("city")),
          "\"name\" LIKE replace(replace(replace(\"city\", '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%' ESCAPE '\\'",
          "", "3 9");
    MEETS(binary(CORM_OP_HAS_SUFFIX, column("name"), column("city")),
          "\"name\" LIKE '%' || replace(replace(replace(\"city\", '\\', '\\\\'), '%', '\\%'), '_', '\\_') ESCAPE '\\'",
          "", "1 9");
    MEETS(binary(CORM_OP_CONTAINS, column("name"), column("city")),
          "\"name\" LIKE '%' || replace(replace(replace(\"city\", '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%' "
          "ESCAPE '\\'",
          "", "1 3 5 9");
}

static void the_text_may_be_a_parameter(void **state) {
    (void)state;
    corm_statement *found = with_column(select_from(people), column("id"));
    where(found, binary(CORM_OP_CONTAINS, column("name"), corm_expr_parameter("part")));
    corm_result *result;
    corm_value part[] = {corm_value_named("part", corm_value_text("\\%"))};
    OK(corm_result_open_statement(db, found, part, 1, &result, &failure));
    assert_string_equal(rows_of(result), "6");
    part[0] = corm_value_named("part", corm_value_null());
    OK(corm_result_open_statement(db, found, part, 1, &result, &failure));
    assert_string_equal(rows_of(result), "");
    part[0] = corm_value_named("part", corm_value_int64(1));
    GIVES(CORM_E_TYPE, corm_result_open_statement(db, found, part, 1, &result, &failure));
    corm_statement_free(found);
}

static void only_text_can_be_part_of_a_text(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_TYPE, "give text", binary(CORM_OP_CONTAINS, column("name"), number(1)));
    EXPRESSION_FAILS(CORM_E_TYPE, "give text",
                     binary(CORM_OP_HAS_PREFIX, column("name"), corm_expr_value(corm_value_blob("a", 1))));
    MEETS(binary(CORM_OP_HAS_SUFFIX, column("name"), null_value()), "\"name\" LIKE ? ESCAPE '\\'", "NULL", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        NAMES_TEST(a_prefix_is_no_pattern),      NAMES_TEST(a_suffix_is_no_pattern),
        NAMES_TEST(a_part_is_no_pattern),        NAMES_TEST(the_text_may_come_from_another_column),
        NAMES_TEST(the_text_may_be_a_parameter), NAMES_TEST(only_text_can_be_part_of_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
