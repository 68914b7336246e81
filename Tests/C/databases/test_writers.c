/* Threads that write to one database of the server of CORMORANT_POSTGRES at once: each has a connection to itself. */
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>

#define WRITERS 2

static pthread_barrier_t barrier;

static void *write_beside_the_other(void *given) {
    int64_t rows = (intptr_t)given, changes = 0;
    char insert[100], count[100];
    /* A table each: reading all of one that the other writes to would be a conflict. */
    snprintf(insert, sizeof insert, "INSERT INTO corm_writers%d SELECT a FROM generate_series(1, ?1::int) AS a",
             (int)rows);
    snprintf(count, sizeof count, "SELECT count(*) FROM corm_writers%d", (int)rows);
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    CHECK(corm_database_execute(db, insert, CORM_VALUES(corm_value_int64(rows)), &changes, NULL) == CORM_OK);
    /* Both stand in their transactions. */
    pthread_barrier_wait(&barrier);
    CHECK(changes == rows && corm_database_changes(db) == rows);
    CHECK(select_number(count) == rows);
    pthread_barrier_wait(&barrier);
    CHECK(corm_transaction_commit(db, NULL) == CORM_OK);
    CHECK(corm_database_changes(db) == rows);
    return NULL;
}

/* Opens the server's database in the place of the file; false where there is none. */
static bool open_server(int writers, corm_database **file) {
    const char *url = getenv("CORMORANT_POSTGRES");
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    *file = db;
    options.writer_count = writers;
    options.busy_timeout = 20000;
    if (url)
        OK(corm_database_open(url, &options, &db, &failure));
    return url != NULL;
}

static void transactions_of_threads_overlap(void **state) {
    (void)state;
    corm_database *file;
    pthread_t threads[WRITERS];
    if (!open_server(WRITERS, &file))
        skip();
    OK(corm_database_execute_script(db,
                                    "DROP TABLE IF EXISTS corm_writers3, corm_writers4;"
                                    "CREATE TABLE corm_writers3 (a int); CREATE TABLE corm_writers4 (a int)",
                                    &failure));
    pthread_barrier_init(&barrier, NULL, WRITERS);
    for (intptr_t index = 0; index < WRITERS; index += 1)
        pthread_create(&threads[index], NULL, write_beside_the_other, (void *)(index + 3));
    for (int index = 0; index < WRITERS; index += 1)
        pthread_join(threads[index], NULL);
    assert_int_equal(mistakes, 0);
    assert_int_equal(
        select_number("SELECT (SELECT count(*) FROM corm_writers3) + (SELECT count(*) FROM corm_writers4)"), 7);
    OK(corm_database_execute_script(db, "DROP TABLE corm_writers3, corm_writers4", &failure));
    OK(corm_database_close(db, &failure));
    db = file;
    pthread_barrier_destroy(&barrier);
}

#define THREADS 8
#define ROUNDS 40

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int64_t written, traced;

static void count(int64_t *number, int64_t more) {
    pthread_mutex_lock(&counting);
    *number += more;
    pthread_mutex_unlock(&counting);
}

static void trace(const char *sql, int64_t nanoseconds, void *context) {
    (void)sql;
    (void)nanoseconds;
    count(context, 1);
}

/* Three rows in a transaction, which is rolled back each fourth time, or where it is in another's way. */
static void write_three(int round) {
    const char *insert = "INSERT INTO corm_writers5 SELECT ?1::int FROM generate_series(1, 3)";
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    corm_status status = corm_database_execute(db, insert, CORM_VALUES(corm_value_int64(round)), NULL, NULL);
    CHECK(status == CORM_OK || status == CORM_E_CONFLICT);
    if (status == CORM_OK && round % 4 != 0 && corm_transaction_commit(db, NULL) == CORM_OK)
        count(&written, 3);
    else
        CHECK(corm_transaction_rollback(db, NULL) == CORM_OK);
}

static void *write_and_read(void *given) {
    (void)given;
    for (int round = 0; round < ROUNDS; round += 1) {
        CHECK(execute("INSERT INTO corm_writers5 VALUES (1)"));
        CHECK(corm_database_changes(db) == 1);
        count(&written, 1);
        write_three(round);
        CHECK(select_number("SELECT count(*) FROM corm_writers5") > 0);
    }
    return NULL;
}

/* ThreadSanitizer looks on in the suite tsan. */
static void many_threads_share_few_writers(void **state) {
    (void)state;
    corm_database *file;
    if (!open_server(3, &file))
        skip();
    OK(corm_database_execute_script(db, "DROP TABLE IF EXISTS corm_writers5; CREATE TABLE corm_writers5 (a int)",
                                    &failure));
    start_threads(write_and_read, THREADS);
    for (int round = 0; round < 10; round += 1) {
        OK(corm_database_set_trace(db, round % 2 == 0 ? trace : NULL, &traced, &failure));
        wait_milliseconds(5);
    }
    join_threads();
    assert_int_equal(mistakes, 0);
    assert_int_equal(select_number("SELECT count(*) FROM corm_writers5"), written);
    assert_true(traced > 0);
    OK(corm_database_execute_script(db, "DROP TABLE corm_writers5", &failure));
    OK(corm_database_close(db, &failure));
    db = file;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(transactions_of_threads_overlap),
        TEST(many_threads_share_few_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
