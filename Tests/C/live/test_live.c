/* Live queries, commits of other connections, and what cannot be watched. */
#include "listeners.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void note_rows(corm_event *event, corm_error *error, void *context) {
    listener *told = context;
    assert_null(error);
    told->rows = (int64_t)corm_event_info_get(event)->row_count;
    told->changes[0] = 0;
    for (size_t index = 0; index < corm_event_info_get(event)->change_count; index += 1) {
        const corm_change *change = corm_event_change_get(event, index);
        assert_null(change->table);
        size_t used = strlen(told->changes);
        snprintf(told->changes + used, sizeof told->changes - used, "%d:%lld@%lld ", change->kind,
                 (long long)change->key[0].as.integer, (long long)change->position);
    }
    corm_records *records;
    OK(corm_event_records(event, &records, &failure));
    const person *all = corm_records_data(records);
    for (size_t index = 0; index < corm_records_count(records); index += 1)
        assert_true(all[index].name != NULL && all[index].age.value < 30);
    corm_records_free(records);
    /* Last, because a test that waits for the count reads the rest at once. */
    count(event, error, context);
}

static void a_live_query_tells_its_rows_and_what_is_new(void **state) {
    (void)state;
    insert_people(3);
    corm_query query = CORM_QUERY_INIT;
    query.sql = "SELECT * FROM person WHERE age < :limit ORDER BY age DESC";
    corm_value limit = corm_value_named("limit", corm_value_int64(30));
    query.values = &limit;
    query.value_count = 1;
    listener told = {0};
    listen_to((corm_observe_options){.model = people, .query = &query, .live = true}, &told, note_rows);
    limit = corm_value_null();
    assert_int_equal(told.rows, 3);
    assert_string_equal(told.changes, "1:3@0 1:2@1 1:1@2 ");
    run_script("UPDATE person SET age = 40 WHERE id = 3");
    assert_int_equal(told.rows, 2);
    assert_string_equal(told.changes, "3:3@-1 ");
    run_script(
        "BEGIN; UPDATE person SET age = 20 WHERE id = 1; INSERT INTO person(id, name, age) VALUES (9, 'new', 1); "
        "COMMIT");
    assert_string_equal(told.changes, "2:1@0 1:9@2 ");
    int events = told.events;
    run_script("INSERT INTO person(id, name, age) VALUES (10, 'old', 99)");
    assert_int_equal(told.events, events);
    corm_observer_close(told.observer);
}

