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

static void transactions_of_threads_overlap(void **state) {
    (void)state;
    const char *url = getenv("CORMORANT_POSTGRES");
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_database *file = db;
    pthread_t threads[WRITERS];
    if (!url)
        skip();
    options.writer_count = WRITERS;
    options.busy_timeout = 2000;
    OK(corm_database_open(url, &options, &db, &failure));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(transactions_of_threads_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
