/* Listeners: what callbacks may do, live queries, commits of others, and what happens to those that are in the way. */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct listener {
    corm_observer *observer;
    atomic_int events;
    atomic_int foreign;
    atomic_int released;
    atomic_bool holds;
    int64_t rows;
    char changes[512];
} listener;

/* Persons whose table asks for a name only. */
static int set_up_people(void **state) {
    if (set_up(state) != 0)
        return -1;
    OK(corm_database_execute_script(
        db,
        "DROP TABLE person; CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER,"
        "height REAL NOT NULL DEFAULT 1)",
        &failure));
    return 0;
}

#undef TEST
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_people, tear_down)

static void run(const char *sql) { OK(corm_database_execute_script(db, sql, &failure)); }

static void release(void *context) { atomic_fetch_add(&((listener *)context)->released, 1); }

static void count(corm_event *event, corm_error *error, void *context) {
    listener *told = context;
    assert_null(error);
    if (corm_event_is_foreign(event))
        atomic_fetch_add(&told->foreign, 1);
    atomic_fetch_add(&told->events, 1);
}

static void listen(corm_observe_options options, listener *told, corm_observer_callback callback) {
    options.struct_size = sizeof options;
    options.callback = callback;
    options.context = told;
    options.release = release;
    OK(corm_database_observe(db, &options, &told->observer, &failure));
}

static bool comes(atomic_int *number, int least) {
    for (int64_t until = milliseconds() + 10000; milliseconds() < until; usleep(500))
        if (atomic_load(number) >= least)
            return true;
    return false;
}

static void cancel_oneself(corm_event *event, corm_error *error, void *context) {
    count(event, error, context);
    corm_observer_cancel(((listener *)context)->observer);
    assert_int_equal(((listener *)context)->released, 0);
}

static void a_callback_may_cancel_its_observer(void **state) {
    (void)state;
    listener told = {0};
    listen((corm_observe_options){.model = people}, &told, cancel_oneself);
    insert_people(3);
    assert_int_equal(told.events, 1);
    assert_int_equal(told.released, 1);
}

static void write_more(corm_event *event, corm_error *error, void *context) {
    count(event, error, context);
    if (atomic_load(&((listener *)context)->events) < 5)
        run("UPDATE person SET age = age + 1");
}

static void a_callback_may_write(void **state) {
    (void)state;
    insert_people(1);
    listener told = {0};
    listen((corm_observe_options){.model = people}, &told, write_more);
    run("UPDATE person SET age = 0");
    assert_int_equal(told.events, 5);
    assert_int_equal(select_int("SELECT age FROM person"), 4);
    corm_observer_cancel(told.observer);
}

static void close_all(corm_event *event, corm_error *error, void *context) {
    count(event, error, context);
    OK(corm_database_close(db, &failure));
}

static void a_callback_may_close_the_database(void **state) {
    (void)state;
    listener told = {0}, other = {0};
    listen((corm_observe_options){.model = people}, &told, close_all);
    listen((corm_observe_options){.model = people}, &other, count);
    insert_people(1);
    assert_int_equal(told.events, 1);
    corm_observer_cancel(told.observer);
    corm_observer_cancel(other.observer);
    assert_int_equal(told.released + other.released, 2);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
}

static void hold(corm_event *event, corm_error *error, void *context) {
    count(event, error, context);
    while (atomic_load(&((listener *)context)->holds))
        usleep(500);
}

static void *insert_one(void *unused) {
    (void)unused;
    OK(corm_database_execute(db, "INSERT INTO person(name) VALUES ('t')", NULL, 0, NULL, NULL));
    return NULL;
}

static void a_callback_that_blocks_holds_no_other_thread_up(void **state) {
    (void)state;
    listener told = {.holds = true};
    listen((corm_observe_options){.model = people}, &told, hold);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, insert_one, NULL), 0);
    assert_true(comes(&told.events, 1));
    for (int index = 0; index < 10; index += 1)
        run("INSERT INTO person(name) VALUES ('x')");
    assert_int_equal(select_int("SELECT count(*) FROM person"), 11);
    assert_int_equal(told.events, 1);
    /* Cancelled while its callback runs: the context is given back when that is over. */
    corm_observer_cancel(told.observer);
    assert_int_equal(told.released, 0);
    atomic_store(&told.holds, false);
    pthread_join(thread, NULL);
    assert_int_equal(told.events, 1);
    assert_true(comes(&told.released, 1));
}

