/* Waiting for events and completions with a limit of time. */
#include "support.h"

static void observers_are_waited_for(void **state) {
    (void)state;
    corm_observer *observer;
    corm_event *event;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    options.model = people;
    OK(corm_observer_open(db, &options, &observer, &failure));
    GIVES(CORM_AGAIN, corm_observer_wait(observer, 0, &failure));
    int64_t start = milliseconds();
    GIVES(CORM_AGAIN, corm_observer_wait(observer, 60, &failure));
    assert_true(milliseconds() - start >= 50);
    insert_people(1);
    OK(corm_observer_wait(observer, 10000, &failure));
    OK(corm_observer_wait(observer, -1, &failure));
    GIVES(CORM_ROW, corm_observer_next(observer, &event, &failure));
    corm_event_free(event);
    GIVES(CORM_AGAIN, corm_observer_wait(observer, 0, &failure));
    corm_observer_close(observer);
    GIVES(CORM_E_MISUSE, corm_observer_wait(observer, 0, &failure));
    GIVES(CORM_E_MISUSE, corm_observer_wait(NULL, -1, &failure));
    GIVES(CORM_E_MISUSE, corm_listener_wait(NULL, -1, &failure));
}

static void completions_are_waited_for(void **state) {
    (void)state;
    corm_queue *queue;
    corm_listener *listener;
    corm_completion *completion;
    corm_batch *batch;
    person ada = {.name = "Ada"};
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_listener_open(queue, NULL, &listener, &failure));
    GIVES(CORM_AGAIN, corm_listener_wait(listener, 0, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    OK(corm_batch_insert(batch, people, &ada, CORM_CONFLICT_ABORT, &failure));
    OK(corm_batch_commit(batch, CORM_BATCH_ROLLBACK, NULL, NULL, &failure));
    OK(corm_listener_wait(listener, 10000, &failure));
    GIVES(CORM_ROW, corm_listener_next(listener, &completion, &failure));
    corm_completion_free(completion);
    GIVES(CORM_AGAIN, corm_listener_wait(listener, 0, &failure));
    corm_batch_free(batch);
    OK(corm_queue_close(queue, &failure));
    OK(corm_listener_wait(listener, -1, &failure));
    GIVES(CORM_DONE, corm_listener_next(listener, &completion, &failure));
    corm_listener_close(listener);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(observers_are_waited_for), TEST(completions_are_waited_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
