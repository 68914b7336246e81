/* Write queues: writes that fail, end what is not theirs, call back, and disks that are full. */
#include "threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT "SELECT count(*) FROM person"
#define INSERT "INSERT INTO person (name, height) VALUES ('x', 0)"

static corm_queue *queue;

static int open_queue(void **state) { return set_up(state) != 0 || corm_queue_open(db, NULL, &queue, NULL) != CORM_OK; }

static int close_queue(void **state) {
    corm_queue_close(queue, NULL);
    return tear_down(state);
}

#undef TEST
#define TEST(function) cmocka_unit_test_setup_teardown(function, open_queue, close_queue)

/* One write of a group that is added while the queue's thread is held, and what it was told. */
typedef struct {
    const char *sql;
    corm_queue_body body;
    corm_status expected;
    const char *message;
    int runs;
    corm_status told;
    char text[200];
} step;

static corm_status run_sql(corm_database *database, void *context, corm_error **error) {
    step *one = context;
    one->runs += 1;
    return corm_database_execute_script(database, one->sql, error);
}

static void note(corm_completion *completion, void *context) {
    step *one = context;
    one->told = corm_completion_status(completion);
    corm_error *error = corm_completion_error(completion);
    snprintf(one->text, sizeof one->text, "%s", error ? corm_error_message(error) : "");
}

static atomic_bool is_held, may_go;

static corm_status hold(corm_database *database, void *context, corm_error **error) {
    (void)database, (void)context, (void)error;
    atomic_store(&is_held, true);
    while (!atomic_load(&may_go))
        wait_milliseconds(1);
    return CORM_OK;
}

static void add_held(step *steps, int count) {
    atomic_store(&is_held, false);
    atomic_store(&may_go, false);
    OK(corm_queue_add(queue, hold, NULL, NULL, NULL, &failure));
    while (!atomic_load(&is_held))
        wait_milliseconds(1);
    for (int index = 0; index < count; index += 1) {
        step *one = &steps[index];
        one->told = 99;
        corm_write_options options = {.struct_size = sizeof options, .callback = note, .context = one};
        OK(corm_queue_add(queue, one->body ? one->body : run_sql, one, &options, NULL, &failure));
    }
}

/* Runs the steps as one group: each must be told what it expects. */
static void run_group(step *steps, int count) {
    add_held(steps, count);
    atomic_store(&may_go, true);
    OK(corm_queue_flush(queue, &failure));
    for (int index = 0; index < count; index += 1) {
        if (steps[index].told != steps[index].expected ||
            (steps[index].message && !strstr(steps[index].text, steps[index].message)))
            fail_msg("step %d gave %s: %s", index, corm_status_name(steps[index].told), steps[index].text);
    }
    assert_int_equal(corm_transaction_depth(db), 0);
}

static void a_write_that_rolls_all_back_takes_no_other_with_it(void **state) {
    (void)state;
    step steps[] = {
        {.sql = "INSERT INTO person (id, name, height) VALUES (1, 'a', 0)"},
        {.sql = INSERT},
        {.sql = "INSERT OR ROLLBACK INTO person (id, name, height) VALUES (1, 'b', 0)", .expected = CORM_E_UNIQUE},
        {.sql = "UPDATE person SET name = 'c' WHERE id = 1"},
    };
    run_group(steps, 4);
    assert_int_equal(select_int(COUNT), 2);
    assert_string_equal(select_text("SELECT name FROM person WHERE id = 1"), "c");
    assert_int_equal(steps[0].runs, 2);
    assert_int_equal(steps[2].runs, 1);
}

