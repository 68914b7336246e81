/* Write queues: the order of writes, what each is told, waiting, cancelling, closing. */
#include "queues.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

static corm_status run_sql(corm_database *database, void *sql, corm_error **error) {
    return corm_database_execute(database, sql, CORM_NO_VALUES, NULL, error);
}

/* What was told, in its order. */
static corm_status told[2000];
static int64_t numbers[2000];
static char tags[2000][8];
static atomic_int told_count;

static void note(corm_completion *completion, void *context) {
    (void)context;
    int index = atomic_load(&told_count);
    const corm_completion_info *info = corm_completion_info_get(completion);
    told[index] = info->status;
    numbers[index] = info->number;
    const char *tag = info->tag;
    snprintf(tags[index], sizeof tags[index], "%s", tag ? tag : "");
    CHECK((info->error == NULL) == (told[index] == CORM_OK));
    atomic_store(&told_count, index + 1);
}

static void add(const char *sql, const char *tag) {
    corm_write_options options = {.struct_size = sizeof options, .tag = tag, .callback = note};
    OK(corm_queue_add(queue, run_sql, (void *)sql, &options, NULL, &failure));
}

static void writes_run_in_their_order_and_each_is_told_its_own_result(void **state) {
    (void)state;
    told_count = 0;
    hold_queue();
    add("INSERT INTO person (id, name, height) VALUES (1, 'first', 0)", "a");
    add("INSERT INTO person (id, name, height) VALUES (1, 'second', 0)", "b");
    add("UPDATE person SET name = name || '!' WHERE id = 1", NULL);
    add("INSERT INTO nothing VALUES (1)", "d");
    assert_int_equal(corm_queue_count(queue), 4);
    assert_int_equal(told_count, 0);
    let_go();
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(told_count, 4);
    const corm_status expected[] = {CORM_OK, CORM_E_UNIQUE, CORM_OK, CORM_E_SQL};
    for (int index = 0; index < 4; index += 1) {
        assert_int_equal(told[index], expected[index]);
        assert_int_equal(numbers[index], index + 2);
    }
    assert_string_equal(tags[0], "a");
    assert_string_equal(tags[2], "");
    assert_string_equal(select_text("SELECT name FROM person"), "first!");
}

static int64_t commits;

static void count_commits(const char *sql, int64_t nanoseconds, void *context) {
    (void)nanoseconds, (void)context;
    commits += strcmp(sql, "COMMIT") == 0;
}

static void writes_that_wait_share_a_commit(void **state) {
    (void)state;
    told_count = 0;
    commits = 0;
    OK(corm_database_set_trace(db, count_commits, NULL, &failure));
    hold_queue();
    for (int index = 0; index < 1000; index += 1)
        add(INSERT, NULL);
    let_go();
    OK(corm_queue_flush(queue, &failure));
    OK(corm_database_set_trace(db, NULL, NULL, &failure));
    /* Fewer than a few, but for machines so slow that a group ends by its time. */
    assert_in_range(commits, 1, 300);
    assert_int_equal(told_count, 1000);
    assert_int_equal(select_int(COUNT), 1000);
}

static void *perform_some(void *index) {
    for (int round = 0; round < 50; round += 1) {
        char sql[100];
        snprintf(sql, sizeof sql, "INSERT INTO person (name, height) VALUES ('%d', %d)", (int)(intptr_t)index, round);
        CHECK(corm_queue_perform(queue, run_sql, sql, NULL) == CORM_OK);
        CHECK(select_number("SELECT count(*) FROM person") > round);
        corm_error *error = NULL;
        CHECK(corm_queue_perform(queue, run_sql, "INSERT INTO person (id) VALUES (1)", &error) == CORM_E_NOT_NULL);
        CHECK(strcmp(columns_of(error), "name") == 0);
        corm_error_free(error);
    }
    return NULL;
}

