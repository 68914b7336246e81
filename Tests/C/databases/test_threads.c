/* One handle among several threads. */
#include "threads.h"

#define THREADS 4
#define EACH 250

static void *write_many(void *unused) {
    (void)unused;
    corm_arena *arena = corm_arena_create();
    for (int number = 0; number < EACH; number += 1) {
        person one = {.name = "t"};
        person found;
        CHECK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, NULL) == CORM_OK);
        CHECK(corm_record_find(db, people, CORM_VALUES(corm_value_int64(one.id)), &found, arena, NULL) == CORM_OK);
        CHECK(found.id == one.id);
    }
    corm_arena_free(arena);
    return NULL;
}

static void *write_in_transactions(void *unused) {
    (void)unused;
    for (int number = 0; number < EACH; number += 1) {
        int64_t before;
        int64_t after;
        person one = {.name = "t"};
        CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
        CHECK(corm_query_count(db, people, NULL, &before, NULL) == CORM_OK);
        CHECK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, NULL) == CORM_OK);
        CHECK(corm_query_count(db, people, NULL, &after, NULL) == CORM_OK);
        CHECK(after == before + 1);
        CHECK(corm_transaction_depth(db) == 1);
        CHECK(corm_transaction_commit(db, NULL) == CORM_OK);
    }
    return NULL;
}

static void run(void *(*work)(void *)) {
    start_threads(work, THREADS);
    join_threads();
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

static int64_t written;

static void *write_from_outside(void *unused) {
    (void)unused;
    person one = {.name = "later"};
    CHECK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, NULL) == CORM_OK);
    __atomic_store_n(&written, one.id, __ATOMIC_SEQ_CST);
    return NULL;
}

static void writes_of_others_wait_for_a_transaction(void **state) {
    (void)state;
    written = 0;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    insert_people(3);
    start_threads(write_from_outside, 1);
    wait_milliseconds(100);
    assert_int_equal(__atomic_load_n(&written, __ATOMIC_SEQ_CST), 0);
    OK(corm_transaction_commit(db, &failure));
    join_threads();
    assert_int_equal(written, 4);
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
        forget_failure();
        corm_status status = corm_record_insert_many(db, people, batch, 100, CORM_CONFLICT_ABORT, NULL, NULL, &failure);
        if (status == CORM_OK)
            inserted += 100;
        else
            check_status(CORM_E_INTERRUPTED, status, "corm_record_insert_many", __FILE__, __LINE__);
        assert_int_equal(corm_transaction_depth(db), 0);
    }
    pthread_join(thread, NULL);
    assert_int_equal(select_int("SELECT count(*) FROM person"), inserted);
}

static void a_cancelled_thread_does_nothing_until_it_resumes(void **state) {
    (void)state;
    person one = {.name = "x"};
    int64_t me = corm_thread_id(), count = -1;
    assert_true(me > 0 && me == corm_thread_id());
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    insert_people(1);
    corm_thread_cancel(db, me);
    corm_thread_cancel(db, me);
    GIVES(CORM_E_INTERRUPTED, corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_INTERRUPTED, corm_query_count(db, people, NULL, &count, &failure));
    /* What is open can be ended. */
    OK(corm_transaction_rollback(db, &failure));
    GIVES(CORM_E_INTERRUPTED, corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    corm_thread_resume();
    corm_thread_resume();
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(many_write_at_once),
        TEST(transactions_do_not_mix),
        TEST(writes_of_others_wait_for_a_transaction),
        TEST(interrupts_at_any_time_harm_nothing),
        TEST(a_cancelled_thread_does_nothing_until_it_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
