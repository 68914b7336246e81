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
    given[2] = given[0];
    GIVES(CORM_E_BINDING, corm_result_open_statement(db, select, given, 3, &result, &failure));
    FAILURE_SAYS("parameter \"least\" is given two values");
    given[1] = corm_value_int64(36);
    GIVES(CORM_E_BINDING, corm_result_open_statement(db, select, given, 2, &result, &failure));
    corm_value twice[] = {corm_value_named("x", corm_value_int64(1)), corm_value_named(":x", corm_value_int64(2))};
    GIVES(CORM_E_BINDING, corm_database_execute(db, "SELECT :x", twice, 2, NULL, &failure));
    FAILURE_SAYS("parameter :x is given two values");
    twice[0].name = NULL;
    GIVES(CORM_E_BINDING, corm_database_execute(db, "SELECT :x", twice, 2, NULL, &failure));
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

static void lists_by_name(void **state) {
    (void)state;
    corm_value ids[] = {corm_value_int64(4), corm_value_null(), corm_value_int64(1)};
    corm_value rows[] = {corm_value_text("Ada"), corm_value_int64(1), corm_value_text("Bob"), corm_value_int64(3)};
    corm_value given = corm_value_named("ids", corm_value_list(ids, 3));
    corm_result *result = NULL;
    corm_statement *select = with_column(select_from(people), column("id"));
    where(select, binary(CORM_OP_IN, column("id"), corm_expr_parameter("ids")));
    OK(corm_result_open_statement(db, select, &given, 1, &result, &failure));
    assert_string_equal(rows_of(result), "1; 4");
    result = NULL;
    given.as.bytes.size = 0;
    OK(corm_result_open_statement(db, select, &given, 1, &result, &failure));
    assert_string_equal(rows_of(result), "");
    result = NULL;
    given = corm_value_named("ids", corm_value_list(NULL, 2));
    GIVES(CORM_E_MISUSE, corm_result_open_statement(db, select, &given, 1, &result, &failure));
    ids[1] = corm_value_list(ids, 1);
    given = corm_value_named("ids", corm_value_list(ids, 3));
    GIVES(CORM_E_MISUSE, corm_result_open_statement(db, select, &given, 1, &result, &failure));
    FAILURE_SAYS("is a list");
    corm_query raw = {.struct_size = sizeof raw, .sql = "SELECT :ids", .values = &given, .value_count = 1};
    int64_t count;
    GIVES(CORM_E_MISUSE, corm_query_count(db, NULL, &raw, &count, &failure));
    corm_statement_free(select);

    select = with_column(select_from(people), column("id"));
    where(select, binary(CORM_OP_IN, CORM_ROW_VALUE(column("name"), column("id")), corm_expr_parameter("rows")));
    given = corm_value_named("rows", corm_value_list(rows, 4));
    OK(corm_result_open_statement(db, select, &given, 1, &result, &failure));
    assert_string_equal(rows_of(result), "1");
    result = NULL;
    given.as.bytes.size = 3;
    GIVES(CORM_E_BINDING, corm_result_open_statement(db, select, &given, 1, &result, &failure));
    FAILURE_SAYS("no rows of 2");
    assert_null(result);
    corm_statement_free(select);
}

static void rows_of_an_insert(void **state) {
    (void)state;
    corm_statement *insert = corm_statement_create(CORM_INSERT, people, NULL);
    corm_statement_values(insert, "name", EXPRS(text("x"), number(1)), 2);
    STATEMENT_FAILS(CORM_E_MISUSE, "a row has 2 values, its list of properties 1", insert);
    insert = corm_statement_create(CORM_INSERT, people, NULL);
    corm_statement_values(insert, "name", EXPRS(text("x")), 1);
    corm_statement_set(insert, "name", text("y"));
    STATEMENT_FAILS(CORM_E_MISUSE, "both values of one row and rows", insert);
    insert = corm_statement_create(CORM_UPDATE, people, NULL);
    corm_statement_values(insert, "name", EXPRS(text("x")), 1);
    STATEMENT_FAILS(CORM_E_MISUSE, "belongs to an INSERT", insert);
    insert = corm_statement_create(CORM_INSERT, people, NULL);
    corm_statement_values(insert, "name", NULL, 1);
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", insert);
    corm_statement_values(NULL, "name", EXPRS(text("x")), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(parameters_by_name),
        STATEMENT_TEST(lists_by_name),
        STATEMENT_TEST(rows_of_an_insert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
