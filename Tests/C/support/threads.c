#include "threads.h"

#include <stdio.h>

#define MOST_THREADS 16

int mistakes;
static pthread_t threads[MOST_THREADS];
static int thread_count;

void check_at(bool good, const char *what, int line) {
    if (good)
        return;
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    __atomic_add_fetch(&mistakes, 1, __ATOMIC_SEQ_CST);
}

void wait_milliseconds(long time) {
    nanosleep(&(struct timespec){.tv_sec = time / 1000, .tv_nsec = time % 1000 * 1000000}, NULL);
}

void start_threads(void *(*work)(void *), int count) {
    mistakes = 0;
    thread_count = count;
    for (intptr_t index = 0; index < count; index += 1)
        assert_int_equal(pthread_create(&threads[index], NULL, work, (void *)index), 0);
}

void join_threads(void) {
    for (int index = 0; index < thread_count; index += 1)
        pthread_join(threads[index], NULL);
    assert_int_equal(mistakes, 0);
}

static void *call(void *work) {
    ((void (*)(void))(intptr_t)work)();
    return NULL;
}

void on_thread(void (*work)(void)) {
    pthread_t thread;
    mistakes = 0;
    assert_int_equal(pthread_create(&thread, NULL, call, (void *)(intptr_t)work), 0);
    pthread_join(thread, NULL);
    assert_int_equal(mistakes, 0);
}

int64_t select_number(const char *sql) {
    corm_result *result;
    corm_value value = {0};
    if (corm_result_open(db, sql, CORM_NO_VALUES, &result, NULL) != CORM_OK)
        return -1;
    bool found = corm_result_next(result, NULL) == CORM_ROW && corm_result_get(result, 0, &value, NULL) == CORM_OK;
    corm_result_close(result);
    return found ? value.as.integer : -1;
}

bool execute(const char *sql) { return corm_database_execute(db, sql, CORM_NO_VALUES, NULL, NULL) == CORM_OK; }
