/* Statements at work: in corm_query, again and again, in two databases, explained. */
#include "statements.h"

#include <string.h>

static corm_statement *adults(void) {
    return ordered_by(where(select_from(people), CORM_GE(corm_expr_column(people, "age"), CORM_INT(36))), column("id"));
}

static void every_call_that_takes_a_query(void **state) {
    (void)state;
    corm_statement *statement = adults();
    corm_query query = {.struct_size = sizeof query, .statement = statement};
    corm_records *records;
    corm_cursor *cursor;
    person one;
    int64_t number_of = 0;
    corm_arena *arena = corm_arena_create();
    OK(corm_query_fetch(db, people, &query, &records, &failure));
    assert_int_equal(corm_records_count(records), 3);
    const person *found = corm_records_data(records);
    assert_string_equal(found[0].city, "London");
    assert_null(found[1].city);
    assert_int_equal(found[2].age.value, 50);
    corm_records_free(records);
    OK(corm_query_first(db, people, &query, &one, arena, &failure));
    assert_string_equal(one.name, "Ada");
    for (int with_model = 0; with_model < 2; with_model += 1) {
        corm_model *model = with_model ? people : NULL;
        OK(corm_query_count(db, model, &query, &number_of, &failure));
        assert_int_equal(number_of, 3);
        OK(corm_query_page_count(db, model, &query, 2, &number_of, &failure));
        assert_int_equal(number_of, 2);
        OK(corm_query_exists(db, model, &query, &failure));
    }
    OK(corm_cursor_open(db, people, &query, &cursor, &failure));
    for (int64_t id = 1; corm_cursor_next(cursor, &one, &failure) == CORM_ROW; id = id == 2 ? 5 : id + 1)
        assert_int_equal(one.id, id);
    corm_cursor_close(cursor);
    where(statement, CORM_GT(corm_expr_column(people, "height"), CORM_REAL(9)));
    OK(corm_query_count(db, people, &query, &number_of, &failure));
    assert_int_equal(number_of, 0);
    GIVES(CORM_NOT_FOUND, corm_query_exists(db, people, &query, &failure));
    GIVES(CORM_NOT_FOUND, corm_query_first(db, people, &query, &one, arena, &failure));
    corm_arena_free(arena);
    corm_statement_free(statement);
}

static void a_projection_into_a_struct_without_table(void **state) {
    (void)state;
    typedef struct city {
        const char *city;
        int64_t people;
        corm_optional_double tallest;
    } city;
    static const corm_column_def columns[] = {CORM_COLUMN(city, city, CORM_TEXT), CORM_COLUMN(city, people, CORM_INT64),
                                              CORM_COLUMN(city, tallest, CORM_DOUBLE)};
    static const corm_model_def definition = CORM_MODEL(city, "City", columns);
    corm_model *cities;
    OK(corm_model_create(&definition, &cities, &failure));
    corm_statement *select =
        with_column(select_from(people), corm_expr_as(CORM_CALL("max", column("height")), "tallest"));
    with_column(select, corm_expr_as(corm_expr_call("count", NULL, 0), "people"));
    with_column(select, column("city"));
    corm_statement_add(select, CORM_CLAUSE_GROUP_BY, column("city"));
    corm_query query = {.struct_size = sizeof query, .statement = ordered_by(select, column("city"))};
    corm_records *records;
    OK(corm_query_fetch(db, cities, &query, &records, &failure));
    assert_int_equal(corm_records_count(records), 4);
    const city *found = corm_records_data(records);
    assert_null(found[0].city);
    assert_int_equal(found[0].people, 2);
    assert_string_equal(found[3].city, "Rome");
    assert_true(found[3].tallest.value == 1.9);
    corm_records_free(records);
    corm_statement_free(select);
    query.statement = select = with_column(select_from(people), column("city"));
    GIVES(CORM_E_SCHEMA, corm_query_fetch(db, cities, &query, &records, &failure));
    FAILURE_SAYS("people");
    corm_statement_free(select);
    corm_model_free(cities);
}

