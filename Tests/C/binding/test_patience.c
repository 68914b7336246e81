/* Threads of a pool, which wait for a reader as long as it takes. */
#include "threads.h"

#include <cormorant-binding.h>

static void *read_one(void *context) {
    int64_t count = 0;
    corm_python_set_patience(context != NULL);
    return (void *)(intptr_t)corm_query_count(db, people, NULL, &count, NULL);
}

/* finding python.md B9 */
static void a_patient_thread_waits_for_a_reader_of_another(void **state) {
    (void)state;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_database *whole = db;
    void *status = NULL;
    pthread_t thread;
    options.busy_timeout = 20;
    options.reader_count = 1;
    OK(corm_database_open(corm_database_path(whole), &options, &db, &failure));
    /* Where no patient thread has it, it may never be given back. */
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    pthread_create(&thread, NULL, read_one, &options);
    pthread_join(thread, &status);
    assert_int_equal((corm_status)(intptr_t)status, CORM_E_BUSY);
    OK(corm_transaction_rollback(db, &failure));
    /* Where one has it that may keep it for ever, work that is patient reads by the connection that writes. */
    corm_python_set_patience(2);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    pthread_create(&thread, NULL, read_one, &options);
    pthread_join(thread, &status);
    assert_int_equal((corm_status)(intptr_t)status, CORM_OK);
    pthread_create(&thread, NULL, read_one, NULL);
    pthread_join(thread, &status);
    assert_int_equal((corm_status)(intptr_t)status, CORM_E_BUSY);
    OK(corm_transaction_rollback(db, &failure));
    corm_python_set_patience(1);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    corm_python_set_patience(0);
    pthread_create(&thread, NULL, read_one, NULL);
    pthread_join(thread, &status);
    assert_int_equal((corm_status)(intptr_t)status, CORM_E_BUSY);
    pthread_create(&thread, NULL, read_one, &options);
    wait_milliseconds(200);
    OK(corm_transaction_rollback(db, &failure));
    pthread_join(thread, &status);
    assert_int_equal((corm_status)(intptr_t)status, CORM_OK);
    OK(corm_database_close(db, &failure));
    db = whole;
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(a_patient_thread_waits_for_a_reader_of_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