static void note_rows(corm_event *event, corm_error *error, void *context) {
    listener *told = context;
    count(event, error, context);
    told->rows = (int64_t)corm_event_row_count(event);
    told->changes[0] = 0;
    for (size_t index = 0; index < corm_event_change_count(event); index += 1) {
        corm_change change;
        OK(corm_event_change(event, index, &change, &failure));
        assert_null(change.table);
        size_t used = strlen(told->changes);
        snprintf(told->changes + used, sizeof told->changes - used, "%d:%lld@%lld ", change.kind,
                 (long long)change.key[0].as.integer, (long long)change.position);
    }
    corm_records *records;
    OK(corm_event_records(event, &records, &failure));
    const person *all = corm_records_data(records);
    for (size_t index = 0; index < corm_records_count(records); index += 1)
        assert_true(all[index].name != NULL && all[index].age.value < 30);
    corm_records_free(records);
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
    listen((corm_observe_options){.model = people, .query = &query, .live = true}, &told, note_rows);
    limit = corm_value_null();
    assert_int_equal(told.rows, 3);
    assert_string_equal(told.changes, "1:3@0 1:2@1 1:1@2 ");
    run("UPDATE person SET age = 40 WHERE id = 3");
    assert_int_equal(told.rows, 2);
    assert_string_equal(told.changes, "3:3@-1 ");
    run("BEGIN; UPDATE person SET age = 20 WHERE id = 1; INSERT INTO person(id, name, age) VALUES (9, 'new', 1); "
        "COMMIT");
    assert_string_equal(told.changes, "2:1@0 1:9@2 ");
    int events = told.events;
    run("INSERT INTO person(id, name, age) VALUES (10, 'old', 99)");
    assert_int_equal(told.events, events);
    corm_observer_cancel(told.observer);
}

static void errors_are_clear(void **state) {
    (void)state;
    corm_observer *observer = NULL;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observe_options made;
    corm_observe_options_init(&made);
    assert_memory_equal(&made, &options, sizeof made);
    GIVES(CORM_E_MISUSE, corm_database_observe(db, NULL, &observer, &failure));
    GIVES(CORM_E_MISUSE, corm_database_observe(db, &options, &observer, &failure));
    GIVES(CORM_E_MISUSE, corm_database_observe(NULL, &options, &observer, &failure));
    options.model = (corm_model *)db;
    GIVES(CORM_E_MISUSE, corm_database_observe(db, &options, &observer, &failure));
    options.model = people;
    GIVES(CORM_E_MISUSE, corm_database_observe(db, &options, NULL, &failure));
    corm_value key[] = {corm_value_text("x"), corm_value_int64(1)};
    options.key = key;
    options.key_count = 1;
    GIVES(CORM_E_TYPE, corm_database_observe(db, &options, &observer, &failure));
    options.key_count = 2;
    GIVES(CORM_E_BINDING, corm_database_observe(db, &options, &observer, &failure));
    corm_region regions[] = {{.table = "nothing"}, {.table = "person"}};
    const char *const columns[] = {"none"};
    options = (corm_observe_options){.struct_size = sizeof options, .regions = regions, .region_count = 1};
    GIVES(CORM_E_SCHEMA, corm_database_observe(db, &options, &observer, &failure));
    regions[0] = (corm_region){.table = "person", .columns = columns, .column_count = 1};
    GIVES(CORM_E_SCHEMA, corm_database_observe(db, &options, &observer, &failure));
    corm_query query = CORM_QUERY_INIT;
    options = (corm_observe_options){.struct_size = sizeof options, .query = &query};
    query.sql = "DELETE FROM person";
    GIVES(CORM_E_MISUSE, corm_database_observe(db, &options, &observer, &failure));
    query.sql = "SELECT 1";
    GIVES(CORM_E_MISUSE, corm_database_observe(db, &options, &observer, &failure));
    query.sql = "SELEC";
    GIVES(CORM_E_SQL, corm_database_observe(db, &options, &observer, &failure));
    query.sql = "SELECT name FROM person";
    options.live = true;
    const char *const keys[] = {"id"};
    options.key_columns = keys;
    options.key_column_count = 1;
    GIVES(CORM_E_MISUSE, corm_database_observe(db, &options, &observer, &failure));
    options.key_column_count = 0;
    run("BEGIN");
    GIVES(CORM_E_TRANSACTION, corm_database_observe(db, &options, &observer, &failure));
    run("ROLLBACK");
    /* Nothing is left of all these. */
    listener told = {0};
    listen((corm_observe_options){.model = people}, &told, count);
    int32_t descriptor;
    GIVES(CORM_E_MISUSE, corm_observer_descriptor(told.observer, &descriptor, &failure));
    corm_observer_cancel(told.observer);
    corm_event *event;
    GIVES(CORM_E_MISUSE, corm_observer_next(told.observer, &event, &failure));
    GIVES(CORM_E_MISUSE, corm_event_change(NULL, 0, NULL, &failure));
    corm_event_free(NULL);
    corm_observer_cancel(NULL);
    assert_int_equal(corm_event_row_count(NULL) + corm_event_change_count(NULL) + corm_event_is_foreign(NULL), 0);
}

