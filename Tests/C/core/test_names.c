/* Lists of names: one text, with commas between (value.h). */
#include "support.h"

#include <stdio.h>

/* The SQL of WITH x (names) AS ..., or the error that it is. */
static const char *read_list(const char *list) {
    static char text[256];
    corm_arena *arena = corm_arena_create();
    corm_statement *inner = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_add(inner, CORM_CLAUSE_COLUMN, corm_expr_value(corm_value_null()));
    corm_statement *select = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_with(select, "x", list, inner);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_value(corm_value_null()));
    const char *sql;
    size_t count;
    if (corm_statement_sql(select, arena, &sql, NULL, &count, &failure) == CORM_OK) {
        const char *start = strchr(sql, '(');
        snprintf(text, sizeof text, "%.*s", (int)(strstr(start, " AS (") - start), start);
    } else {
        snprintf(text, sizeof text, "%s", corm_error_message(failure));
        forget_failure();
    }
    corm_statement_free(select);
    corm_arena_free(arena);
    return text;
}

static void names_are_read_as_they_stand(void **state) {
    (void)state;
    assert_string_equal(read_list("title"), "(\"title\")");
    assert_string_equal(read_list("title,year"), "(\"title\", \"year\")");
    assert_string_equal(read_list(" \t\ntitle \r,\n  year "), "(\"title\", \"year\")");
    assert_string_equal(read_list("two words, größe, a.b"), "(\"two words\", \"größe\", \"a.b\")");
    assert_string_equal(read_list("\"a, b\" , \" c \""), "(\"a, b\", \" c \")");
    assert_string_equal(read_list("\"a \"\"b\"\"\", \"\"\"\""), "(\"a \"\"b\"\"\", \"\"\"\")");
    assert_string_equal(read_list("in\"side"), "(\"in\"\"side\")");
    assert_string_equal(read_list("-year, - title, -\"a,b\""), "(\"-year\", \"-title\", \"-a,b\")");
}

static void lists_that_are_none(void **state) {
    (void)state;
    assert_string_equal(read_list(""), "the list of columns lacks a name at byte 0: ");
    assert_string_equal(read_list("  "), "the list of columns lacks a name at byte 2:   ");
    assert_string_equal(read_list(","), "the list of columns lacks a name at byte 0: ,");
    assert_string_equal(read_list("a,,b"), "the list of columns lacks a name at byte 2: a,,b");
    assert_string_equal(read_list("a, "), "the list of columns lacks a name at byte 3: a, ");
    assert_string_equal(read_list("-"), "the list of columns lacks a name at byte 1: -");
    assert_string_equal(read_list("a, \"b"), "the list of columns has a quote without end at byte 3: a, \"b");
    assert_string_equal(read_list("\"a\" b"), "the list of columns lacks a comma at byte 4: \"a\" b");
    assert_string_equal(read_list("\xff"), "the list of columns is not UTF-8");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(names_are_read_as_they_stand),
        TEST(lists_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
