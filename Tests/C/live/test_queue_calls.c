/* Write queues: what bodies and callbacks may call, and who cannot wait for a queue. */
#include "queues.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static corm_status call_the_queue(corm_database *database, void *context, corm_error **error) {
    step *one = context;
    CHECK(corm_queue_perform(queue, run_step, one, NULL) == CORM_E_MISUSE);
    CHECK(corm_queue_flush(queue, NULL) == CORM_E_MISUSE);
    CHECK(corm_queue_close(queue, NULL) == CORM_E_MISUSE);
    CHECK(corm_database_close(database, NULL) == CORM_E_MISUSE);
    CHECK(corm_transaction_depth(database) == 2);
    return corm_queue_add(queue, run_step, one, NULL, NULL, error);
}

static void a_write_cannot_wait_for_its_own_queue(void **state) {
    (void)state;
    mistakes = 0;
    step one = {.sql = INSERT};
    OK(corm_queue_perform(queue, call_the_queue, &one, &failure));
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(one.runs, 1);
    assert_int_equal(mistakes, 0);
}

static corm_status add_from_body(corm_database *database, void *context, corm_error **error) {
    (void)database;
    return corm_queue_add(queue, run_step, context, NULL, NULL, error);
}

static void add_from_callback(corm_completion *completion, void *context) {
    note_step(completion, context);
    CHECK(execute(INSERT));
    CHECK(corm_queue_add(queue, run_step, context, NULL, NULL, NULL) == CORM_OK);
    CHECK(corm_queue_close(queue, NULL) == CORM_E_MISUSE);
    CHECK(corm_database_close(db, NULL) == CORM_E_MISUSE);
}

static void what_is_added_on_the_queues_thread_runs_later(void **state) {
    (void)state;
    mistakes = 0;
    step one = {.sql = INSERT};
    corm_write_options options = {.struct_size = sizeof options, .callback = add_from_callback, .context = &one};
    OK(corm_queue_add(queue, add_from_body, &one, &options, NULL, &failure));
    OK(corm_queue_flush(queue, &failure));
    OK(corm_queue_close(queue, &failure));
    assert_int_equal(one.runs, 2);
    assert_int_equal(mistakes, 0);
    assert_int_equal(select_int(COUNT), 3);
}

/* Adds to the queue of its thread until that is full, as whoever says how long to wait for room. */
static corm_status fill_the_queue(corm_database *database, void *context, corm_error **error) {
    (void)database;
    CHECK(corm_queue_add(queue, run_step, context, NULL, NULL, error) == CORM_OK);
    const int32_t timeouts[] = {0, -1, 10000};
    int64_t begin = milliseconds();
    for (int index = 0; index < 3; index += 1)
        CHECK(corm_queue_add(queue, run_step, context, CORM_WRITE(.busy_timeout = timeouts[index]), NULL, NULL) ==
              CORM_E_BUSY);
    CHECK(corm_queue_add(queue, run_step, context, NULL, NULL, NULL) == CORM_E_BUSY);
    CHECK(milliseconds() - begin < 4000);
    return CORM_OK;
}

static void a_full_queue_is_busy_at_once_on_its_own_thread(void **state) {
    (void)state;
    mistakes = 0;
    step one = {.sql = INSERT};
    OK(corm_queue_close(queue, &failure));
    OK(corm_queue_open(db, CORM_STRUCT_(corm_queue_options, .capacity = 1), &queue, &failure));
    OK(corm_queue_perform(queue, fill_the_queue, &one, &failure));
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(one.runs, 1);
    assert_int_equal(mistakes, 0);
}

static void waiting_inside_a_transaction_is_refused(void **state) {
    (void)state;
    step one = {.sql = INSERT};
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    GIVES(CORM_E_TRANSACTION, corm_queue_flush(queue, &failure));
    GIVES(CORM_E_TRANSACTION, corm_queue_perform(queue, run_step, &one, &failure));
    assert_non_null(strstr(corm_error_message(failure), "transaction that is open on this thread"));
    OK(corm_queue_add(queue, run_step, &one, NULL, NULL, &failure));
    GIVES(CORM_E_TRANSACTION, corm_queue_close(queue, &failure));
    GIVES(CORM_E_TRANSACTION, corm_database_close(db, &failure));
    OK(corm_transaction_commit(db, &failure));
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(one.runs, 1);
}

static corm_status fail_without_error(corm_database *database, void *context, corm_error **error) {
    (void)database, (void)context, (void)error;
    return CORM_E_RANGE;
}

static void a_body_may_fail_with_a_status_alone(void **state) {
    (void)state;
    GIVES(CORM_E_RANGE, corm_queue_perform(queue, fail_without_error, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_queue_perform(queue, NULL, NULL, &failure));
}

static corm_observer *watch;
static corm_listener *listener;
static corm_batch *batch;

static int in_child(void) {
    step one = {.sql = INSERT};
    corm_listener *other;
    int wrong = corm_queue_add(queue, run_step, &one, NULL, NULL, NULL) != CORM_E_MISUSE;
    wrong += corm_queue_perform(queue, run_step, &one, NULL) != CORM_E_MISUSE;
    wrong += corm_queue_flush(queue, NULL) != CORM_E_MISUSE;
    wrong += corm_listener_open(queue, NULL, &other, NULL) != CORM_E_MISUSE;
    /* finding c.md 15: these said CORM_OK. */
    corm_event *event;
    corm_completion *completion;
    int descriptor;
    wrong += corm_observer_next(watch, &event, NULL) != CORM_E_MISUSE;
    wrong += corm_observer_descriptor(watch, &descriptor, NULL) != CORM_E_MISUSE;
    wrong += corm_listener_next(listener, &completion, NULL) != CORM_E_MISUSE;
    wrong += corm_listener_descriptor(listener, &descriptor, NULL) != CORM_E_MISUSE;
    wrong += corm_batch_execute(batch, "SELECT 1", NULL, 0, NULL) != CORM_E_MISUSE;
    wrong += corm_batch_insert(batch, people, &(person){.name = "x"}, 0, NULL) != CORM_E_MISUSE;
    wrong += corm_queue_close(queue, NULL) != CORM_OK;
    wrong += corm_database_close(db, NULL) != CORM_OK;
    return wrong;
}

static void a_child_of_a_fork_is_refused(void **state) {
    (void)state;
    step one = {.sql = INSERT};
    OK(corm_queue_perform(queue, run_step, &one, &failure));
    corm_observe_options options = {.struct_size = sizeof options, .model = people};
    OK(corm_observer_open(db, &options, &watch, &failure));
    OK(corm_listener_open(queue, NULL, &listener, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        /* Another program in its place: valgrind would call lost what the queue's thread has, which a child has not. */
        if (in_child() == 0)
            execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    corm_observer_close(watch);
    corm_listener_close(listener);
    corm_batch_free(batch);
    OK(corm_queue_perform(queue, run_step, &one, &failure));
    assert_int_equal(select_int(COUNT), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_write_cannot_wait_for_its_own_queue),
        TEST(what_is_added_on_the_queues_thread_runs_later),
        TEST(a_full_queue_is_busy_at_once_on_its_own_thread),
        TEST(waiting_inside_a_transaction_is_refused),
        TEST(a_body_may_fail_with_a_status_alone),
        TEST(a_child_of_a_fork_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