static void another_connection_is_noticed(void **state) {
    (void)state;
    listener told = {0}, live = {0};
    corm_query query = CORM_QUERY_INIT;
    listen((corm_observe_options){.model = people}, &told, count);
    listen((corm_observe_options){.model = people, .query = &query, .live = true}, &live, note_rows);
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
        run("UPDATE person SET age = ifnull(age, 0) % 20 + 1");
    usleep(50000);
    assert_int_equal(told.foreign, foreign);
    /* While this connection reads a snapshot, it cannot look; it does when it is done. */
    corm_result *result;
    OK(corm_result_open(db, "SELECT * FROM person UNION ALL SELECT * FROM person", NULL, 0, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_database_execute(other, "UPDATE person SET name = 'y'", NULL, 0, NULL, &failure));
    usleep(20000);
    assert_int_equal(told.foreign, foreign);
    corm_result_close(result);
    assert_true(comes(&told.foreign, foreign + 1));
    /* Another journal, whose file comes and goes. */
    corm_observer_cancel(live.observer);
    OK(corm_database_close(other, &failure));
    run("PRAGMA journal_mode = DELETE");
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.journal_mode = CORM_JOURNAL_DELETE;
    OK(corm_database_open(path_to("test.db"), &options, &other, &failure));
    usleep(50000);
    foreign = told.foreign;
    for (int index = 1; index <= 3; index += 1) {
        OK(corm_database_execute(other, "UPDATE person SET name = name || 'z'", NULL, 0, NULL, &failure));
        assert_true(comes(&told.foreign, foreign + index));
    }
    corm_observer_cancel(told.observer);
    OK(corm_database_close(other, &failure));
}

static void a_thousand_observers_are_told(void **state) {
    (void)state;
    static listener all[1000];
    memset(all, 0, sizeof all);
    for (int index = 0; index < 1000; index += 1)
        listen((corm_observe_options){.model = people}, &all[index], count);
    run("INSERT INTO person(name) VALUES ('x')");
    for (int index = 0; index < 1000; index += 1)
        assert_int_equal(all[index].events, 1);
    for (int index = 0; index < 999; index += 1)
        corm_observer_cancel(all[index].observer);
    OK(corm_database_close(db, &failure));
    corm_observer_cancel(all[999].observer);
    for (int index = 0; index < 1000; index += 1)
        assert_int_equal(all[index].released, 1);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
}

static void *write_and_stop(void *stop) {
    while (!atomic_load((atomic_bool *)stop))
        corm_database_execute(db, "INSERT INTO person(name) VALUES ('t')", NULL, 0, NULL, NULL);
    return NULL;
}

static void observers_come_and_go_while_others_write(void **state) {
    (void)state;
    atomic_bool stop = false;
    pthread_t threads[2];
    for (int index = 0; index < 2; index += 1)
        assert_int_equal(pthread_create(&threads[index], NULL, write_and_stop, &stop), 0);
    static listener all[200];
    memset(all, 0, sizeof all);
    for (int index = 0; index < 200; index += 1) {
        corm_query query = CORM_QUERY_INIT;
        query.sql = "SELECT count(*) FROM person";
        corm_observe_options watched = {.model = people};
        corm_observe_options live = {.query = &query, .live = true};
        listen(index % 2 ? live : watched, &all[index], count);
        usleep(200);
        corm_observer_cancel(all[index].observer);
    }
    atomic_store(&stop, true);
    for (int index = 0; index < 2; index += 1)
        pthread_join(threads[index], NULL);
    for (int index = 0; index < 200; index += 1)
        assert_int_equal(all[index].released, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_callback_may_cancel_its_observer),
        TEST(a_callback_may_write),
        TEST(a_callback_may_close_the_database),
        TEST(a_callback_that_blocks_holds_no_other_thread_up),
        TEST(a_live_query_tells_its_rows_and_what_is_new),
        TEST(errors_are_clear),
        TEST(another_connection_is_noticed),
        TEST(a_thousand_observers_are_told),
        TEST(observers_come_and_go_while_others_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
