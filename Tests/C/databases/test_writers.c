/* Threads that write to one database of the server of CORMORANT_POSTGRES at once: each has a connection to itself. */
#include "threads.h"

#define WRITERS 2

static corm_database *server;
static pthread_barrier_t barrier;

static int64_t number_of(const char *sql) {
    int64_t number = -1;
    corm_result *result = NULL;
    CHECK(corm_database_query(server, sql, CORM_NO_VALUES, &result, NULL) == CORM_OK);
    if (result && corm_result_next(result, NULL) == CORM_ROW)
        number = corm_result_int64(result, 0);
    corm_result_close(result);
    return number;
}

static void *write_beside_the_other(void *given) {
    int64_t rows = (intptr_t)given, changes = 0;
    /* They stand in their transactions at the same time, or the first waits for the second until its busy timeout. */
    CHECK(corm_transaction_begin(server, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    CHECK(corm_database_execute(server, "INSERT INTO corm_writers SELECT a FROM generate_series(1, ?1::int) AS a",
                                CORM_VALUES(corm_value_int64(rows)), &changes, NULL) == CORM_OK);
    pthread_barrier_wait(&barrier);
    CHECK(changes == rows && corm_database_changes(server) == rows);
    CHECK(number_of("SELECT count(*) FROM corm_writers") == rows);
    pthread_barrier_wait(&barrier);
    CHECK(corm_transaction_commit(server, NULL) == CORM_OK);
    CHECK(corm_database_changes(server) == rows);
    return NULL;
}

static void transactions_of_threads_overlap(void **state) {
    (void)state;
    const char *url = getenv("CORMORANT_POSTGRES");
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    pthread_t threads[WRITERS];
    if (!url)
        skip();
    options.writer_count = WRITERS;
    options.busy_timeout = 2000;
    OK(corm_database_open(url, &options, &server, &failure));
    OK(corm_database_execute_script(server, "DROP TABLE IF EXISTS corm_writers; CREATE TABLE corm_writers (a int)", &failure));
    pthread_barrier_init(&barrier, NULL, WRITERS);
    for (intptr_t index = 0; index < WRITERS; index += 1)
        pthread_create(&threads[index], NULL, write_beside_the_other, (void *)(index + 3));
    for (int index = 0; index < WRITERS; index += 1)
        pthread_join(threads[index], NULL);
    assert_int_equal(number_of("SELECT count(*) FROM corm_writers"), 7);
    OK(corm_database_execute_script(server, "DROP TABLE corm_writers", &failure));
    OK(corm_database_close(server, &failure));
    pthread_barrier_destroy(&barrier);
}