static void threads_wait_each_for_its_own_result(void **state) {
    (void)state;
    start_threads(perform_some, 8);
    join_threads();
    assert_int_equal(select_int(COUNT), 400);
    /* Each thread's writes came in its order. */
    assert_int_equal(select_int("SELECT count(*) FROM person a JOIN person b ON a.name = b.name AND a.id < b.id "
                                "AND a.height > b.height"),
                     0);
}

static void a_full_queue_makes_adding_wait(void **state) {
    (void)state;
    OK(corm_queue_close(queue, &failure));
    corm_queue_options options = CORM_QUEUE_OPTIONS_INIT;
    options.capacity = 2;
    OK(corm_queue_open(db, &options, &queue, &failure));
    told_count = 0;
    hold_queue();
    add(INSERT, NULL);
    add(INSERT, NULL);
    corm_write_options patience = CORM_WRITE_OPTIONS_INIT;
    int64_t begin = milliseconds();
    patience.busy_timeout = -1;
    GIVES(CORM_E_BUSY, corm_queue_add(queue, run_sql, INSERT, &patience, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "full"));
    assert_in_range(milliseconds() - begin, 0, 40);
    patience.busy_timeout = 60;
    begin = milliseconds();
    GIVES(CORM_E_BUSY, corm_queue_add(queue, run_sql, INSERT, &patience, NULL, &failure));
    assert_in_range(milliseconds() - begin, 60, 2000);
    start_threads(perform_some, 2);
    wait_milliseconds(50);
    assert_int_equal(corm_queue_count(queue), 2);
    let_go();
    join_threads();
    assert_int_equal(select_int(COUNT), 102);
}

static atomic_int waiter;

static void *wait_to_be_cancelled(void *unused) {
    (void)unused;
    waiter = (int)corm_thread_id();
    CHECK(corm_queue_perform(queue, run_sql, INSERT, NULL) == CORM_E_INTERRUPTED);
    return NULL;
}

static void a_thread_that_is_cancelled_takes_its_write_back(void **state) {
    (void)state;
    hold_queue();
    waiter = 0;
    start_threads(wait_to_be_cancelled, 1);
    while (waiter == 0 || corm_queue_count(queue) == 0)
        wait_milliseconds(1);
    corm_thread_cancel(db, waiter);
    join_threads();
    assert_int_equal(corm_queue_count(queue), 0);
    int64_t number = 0;
    told_count = 0;
    corm_write_options options = {.struct_size = sizeof options, .callback = note};
    OK(corm_queue_add(queue, run_sql, INSERT, &options, &number, &failure));
    OK(corm_queue_cancel(queue, number, &failure));
    GIVES(CORM_NOT_FOUND, corm_queue_cancel(queue, number, &failure));
    GIVES(CORM_NOT_FOUND, corm_queue_cancel(queue, 1, &failure));
    let_go();
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(told_count, 0);
    assert_int_equal(select_int(COUNT), 0);
}

static void a_thread_that_is_cancelled_adds_nothing(void **state) {
    (void)state;
    corm_thread_cancel(db, corm_thread_id());
    GIVES(CORM_E_INTERRUPTED, corm_queue_add(queue, run_sql, INSERT, NULL, NULL, &failure));
    corm_thread_resume();
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
}

static void a_write_that_another_thread_cancels_ends_the_wait_for_it(void **state) {
    (void)state;
    hold_queue();
    waiter = 0;
    start_threads(wait_to_be_cancelled, 1);
    while (waiter == 0 || corm_queue_count(queue) == 0)
        wait_milliseconds(1);
    /* The next number behind the one that holds it. */
    OK(corm_queue_cancel(queue, 2, &failure));
    join_threads();
    let_go();
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(select_int(COUNT), 0);
}

static void *close_it(void *unused) {
    (void)unused;
    CHECK(corm_queue_close(queue, NULL) == CORM_OK);
    return NULL;
}