static void returned_records(void **state) {
    (void)state;
    corm_statement *older = corm_statement_create(CORM_UPDATE, people, NULL);
    corm_statement_set(older, "age", binary(CORM_OP_ADD, column("age"), number(1)));
    where(older, CORM_EQ(corm_expr_column(people, "age"), CORM_INT(36)));
    for (size_t index = 0; index < corm_model_info_get(people)->column_count; index += 1)
        corm_statement_add(older, CORM_CLAUSE_RETURNING, column(corm_model_column_get(people, index)->property));
    corm_query query = {.struct_size = sizeof query, .statement = older};
    corm_records *records;
    OK(corm_query_fetch(db, people, &query, &records, &failure));
    assert_int_equal(corm_records_count(records), 2);
    assert_int_equal(((person *)corm_records_data(records))[1].age.value, 37);
    corm_records_free(records);
    corm_statement_free(older);
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE age = 37"), 2);
    corm_statement *counted = corm_statement_create(CORM_DELETE, pets, NULL);
    corm_statement_add(counted, CORM_CLAUSE_RETURNING, pet_column("id"));
    int64_t changes;
    OK(corm_statement_execute(db, counted, CORM_NO_VALUES, &changes, &failure));
    assert_int_equal(changes, 5);
    corm_statement_free(counted);
}

static void queries_that_cannot_be(void **state) {
    (void)state;
    corm_statement *statement = adults();
    corm_records *records = NULL;
    corm_query query = {.struct_size = sizeof query, .statement = statement, .limit = 1};
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, people, &query, &records, &failure));
    query = (corm_query){.struct_size = sizeof query, .statement = statement, .sql = "SELECT 1"};
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, people, &query, &records, &failure));
    query = (corm_query){.struct_size = sizeof query, .statement = statement, .offset = 1};
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, people, &query, &records, &failure));
    query = (corm_query){.struct_size = sizeof query, .statement = (corm_statement *)people};
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, people, &query, &records, &failure));
    corm_statement_free(statement);
    query = (corm_query){.struct_size = sizeof query, .statement = statement};
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, people, &query, &records, &failure));
    query.statement = statement = corm_statement_create(CORM_DELETE, people, NULL);
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, people, &query, &records, &failure));
    GIVES(CORM_E_MISUSE, corm_query_exists(db, NULL, &query, &failure));
    GIVES(CORM_E_MISUSE, corm_query_exists(db, NULL, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 6);
    assert_null(records);
    corm_statement_free(statement);
}

static void one_statement_in_two_databases(void **state) {
    (void)state;
    corm_database *second;
    corm_statement *statement = adults();
    corm_query query = {.struct_size = sizeof query, .statement = statement};
    int64_t count;
    OK(corm_database_open(path_to("second.db"), NULL, &second, &failure));
    OK(corm_query_count(db, people, &query, &count, &failure));
    assert_int_equal(count, 3);
    GIVES(CORM_E_SCHEMA, corm_query_count(second, people, &query, &count, &failure));
    FAILURE_SAYS("person");
    OK(corm_model_create_tables(second, CORM_MODELS(people), &failure));
    for (int round = 0; round < 2; round += 1) {
        OK(corm_query_count(second, people, &query, &count, &failure));
        assert_int_equal(count, 0);
        OK(corm_query_count(db, people, &query, &count, &failure));
        assert_int_equal(count, 3);
    }
    OK(corm_database_close(second, &failure));
    corm_statement_free(statement);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(every_call_that_takes_a_query),
        STATEMENT_TEST(a_projection_into_a_struct_without_table),
        STATEMENT_TEST(returned_records),
        STATEMENT_TEST(queries_that_cannot_be),
        STATEMENT_TEST(one_statement_in_two_databases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
