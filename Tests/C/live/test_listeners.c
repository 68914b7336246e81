/* Listeners: what callbacks may do, and what happens to those that are in the way. */
#include "listeners.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void cancel_oneself(corm_event *event, corm_error *error, void *context) {
    count(event, error, context);
    corm_observer_close(((listener *)context)->observer);
    assert_int_equal(((listener *)context)->released, 0);
}

static void a_callback_may_cancel_its_observer(void **state) {
    (void)state;
    listener told = {0};
    listen_to((corm_observe_options){.model = people}, &told, cancel_oneself);
    insert_people(3);
    assert_int_equal(told.events, 1);
    assert_int_equal(told.released, 1);
}

static void write_more(corm_event *event, corm_error *error, void *context) {
    count(event, error, context);
    if (atomic_load(&((listener *)context)->events) < 5)
        run_script("UPDATE person SET age = age + 1");
}

static void a_callback_may_write(void **state) {
    (void)state;
    insert_people(1);
    listener told = {0};
    listen_to((corm_observe_options){.model = people}, &told, write_more);
    run_script("UPDATE person SET age = 0");
    assert_int_equal(told.events, 5);
    assert_int_equal(select_int("SELECT age FROM person"), 4);
    corm_observer_close(told.observer);
}

static void close_all(corm_event *event, corm_error *error, void *context) {
    count(event, error, context);
    OK(corm_database_close(db, &failure));
}

static void a_callback_may_close_the_database(void **state) {
    (void)state;
    listener told = {0}, other = {0};
    listen_to((corm_observe_options){.model = people}, &told, close_all);
    listen_to((corm_observe_options){.model = people}, &other, count);
    insert_people(1);
    assert_int_equal(told.events, 1);
    corm_observer_close(told.observer);
    corm_observer_close(other.observer);
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
    listen_to((corm_observe_options){.model = people}, &told, hold);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, insert_one, NULL), 0);
    assert_true(comes(&told.events, 1));
    for (int index = 0; index < 10; index += 1)
        run_script("INSERT INTO person(name) VALUES ('x')");
    assert_int_equal(select_int("SELECT count(*) FROM person"), 11);
    assert_int_equal(told.events, 1);
    /* Cancelled while its callback runs: the context is given back when that is over. */
    corm_observer_close(told.observer);
    assert_int_equal(told.released, 0);
    atomic_store(&told.holds, false);
    pthread_join(thread, NULL);
    assert_int_equal(told.events, 1);
    assert_true(comes(&told.released, 1));
}

static atomic_bool has_begun, may_end;

static void *hold_a_transaction(void *unused) {
    (void)unused;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL));
    atomic_store(&has_begun, true);
    while (!atomic_load(&may_end))
        usleep(500);
    OK(corm_transaction_commit(db, NULL));
    return NULL;
}

static void a_cancelled_observer_gives_its_context_back_while_others_have_the_database(void **state) {
    (void)state;
    listener told = {0};
    listen_to((corm_observe_options){.model = people}, &told, count);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hold_a_transaction, NULL), 0);
    while (!atomic_load(&has_begun))
        usleep(500);
    corm_observer_close(told.observer);
    assert_int_equal(told.released, 1);
    atomic_store(&may_end, true);
    pthread_join(thread, NULL);
}

static void a_thousand_observers_are_told(void **state) {
    (void)state;
    static listener all[1000];
    memset(all, 0, sizeof all);
    for (int index = 0; index < 1000; index += 1)
        listen_to((corm_observe_options){.model = people}, &all[index], count);
    run_script("INSERT INTO person(name) VALUES ('x')");
    for (int index = 0; index < 1000; index += 1)
        assert_int_equal(all[index].events, 1);
    for (int index = 0; index < 999; index += 1)
        corm_observer_close(all[index].observer);
    OK(corm_database_close(db, &failure));
    corm_observer_close(all[999].observer);
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
        listen_to(index % 2 ? live : watched, &all[index], count);
        usleep(200);
        corm_observer_close(all[index].observer);
    }
    atomic_store(&stop, true);
    for (int index = 0; index < 2; index += 1)
        pthread_join(threads[index], NULL);
    for (int index = 0; index < 200; index += 1)
        assert_true(comes(&all[index].released, 1));
}

static void a_group_of_a_queue_is_one_event_with_what_stays_of_it(void **state) {
    (void)state;
    listener told = {0};
    corm_queue *queue;
    corm_batch *batch;
    listen_to((corm_observe_options){.model = people}, &told, count);
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    /* On a slow machine a group may end by its time. */
    for (int turn = 0; turn < 20 && told.events != 1; turn += 1) {
        OK(corm_database_execute_script(db, "DELETE FROM person", &failure));
        told.events = 0;
        OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
        for (int index = 0; index < 4; index += 1) {
            OK(corm_batch_execute(batch, "INSERT INTO person(name) VALUES ('x')", CORM_NO_VALUES, &failure));
            if (index % 2)
                OK(corm_batch_execute(batch, "INSERT INTO person(name) VALUES (NULL)", CORM_NO_VALUES, &failure));
            OK(corm_batch_commit(batch, CORM_BATCH_ROLLBACK, NULL, NULL, &failure));
        }
        OK(corm_transaction_commit(db, &failure));
        OK(corm_queue_flush(queue, &failure));
        assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
    }
    OK(corm_queue_close(queue, &failure));
    assert_int_equal(told.events, 1);
    corm_observer_close(told.observer);
    corm_batch_free(batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_callback_may_cancel_its_observer),
        TEST(a_callback_may_write),
        TEST(a_callback_may_close_the_database),
        TEST(a_callback_that_blocks_holds_no_other_thread_up),
        TEST(a_cancelled_observer_gives_its_context_back_while_others_have_the_database),
        TEST(a_thousand_observers_are_told),
        TEST(observers_come_and_go_while_others_write),
        TEST(a_group_of_a_queue_is_one_event_with_what_stays_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