static void a_full_queue_that_closes_is_closed(void **state) {
    (void)state;
    OK(corm_queue_close(queue, &failure));
    OK(corm_queue_open(db, CORM_STRUCT_(corm_queue_options, .capacity = 1), &queue, &failure));
    hold_queue();
    add(INSERT, NULL);
    start_threads(close_it, 1);
    corm_status status = CORM_E_BUSY;
    for (int64_t end = milliseconds() + 3000; status == CORM_E_BUSY && milliseconds() < end; wait_milliseconds(1))
        status = corm_queue_add(queue, run_sql, INSERT, CORM_WRITE(.busy_timeout = -1), NULL, NULL);
    let_go();
    join_threads();
    assert_int_equal(status, CORM_E_MISUSE);
    assert_int_equal(select_int(COUNT), 1);
}

static void closing_runs_what_waits(void **state) {
    (void)state;
    told_count = 0;
    hold_queue();
    for (int index = 0; index < 100; index += 1)
        add(INSERT, NULL);
    let_go();
    OK(corm_queue_close(queue, &failure));
    assert_int_equal(told_count, 100);
    assert_int_equal(select_int(COUNT), 100);
    GIVES(CORM_E_MISUSE, corm_queue_close(queue, &failure));
    GIVES(CORM_E_MISUSE, corm_queue_add(queue, run_sql, INSERT, NULL, NULL, &failure));
    OK(corm_queue_close(NULL, &failure));
    /* One that was never used. */
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_queue_flush(queue, &failure));
    OK(corm_queue_close(queue, &failure));
}

static void closing_the_database_closes_its_queues(void **state) {
    (void)state;
    told_count = 0;
    hold_queue();
    for (int index = 0; index < 100; index += 1)
        add(INSERT, NULL);
    let_go();
    OK(corm_database_close(db, &failure));
    assert_int_equal(told_count, 100);
    GIVES(CORM_E_MISUSE, corm_queue_add(queue, run_sql, INSERT, NULL, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "queue is closed"));
    OK(corm_queue_close(queue, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    assert_int_equal(select_int(COUNT), 100);
    OK(corm_queue_open(db, NULL, &queue, &failure));
}

static void listeners_are_told_by_tag(void **state) {
    (void)state;
    corm_listener *all, *some;
    OK(corm_listener_open(queue, NULL, &all, &failure));
    corm_listen_options options = {.struct_size = sizeof options, .tag = "b"};
    OK(corm_listener_open(queue, &options, &some, &failure));
    int32_t descriptor;
    OK(corm_listener_descriptor(some, &descriptor, &failure));
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 0), 0);
    add(INSERT, "a");
    add("INSERT INTO nothing VALUES (1)", "b");
    assert_int_equal(poll(&ready, 1, 10000), 1);
    corm_completion *completion = NULL;
    GIVES(CORM_ROW, corm_listener_next(some, &completion, &failure));
    const corm_completion_info *info = corm_completion_info_get(completion);
    assert_string_equal(info->tag, "b");
    assert_int_equal(info->number, 2);
    assert_int_equal(info->status, CORM_E_SQL);
    assert_non_null(strstr(corm_error_message(info->error), "nothing"));
    corm_completion_free(completion);
    corm_completion_free(NULL);
    GIVES(CORM_AGAIN, corm_listener_next(some, &completion, &failure));
    assert_int_equal(poll(&ready, 1, 0), 0);
    OK(corm_queue_flush(queue, &failure));
    hold_queue();
    add(INSERT, "c");
    let_go();
    OK(corm_queue_close(queue, &failure));
    assert_int_equal(poll(&ready, 1, 0), 1);
    GIVES(CORM_DONE, corm_listener_next(some, &completion, &failure));
    /* What waited at the close is among them: two, the one that held it, and one. */
    for (int index = 0; index < 4; index += 1) {
        GIVES(CORM_ROW, corm_listener_next(all, &completion, &failure));
        corm_completion_free(completion);
    }
    GIVES(CORM_DONE, corm_listener_next(all, &completion, &failure));
    corm_listener_close(some);
    corm_listener_close(all);
    corm_listener_close(all);
    GIVES(CORM_E_MISUSE, corm_listener_next(all, &completion, &failure));
}

