/* Parameters of statements: values by name when they run. */
#include "statements.h"

static void parameters_by_name(void **state) {
    (void)state;
    corm_statement *select = with_column(select_from(people), column("id"));
    where(select,
          CORM_AND(binary(CORM_OP_GREATER_EQUAL, column("age"), corm_expr_parameter("least")),
                   binary(CORM_OP_NOT_EQUAL, column("age"), corm_expr_parameter("other")),
                   binary(CORM_OP_LESS, column("age"), binary(CORM_OP_ADD, corm_expr_parameter("least"), number(30)))));
    corm_arena *arena = corm_arena_create();
    const char *sql;
    const corm_value *values;
    size_t count;
    OK(corm_statement_sql(select, arena, &sql, &values, &count, &failure));
    assert_string_equal(sql, "SELECT \"id\" FROM \"person\" WHERE \"age\" >= ? AND \"age\" <> ? AND \"age\" < ? + ?");
    assert_int_equal(count, 4);
    assert_string_equal(values[0].name, "least");
    assert_int_equal(values[0].type, CORM_VALUE_NULL);
    assert_string_equal(values[1].name, "other");
    assert_null(values[3].name);
    corm_arena_free(arena);
    corm_result *result = NULL;
    corm_value given[] = {corm_value_named("least", corm_value_int64(20)),
                          corm_value_named(":other", corm_value_int64(36)),
                          corm_value_named("more", corm_value_null())};
    OK(corm_result_open_statement(db, select, given, 2, &result, &failure));
    assert_string_equal(rows_of(result), "4");
    result = NULL;
    GIVES(CORM_E_BINDING, corm_result_open_statement(db, select, given, 1, &result, &failure));
    FAILURE_SAYS("other");
    GIVES(CORM_E_BINDING, corm_result_open_statement(db, select, given, 3, &result, &failure));
    FAILURE_SAYS("more");
    given[1] = corm_value_int64(36);
    GIVES(CORM_E_BINDING, corm_result_open_statement(db, select, given, 2, &result, &failure));
    given[1] = corm_value_named("other", corm_value_text("x"));
    GIVES(CORM_E_TYPE, corm_result_open_statement(db, select, given, 2, &result, &failure));
    FAILURE_SAYS("Person.age");
    given[1] = corm_value_named("other", corm_value_uint64(UINT64_MAX));
    GIVES(CORM_E_RANGE, corm_result_open_statement(db, select, given, 2, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_open_statement(db, select, NULL, 2, &result, &failure));
    assert_null(result);
    corm_statement_free(select);
    select = select_from(people);
    GIVES(CORM_E_BINDING, corm_result_open_statement(db, select, given, 1, &result, &failure));
    FAILURE_SAYS("no parameter");
    corm_statement_free(select);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(parameters_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