static void errors_are_clear(void **state) {
    (void)state;
    corm_observer *observer = NULL;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observe_options made;
    made = (corm_observe_options)CORM_OBSERVE_OPTIONS_INIT;
    assert_memory_equal(&made, &options, sizeof made);
    GIVES(CORM_E_MISUSE, corm_observer_open(db, NULL, &observer, &failure));
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, &observer, &failure));
    GIVES(CORM_E_MISUSE, corm_observer_open(NULL, &options, &observer, &failure));
    options.model = (corm_model *)db;
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, &observer, &failure));
    options.model = people;
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, NULL, &failure));
    corm_value key[] = {corm_value_text("x"), corm_value_int64(1)};
    options.key = key;
    options.key_count = 1;
    GIVES(CORM_E_TYPE, corm_observer_open(db, &options, &observer, &failure));
    options.key_count = 2;
    GIVES(CORM_E_BINDING, corm_observer_open(db, &options, &observer, &failure));
    corm_region regions[] = {{.struct_size = sizeof(corm_region), .table = "nothing"},
                             {.struct_size = sizeof(corm_region), .table = "person"}};
    options = (corm_observe_options){.struct_size = sizeof options, .regions = regions, .region_count = 1};
    GIVES(CORM_E_SCHEMA, corm_observer_open(db, &options, &observer, &failure));
    regions[0] = (corm_region){.struct_size = sizeof(corm_region), .table = "person", .columns = "none"};
    GIVES(CORM_E_SCHEMA, corm_observer_open(db, &options, &observer, &failure));
    corm_query query = CORM_QUERY_INIT;
    options = (corm_observe_options){.struct_size = sizeof options, .query = &query};
    query.sql = "DELETE FROM person";
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, &observer, &failure));
    query.sql = "SELECT 1";
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, &observer, &failure));
    query.sql = "SELEC";
    GIVES(CORM_E_SQL, corm_observer_open(db, &options, &observer, &failure));
    query.sql = "SELECT name FROM person";
    options.live = true;
    options.key_columns = "id";
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, &observer, &failure));
    options.key_columns = NULL;
    run_script("BEGIN");
    GIVES(CORM_E_TRANSACTION, corm_observer_open(db, &options, &observer, &failure));
    run_script("ROLLBACK");
    /* Nothing is left of all these. */
    listener told = {0};
    listen_to((corm_observe_options){.model = people}, &told, count);
    int32_t descriptor;
    GIVES(CORM_E_MISUSE, corm_observer_descriptor(told.observer, &descriptor, &failure));
    corm_observer_close(told.observer);
    corm_event *event;
    GIVES(CORM_E_MISUSE, corm_observer_next(told.observer, &event, &failure));
    assert_null(corm_event_change_get(NULL, 0));
    assert_null(corm_event_row_get(NULL, 0, NULL));
    corm_event_free(NULL);
    corm_observer_close(NULL);
    const corm_event_info *none = corm_event_info_get(NULL);
    assert_int_equal(none->row_count + none->change_count + none->is_foreign, 0);
}

static void another_connection_is_noticed(void **state) {
    (void)state;
    listener told = {0}, live = {0};
    corm_query query = CORM_QUERY_INIT;
    listen_to((corm_observe_options){.model = people}, &told, count);
    listen_to((corm_observe_options){.model = people, .query = &query, .live = true}, &live, note_rows);
    corm_database *other;
    OK(corm_database_open(path_to("test.db"), NULL, &other, &failure));
    OK(corm_database_execute(other, "INSERT INTO person(id, name) VALUES (1, 'x')", NULL, 0, NULL, &failure));
    assert_true(comes(&told.foreign, 1));
    assert_true(comes(&live.foreign, 1));
    assert_string_equal(live.changes, "1:1@0 ");
    /* Own commits are not taken for those of others. */
    usleep(20000);
    int foreign = told.foreign;
    for (int index = 0; index < 50; index += 1)
        run_script("UPDATE person SET age = ifnull(age, 0) % 20 + 1");
    usleep(50000);
    assert_int_equal(told.foreign, foreign);
    /* Also while a result is open, which has a snapshot of its own. */
    corm_result *result;
    OK(corm_result_open(db, "SELECT * FROM person UNION ALL SELECT * FROM person", NULL, 0, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_database_execute(other, "UPDATE person SET name = 'y'", NULL, 0, NULL, &failure));
    assert_true(comes(&told.foreign, foreign + 1));
    corm_result_close(result);
    /* Another journal, whose file comes and goes. */
    corm_observer_close(live.observer);
    OK(corm_database_close(other, &failure));
    /* The live query may still be running. */
    while (corm_database_execute_script(db, "PRAGMA journal_mode = DELETE", NULL) == CORM_E_BUSY)
        usleep(1000);
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.journal_mode = CORM_JOURNAL_DELETE;
    OK(corm_database_open(path_to("test.db"), &options, &other, &failure));
    usleep(50000);
    foreign = told.foreign;
    for (int index = 1; index <= 3; index += 1) {
        OK(corm_database_execute(other, "UPDATE person SET name = name || 'z'", NULL, 0, NULL, &failure));
        assert_true(comes(&told.foreign, foreign + index));
    }
    corm_observer_close(told.observer);
    OK(corm_database_close(other, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_live_query_tells_its_rows_and_what_is_new),
        TEST(errors_are_clear),
        TEST(another_connection_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