static atomic_int asked, written;

static corm_status read_until_written(corm_database *database, void *out_count, corm_error **error) {
    corm_status status = corm_query_count(database, people, NULL, out_count, error);
    atomic_store(&asked, 1);
    while (status == CORM_OK && !atomic_load(&written))
        wait_milliseconds(1);
    return status;
}

static void the_queue_of_a_handle_that_reads_keeps_no_write_waiting(void **state) {
    (void)state;
    corm_database *reader = NULL;
    corm_queue *reads = NULL;
    int64_t count = -1;
    OK(corm_database_open(path_to("test.db"), CORM_OPEN(.mode = CORM_OPEN_READ_ONLY), &reader, &failure));
    OK(corm_queue_open(reader, NULL, &reads, &failure));
    OK(corm_queue_add(reads, read_until_written, &count, NULL, NULL, &failure));
    while (!atomic_load(&asked))
        wait_milliseconds(1);
    corm_status status = corm_database_execute(db, INSERT, CORM_NO_VALUES, NULL, NULL);
    atomic_store(&written, 1);
    OK(corm_queue_close(reads, &failure));
    OK(corm_database_close(reader, &failure));
    assert_int_equal(status, CORM_OK);
    assert_int_equal(count, 0);
    assert_int_equal(select_int(COUNT), 1);
}

static corm_queue *questions;

/* Ends when another one waits behind it. */
static corm_status read_until_another_waits(corm_database *database, void *out_count, corm_error **error) {
    corm_status status = corm_query_count(database, people, NULL, out_count, error);
    atomic_store(&asked, 1);
    while (status == CORM_OK && corm_queue_count(questions) == 0)
        wait_milliseconds(1);
    return status;
}

static corm_status count_people(corm_database *database, void *out_count, corm_error **error) {
    return corm_query_count(database, people, NULL, out_count, error);
}

static void what_is_asked_after_a_commit_sees_it(void **state) {
    (void)state;
    corm_database *reader = NULL;
    int64_t before = -1, after = -1;
    OK(corm_database_open(path_to("test.db"), CORM_OPEN(.mode = CORM_OPEN_READ_ONLY), &reader, &failure));
    OK(corm_queue_open(reader, NULL, &questions, &failure));
    atomic_store(&asked, 0);
    OK(corm_queue_add(questions, read_until_another_waits, &before, NULL, NULL, &failure));
    while (!atomic_load(&asked))
        wait_milliseconds(1);
    OK(corm_database_execute(db, INSERT, CORM_NO_VALUES, NULL, &failure));
    OK(corm_queue_perform(questions, count_people, &after, &failure));
    OK(corm_queue_close(questions, &failure));
    OK(corm_database_close(reader, &failure));
    assert_int_equal(before, 0);
    assert_int_equal(after, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(writes_run_in_their_order_and_each_is_told_its_own_result),
        TEST(writes_that_wait_share_a_commit),
        TEST(threads_wait_each_for_its_own_result),
        TEST(a_full_queue_makes_adding_wait),
        TEST(a_thread_that_is_cancelled_takes_its_write_back),
        TEST(a_thread_that_is_cancelled_adds_nothing),
        TEST(a_write_that_another_thread_cancels_ends_the_wait_for_it),
        TEST(a_full_queue_that_closes_is_closed),
        TEST(closing_runs_what_waits),
        TEST(closing_the_database_closes_its_queues),
        TEST(listeners_are_told_by_tag),
        TEST(the_queue_of_a_handle_that_reads_keeps_no_write_waiting),
        TEST(what_is_asked_after_a_commit_sees_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