static corm_status commit_too_often(corm_database *database, void *context, corm_error **error) {
    (void)context, (void)error;
    CHECK(execute(INSERT));
    CHECK(corm_transaction_begin(database, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    CHECK(corm_transaction_commit(database, NULL) == CORM_OK);
    CHECK(corm_transaction_commit(database, NULL) == CORM_E_TRANSACTION);
    CHECK(corm_transaction_rollback(database, NULL) == CORM_E_TRANSACTION);
    return CORM_OK;
}

static corm_status leave_open(corm_database *database, void *context, corm_error **error) {
    (void)context;
    CHECK(execute(INSERT));
    return corm_transaction_begin(database, CORM_TRANSACTION_IMMEDIATE, error);
}

static void a_write_ends_no_transaction_but_its_own(void **state) {
    (void)state;
    mistakes = 0;
    step steps[] = {
        {.sql = INSERT},
        {.sql = INSERT "; COMMIT", .expected = CORM_E_TRANSACTION, .message = "queue's group"},
        {.sql = INSERT "; END", .expected = CORM_E_TRANSACTION},
        {.sql = INSERT},
        {.body = commit_too_often},
        {.sql = INSERT "; ROLLBACK", .expected = CORM_E_TRANSACTION, .message = "ended its group's transaction"},
        {.sql = "ROLLBACK; BEGIN; " INSERT, .expected = CORM_E_SQL},
        {.sql = "BEGIN", .expected = CORM_E_SQL},
        {.body = leave_open, .expected = CORM_E_TRANSACTION, .message = "left a transaction open"},
        {.sql = INSERT},
    };
    run_group(steps, 10);
    assert_int_equal(mistakes, 0);
    assert_int_equal(select_int(COUNT), 4);
}

static void a_deferred_foreign_key_is_its_own_writes_error(void **state) {
    (void)state;
    OK(corm_database_execute_script(db,
                                    "CREATE TABLE pet (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person "
                                    "DEFERRABLE INITIALLY DEFERRED)",
                                    &failure));
    step steps[] = {
        {.sql = INSERT},
        {.sql = "INSERT INTO pet (owner) VALUES (77)", .expected = CORM_E_FOREIGN_KEY},
        {.sql = "INSERT INTO pet (owner) SELECT max(id) FROM person"},
    };
    run_group(steps, 3);
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 1);
}

static void a_full_disk_is_told_to_each_write_and_the_queue_goes_on(void **state) {
    (void)state;
    insert_people(10);
    char pragma[60];
    snprintf(pragma, sizeof pragma, "PRAGMA max_page_count = %d", (int)select_int("PRAGMA page_count") + 2);
    OK(corm_database_execute_script(db, pragma, &failure));
    const char *big = "INSERT INTO person (name, height) VALUES (hex(randomblob(20000)), 1)";
    step steps[] = {
        {.sql = INSERT}, {.sql = big, .expected = CORM_E_FULL}, {.sql = INSERT}, {.sql = big, .expected = CORM_E_FULL}};
    run_group(steps, 4);
    assert_int_equal(select_int(COUNT), 12);
    OK(corm_database_execute_script(db, "PRAGMA max_page_count = 1000000", &failure));
    step after[] = {{.sql = big}, {.sql = INSERT}};
    run_group(after, 2);
    assert_int_equal(select_int(COUNT), 14);
}

static void a_lock_of_another_process_is_told_to_the_whole_group(void **state) {
    (void)state;
    corm_database *other;
    OK(corm_queue_close(queue, &failure));
    OK(corm_database_close(db, &failure));
    corm_open_options options = {.struct_size = sizeof options, .busy_timeout = 500};
    OK(corm_database_open(path_to("test.db"), &options, &db, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &other, &failure));
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_transaction_begin(other, CORM_TRANSACTION_IMMEDIATE, &failure));
    int64_t began = milliseconds();
    step steps[5];
    for (int index = 0; index < 5; index += 1) {
        steps[index] = (step){.sql = INSERT};
        corm_write_options how = {.struct_size = sizeof how, .callback = note, .context = &steps[index]};
        OK(corm_queue_add(queue, run_sql, &steps[index], &how, NULL, &failure));
    }
    OK(corm_queue_flush(queue, &failure));
    for (int index = 0; index < 5; index += 1)
        assert_int_equal(steps[index].told + steps[index].runs, CORM_E_BUSY);
    /* They wait together. */
    assert_in_range(milliseconds() - began, 400, 1400);
    OK(corm_transaction_commit(other, &failure));
    OK(corm_queue_perform(queue, run_sql, &steps[0], &failure));
    assert_int_equal(select_int(COUNT), 1);
    OK(corm_database_close(other, &failure));
}

static corm_status call_the_queue(corm_database *database, void *context, corm_error **error) {
    step *one = context;
    CHECK(corm_queue_perform(queue, run_sql, one, NULL) == CORM_E_MISUSE);
    CHECK(corm_queue_flush(queue, NULL) == CORM_E_MISUSE);
    CHECK(corm_queue_close(queue, NULL) == CORM_E_MISUSE);
    CHECK(corm_database_close(database, NULL) == CORM_E_MISUSE);
    CHECK(corm_transaction_depth(database) == 2);
    return corm_queue_add(queue, run_sql, one, NULL, NULL, error);
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
    return corm_queue_add(queue, run_sql, context, NULL, NULL, error);
}

static void add_from_callback(corm_completion *completion, void *context) {
    note(completion, context);
    CHECK(execute(INSERT));
    CHECK(corm_queue_add(queue, run_sql, context, NULL, NULL, NULL) == CORM_OK);
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

static void waiting_inside_a_transaction_is_refused(void **state) {
    (void)state;
    step one = {.sql = INSERT};
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    GIVES(CORM_E_TRANSACTION, corm_queue_flush(queue, &failure));
    GIVES(CORM_E_TRANSACTION, corm_queue_perform(queue, run_sql, &one, &failure));
    assert_non_null(strstr(corm_error_message(failure), "transaction that is open on this thread"));
    OK(corm_queue_add(queue, run_sql, &one, NULL, NULL, &failure));
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

static int in_child(void) {
    step one = {.sql = INSERT};
    corm_listener *listener;
    int wrong = corm_queue_add(queue, run_sql, &one, NULL, NULL, NULL) != CORM_E_MISUSE;
    wrong += corm_queue_perform(queue, run_sql, &one, NULL) != CORM_E_MISUSE;
    wrong += corm_queue_flush(queue, NULL) != CORM_E_MISUSE;
    wrong += corm_queue_listen(queue, NULL, &listener, NULL) != CORM_E_MISUSE;
    wrong += corm_queue_close(queue, NULL) != CORM_OK;
    wrong += corm_database_close(db, NULL) != CORM_OK;
    return wrong;
}

static void a_child_of_a_fork_is_refused(void **state) {
    (void)state;
    step one = {.sql = INSERT};
    OK(corm_queue_perform(queue, run_sql, &one, &failure));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(in_child());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(corm_queue_perform(queue, run_sql, &one, &failure));
    assert_int_equal(select_int(COUNT), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_write_that_rolls_all_back_takes_no_other_with_it),
        TEST(a_write_ends_no_transaction_but_its_own),
        TEST(a_deferred_foreign_key_is_its_own_writes_error),
        TEST(a_full_disk_is_told_to_each_write_and_the_queue_goes_on),
        TEST(a_lock_of_another_process_is_told_to_the_whole_group),
        TEST(a_write_cannot_wait_for_its_own_queue),
        TEST(what_is_added_on_the_queues_thread_runs_later),
        TEST(waiting_inside_a_transaction_is_refused),
        TEST(a_body_may_fail_with_a_status_alone),
        TEST(a_child_of_a_fork_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
