/* One handle among several threads. */
#include "support.h"

#include <pthread.h>
#include <time.h>

#define THREADS 4
#define EACH 250

/* cmocka's checks work on the main thread only, so threads count what goes wrong. */
static int mistakes;
static void check(bool good) {
    if (!good)
        __atomic_add_fetch(&mistakes, 1, __ATOMIC_SEQ_CST);
}

static void wait_milliseconds(long time) { nanosleep(&(struct timespec){.tv_nsec = time * 1000000}, NULL); }

static void *write_many(void *unused) {
    (void)unused;
    for (int number = 0; number < EACH; number += 1) {
        person one = {.name = "t"};
        person found;
        check(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, NULL) == CORM_OK);
        check(corm_record_find(db, people, CORM_VALUES(corm_value_int64(one.id)), &found, NULL, NULL) == CORM_OK);
        check(found.id == one.id);
    }
    return NULL;
}

static void *write_in_transactions(void *unused) {
    (void)unused;
    for (int number = 0; number < EACH; number += 1) {
        int64_t before;
        int64_t after;
        person one = {.name = "t"};
        check(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
        check(corm_query_count(db, people, NULL, &before, NULL) == CORM_OK);
        check(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, NULL) == CORM_OK);
        check(corm_query_count(db, people, NULL, &after, NULL) == CORM_OK);
        check(after == before + 1);
        check(corm_transaction_depth(db) == 1);
        check(corm_transaction_commit(db, NULL) == CORM_OK);
    }
    return NULL;
}

static void run(void *(*work)(void *)) {
    pthread_t threads[THREADS];
    mistakes = 0;
    for (int index = 0; index < THREADS; index += 1)
        pthread_create(&threads[index], NULL, work, NULL);
    for (int index = 0; index < THREADS; index += 1)
        pthread_join(threads[index], NULL);
    assert_int_equal(mistakes, 0);
    assert_int_equal(select_int("SELECT count(*) FROM person"), THREADS * EACH);
}

static void many_write_at_once(void **state) {
    (void)state;
    run(write_many);
}

static void transactions_do_not_mix(void **state) {
    (void)state;
    run(write_in_transactions);
}

static int64_t seen = -1;

static void *look_from_outside(void *unused) {
    (void)unused;
    /* Not this thread's transaction: neither counted, committed nor rolled back here. */
    check(corm_transaction_depth(db) == 0);
    check(corm_query_count(db, people, NULL, &seen, NULL) == CORM_OK);
    check(corm_transaction_commit(db, NULL) == CORM_E_TRANSACTION);
    check(corm_transaction_rollback(db, NULL) == CORM_E_TRANSACTION);
    return NULL;
}

static void others_wait_for_a_transaction(void **state) {
    (void)state;
    pthread_t thread;
    mistakes = 0;
    seen = -1;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    insert_people(3);
    pthread_create(&thread, NULL, look_from_outside, NULL);
    wait_milliseconds(100);
    assert_int_equal(__atomic_load_n(&seen, __ATOMIC_SEQ_CST), -1);
    OK(corm_transaction_commit(db, &failure));
    pthread_join(thread, NULL);
    assert_int_equal(seen, 3);
    assert_int_equal(mistakes, 0);
}

static void *interrupt_often(void *unused) {
    (void)unused;
    for (int round = 0; round < 200; round += 1) {
        corm_database_interrupt(db);
        wait_milliseconds(1);
    }
    return NULL;
}

static void interrupts_at_any_time_harm_nothing(void **state) {
    (void)state;
    pthread_t thread;
    int64_t inserted = 0;
    pthread_create(&thread, NULL, interrupt_often, NULL);
    for (int round = 0; round < 50; round += 1) {
        person batch[100] = {{0}};
        for (int index = 0; index < 100; index += 1)
            batch[index].name = "x";
        corm_status status = corm_record_insert_many(db, people, batch, 100, CORM_CONFLICT_ABORT, NULL, NULL, NULL);
        assert_true(status == CORM_OK || status == CORM_E_INTERRUPTED);
        if (status == CORM_OK)
            inserted += 100;
        assert_int_equal(corm_transaction_depth(db), 0);
    }
    pthread_join(thread, NULL);
    assert_int_equal(select_int("SELECT count(*) FROM person"), inserted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(many_write_at_once),
        TEST(transactions_do_not_mix),
        TEST(others_wait_for_a_transaction),
        TEST(interrupts_at_any_time_harm_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
