/* Records in numbers: fetched, streamed, counted, paged. */
#include "support.h"

#include <string.h>

static corm_records *records;

static const person *fetch(const corm_query *query, size_t count) {
    OK(corm_query_fetch(db, people, query, &records, &failure));
    assert_int_equal(corm_records_count(records), count);
    return corm_records_data(records);
}

static void all_of_them(void **state) {
    (void)state;
    assert_null(fetch(NULL, 0));
    corm_records_free(records);
    insert_people(5000);
    const person *found = fetch(NULL, 5000);
    int64_t sum = 0;
    for (int index = 0; index < 5000; index += 1) {
        sum += found[index].age.value;
        assert_int_equal(found[index].name[0], 'p');
    }
    assert_int_equal(sum, 5000LL * 5001 / 2);
    corm_records_free(records);
    corm_records_free(records);
    assert_int_equal(corm_records_count(records), 0);
    assert_null(corm_records_data(records));
}

static void queries_that_can_never_be_right(void **state) {
    (void)state;
    corm_value nameless[] = {corm_value_int64(1)};
    corm_value unknown[] = {corm_value_named("shoe", corm_value_int64(1))};
    corm_query query = CORM_QUERY_INIT;
    int64_t count;
    records = NULL;
#define REFUSED(status)                                                                                                \
    GIVES(status, corm_query_fetch(db, people, &query, &records, &failure));                                           \
    query = (corm_query)CORM_QUERY_INIT
    GIVES(CORM_E_MISUSE, corm_query_max_key(db, people, NULL, NULL, &failure));
    query.values = nameless, query.value_count = 1;
    REFUSED(CORM_E_MISUSE);
    assert_non_null(strstr(corm_error_hint(failure), "corm_value_named("));
    query.values = unknown, query.value_count = 1;
    REFUSED(CORM_E_MISUSE);
    query.value_count = 1;
    REFUSED(CORM_E_MISUSE);
    query.order_by = "-shoe";
    REFUSED(CORM_E_MISUSE);
    query.order_by = "id,";
    REFUSED(CORM_E_MISUSE);
    query.limit = -2;
    REFUSED(CORM_E_MISUSE);
    query.offset = -1;
    REFUSED(CORM_E_MISUSE);
    query.one = true;
    REFUSED(CORM_E_MISUSE);
    query.sql = "SELECT * FROM person", query.limit = 1;
    REFUSED(CORM_E_MISUSE);
    query.sql = "SELECT * FROM person", query.order_by = "id";
    REFUSED(CORM_E_MISUSE);
    query.struct_size = 0;
    REFUSED(CORM_E_MISUSE);
    assert_non_null(strstr(corm_error_hint(failure), "CORM_QUERY_INIT"));
    query.sql = "SELECT * FROM \xff";
    REFUSED(CORM_E_ENCODING);
    assert_null(records);
    GIVES(CORM_E_MISUSE, corm_query_count(db, NULL, NULL, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_query_count(db, NULL, &query, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_query_count(db, people, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_query_page_count(db, people, NULL, 0, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_query_page_count(db, people, NULL, -5, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, people, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_query_first(db, people, NULL, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_cursor_open(db, people, NULL, NULL, &failure));
}

static void streamed(void **state) {
    (void)state;
    corm_cursor *cursor;
    person one;
    int64_t sum = 0;
    insert_people(1000);
    OK(corm_cursor_open(db, people, NULL, &cursor, &failure));
    while (corm_cursor_next(cursor, &one, &failure) == CORM_ROW) {
        sum += one.id;
        assert_int_equal(one.name[0], 'p');
    }
    assert_int_equal(sum, 1000 * 1001 / 2);
    one.id = -1;
    GIVES(CORM_DONE, corm_cursor_next(cursor, &one, &failure));
    assert_int_equal(one.id, -1);
    corm_cursor_close(cursor);
    corm_cursor_close(cursor);
    GIVES(CORM_E_MISUSE, corm_cursor_next(cursor, &one, &failure));
    GIVES(CORM_E_MISUSE, corm_cursor_next(NULL, &one, &failure));
}

static void a_long_stream_needs_little_memory(void **state) {
    (void)state;
    corm_cursor *cursor;
    corm_query query = CORM_QUERY_INIT;
    person one;
    int64_t size = 0, rows = many(500000);
    corm_value limit = corm_value_int64(rows);
    query.values = &limit;
    query.value_count = 1;
    query.sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                "SELECT i AS id, printf('%0200d', i) AS name, NULL AS city, i AS age, 0.5 AS height FROM n";
    OK(corm_cursor_open(db, people, &query, &cursor, &failure));
    int64_t before = peak_memory();
    while (corm_cursor_next(cursor, &one, &failure) == CORM_ROW)
        size += (int64_t)strlen(one.name);
    corm_cursor_close(cursor);
    assert_int_equal(size, rows * 200);
    assert_true(peak_memory() - before >= 0 && peak_memory() - before <= 30000);
}

static void closed_with_the_database(void **state) {
    (void)state;
    corm_cursor *cursor;
    person one;
    insert_people(3);
    OK(corm_cursor_open(db, people, NULL, &cursor, &failure));
    GIVES(CORM_ROW, corm_cursor_next(cursor, &one, &failure));
    GIVES(CORM_E_MISUSE, corm_cursor_next(cursor, NULL, &failure));
    const person *found = fetch(NULL, 3);
    OK(corm_database_close(db, &failure));
    db = NULL;
    GIVES(CORM_E_MISUSE, corm_cursor_next(cursor, &one, &failure));
    corm_cursor_close(cursor);
    assert_string_equal(found[2].name, "p3");
    corm_records_free(records);
}

/* A condition that was consumed is one that can be used no more. */
static void a_condition_is_consumed_whatever_is_wrong(void **state) {
    (void)state;
    corm_expr *condition;
    person found;
    person *owned;
    corm_cursor *cursor;
    corm_observer *observer;
    struct ArrowArrayStream stream;
    int64_t count;
    corm_arena *arena = corm_arena_create();
    const corm_assignment nothing[] = {{.property = "age"}};
#define CONSUMED(call)                                                                                                 \
    do {                                                                                                               \
        corm_query query = CORM_QUERY_INIT;                                                                            \
        query.where = condition = CORM_EQ(corm_expr_column(people, "id"), CORM_INT(7));                                \
        assert_true((call) < 0);                                                                                       \
        corm_error_free(failure);                                                                                      \
        query.where = condition;                                                                                       \
        GIVES(CORM_E_MISUSE, corm_query_count(db, people, &query, &count, &failure));                                  \
    } while (0)
    CONSUMED(corm_query_first(db, people, &query, &found, NULL, &failure));
    CONSUMED(corm_query_first(db, people, &query, NULL, arena, &failure));
    CONSUMED(corm_query_first(db, NULL, &query, &found, arena, &failure));
    CONSUMED(corm_query_first_owned(db, people, &query, NULL, &failure));
    CONSUMED(corm_query_first_owned(db, NULL, &query, &owned, &failure));
    CONSUMED(corm_query_count(NULL, people, &query, &count, &failure));
    CONSUMED(corm_query_count(db, people, &query, NULL, &failure));
    CONSUMED(corm_query_page_count(db, people, &query, 1, NULL, &failure));
    CONSUMED(corm_query_exists(db, (corm_model *)condition, &query, &failure));
    CONSUMED(corm_query_fetch(db, NULL, &query, &records, &failure));
    CONSUMED(corm_query_fetch(db, people, &query, NULL, &failure));
    CONSUMED(corm_query_fetch_into(db, people, &query, NULL, &owned, &(size_t){0}, &failure));
    CONSUMED(corm_query_value(db, &query, arena, NULL, &failure));
    CONSUMED(corm_query_values(db, &query, arena, NULL, NULL, &failure));
    /* A struct of a later version, which says more than this one knows. */
    struct {
        corm_query query;
        int64_t later;
    } newer = {CORM_QUERY_INIT, 1};
    newer.query.struct_size = sizeof newer;
#define CONSUMED_NEWER(call) CONSUMED((newer.query.where = query.where, call))
    CONSUMED_NEWER(corm_query_value(db, &newer.query, arena, NULL, &failure));
    CONSUMED_NEWER(corm_query_values(db, &newer.query, arena, NULL, NULL, &failure));
    CONSUMED_NEWER(corm_query_count(db, people, &newer.query, &count, &failure));
    CONSUMED(corm_query_delete(db, NULL, &query, &count, &failure));
    CONSUMED(corm_query_update(db, NULL, &query, nothing, 1, &count, &failure));
    CONSUMED(corm_query_arrow(db, NULL, &query, &stream, &failure));
    CONSUMED(corm_cursor_open(db, people, &query, NULL, &failure));
    CONSUMED(corm_cursor_open(db, NULL, &query, &cursor, &failure));
    CONSUMED(corm_observer_open(NULL,
                                &(corm_observe_options){.struct_size = sizeof(corm_observe_options), .query = &query},
                                &observer, &failure));
    corm_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_of_them),
        TEST(queries_that_can_never_be_right),
        TEST(streamed),
        TEST(a_long_stream_needs_little_memory),
        TEST(closed_with_the_database),
        TEST(a_condition_is_consumed_whatever_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
