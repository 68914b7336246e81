/* Parameters of statements: values by name when they run. */
#include "statements.h"

static void parameters_by_name(void **state) {
    (void)state;
    corm_statement *select = with_column(select_from(people), column("id"));
    where(select,
          CORM_ALL(binary(CORM_OP_GREATER_EQUAL, column("age"), corm_expr_parameter("least")),
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

static void parameters_in_queries_and_changes(void **state) {
    (void)state;
    corm_statement *named = where(select_from(people), binary(CORM_OP_IS, column("city"), corm_expr_parameter("city")));
    corm_value rome[] = {corm_value_named("city", corm_value_text("Rome"))};
    corm_value nowhere[] = {corm_value_named("city", corm_value_null())};
    corm_query query = {.struct_size = sizeof query, .statement = named, .values = rome, .value_count = 1};
    int64_t count;
    for (int round = 0; round < 3; round += 1) {
        query.values = rome;
        OK(corm_query_count(db, people, &query, &count, &failure));
        assert_int_equal(count, 2);
        query.values = nowhere;
        OK(corm_query_count(db, people, &query, &count, &failure));
        assert_int_equal(count, 2);
        OK(corm_query_exists(db, people, &query, &failure));
    }
    corm_statement_free(named);
    corm_statement *update = corm_statement_create(CORM_UPDATE, people, NULL);
    corm_statement_set(update, "age", corm_expr_parameter("age"));
    where(update, binary(CORM_OP_EQUAL, column("id"), corm_expr_parameter("id")));
    for (int64_t id = 1; id <= 3; id += 1) {
        OK(corm_statement_execute(db, update,
                                  CORM_VALUES(corm_value_named("id", corm_value_int64(id)),
                                              corm_value_named("age", corm_value_int64(id * 10))),
                                  &count, &failure));
        assert_int_equal(count, 1);
    }
    assert_int_equal(select_int("SELECT sum(age) FROM person WHERE id <= 3"), 60);
    corm_statement_free(update);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(parameters_by_name),
        STATEMENT_TEST(parameters_in_queries_and_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
