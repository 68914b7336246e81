/* Threads that end, processes that fork, handles that close, readers that never stop: what goes wrong among threads. */
#include "threads.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT "SELECT count(*) FROM person"

static void insert_one(void) { CHECK(execute("INSERT INTO person (name, height) VALUES ('x', 0)")); }

static void leave_a_transaction_open(void) {
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    insert_one();
}

static void what_a_thread_left_open_is_rolled_back(void **state) {
    (void)state;
    for (int round = 0; round < 3; round += 1) {
        on_thread(leave_a_transaction_open);
        assert_int_equal(corm_transaction_depth(db), 0);
        assert_int_equal(select_int(COUNT), round);
        int64_t began = milliseconds();
        GIVES(CORM_E_TRANSACTION, corm_database_execute(db, "DELETE FROM person", CORM_NO_VALUES, NULL, &failure));
        assert_non_null(strstr(corm_error_message(failure), "a thread ended with its transaction open"));
        assert_in_range(milliseconds() - began, 0, 2000);
        insert_people(1);
        on_thread(insert_one);
        OK(corm_database_execute(db, "DELETE FROM person WHERE name = 'x'", CORM_NO_VALUES, NULL, &failure));
    }
}

static void a_handle_with_such_a_transaction_can_be_closed(void **state) {
    (void)state;
    on_thread(leave_a_transaction_open);
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    assert_int_equal(select_int(COUNT), 0);
}

static void leave_a_read_transaction_open(void) {
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_READ, NULL) == CORM_OK);
}

static void read_transactions_left_open_keep_no_reader(void **state) {
    (void)state;
    for (int round = 0; round < 10; round += 1)
        on_thread(leave_a_read_transaction_open);
    int64_t began = milliseconds();
    assert_int_equal(select_int(COUNT), 0);
    assert_in_range(milliseconds() - began, 0, 2000);
    on_thread(leave_a_read_transaction_open);
    insert_people(1);
}

static corm_result *left;

static void leave_a_cursor_in_a_read_transaction(void) {
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_READ, NULL) == CORM_OK);
    CHECK(corm_result_open(db, "SELECT id FROM person", CORM_NO_VALUES, &left, NULL) == CORM_OK);
    CHECK(corm_result_next(left, NULL) == CORM_ROW);
}

static void their_cursors_that_another_thread_closes_keep_no_reader(void **state) {
    (void)state;
    insert_people(2);
    for (int round = 0; round < 10; round += 1) {
        on_thread(leave_a_cursor_in_a_read_transaction);
        corm_result_close(left);
    }
    int64_t began = milliseconds();
    for (int round = 0; round < 10; round += 1) {
        on_thread(leave_a_read_transaction_open);
        OK(corm_database_set_trace(db, NULL, NULL, &failure));
    }
    assert_int_equal(select_int(COUNT), 2);
    assert_in_range(milliseconds() - began, 0, 2000);
}

/* In a child: reports by its exit status, since cmocka's checks are the parent's. */
static int in_child(bool opens) {
    corm_error *error = NULL;
    int64_t count;
    int wrong = 0;
    wrong += corm_query_count(db, people, NULL, &count, &error) != CORM_E_MISUSE;
    wrong += strstr(corm_error_message(error), "forked") == NULL;
    corm_error_free(error);
    wrong += corm_database_execute(db, "DELETE FROM person", CORM_NO_VALUES, NULL, NULL) != CORM_E_MISUSE;
    wrong += corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) != CORM_E_MISUSE;
    wrong += corm_transaction_begin(db, CORM_TRANSACTION_READ, NULL) != CORM_E_MISUSE;
    wrong += corm_transaction_commit(db, NULL) >= 0;
    wrong += corm_database_last_insert_id(db) != 0;
    wrong += corm_database_close(db, NULL) != CORM_OK;
    if (!opens)
        return wrong;
    corm_database *own = NULL;
    wrong += corm_database_open(path_to("test.db"), NULL, &own, NULL) != CORM_OK;
    db = own;
    insert_one();
    wrong += corm_database_close(own, NULL) != CORM_OK;
    return wrong + mistakes;
}

static void *transact_slowly(void *unused) {
    (void)unused;
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    wait_milliseconds(300);
    CHECK(corm_transaction_rollback(db, NULL) == CORM_OK);
    return NULL;
}

static void fork_and_check(bool opens) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(in_child(opens));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_child_of_a_fork_is_refused(void **state) {
    (void)state;
    insert_people(1);
    fork_and_check(true);
    assert_int_equal(select_int(COUNT), 2);
    on_thread(insert_one);
    fork_and_check(true);
    assert_int_equal(select_int(COUNT), 4);
    start_threads(transact_slowly, 1);
    wait_milliseconds(50);
    /* SQLite takes the locks of a transaction that is open for those of the child. */
    fork_and_check(false);
    join_threads();
    assert_int_equal(select_int(COUNT), 4);
}

static int reopened_in_child(void) {
    corm_error *error = NULL;
    corm_database *memory = NULL;
    int64_t count = 0;
    int wrong = corm_database_open(":memory:", NULL, &memory, NULL) != CORM_OK;
    wrong += corm_database_reopen(memory, &error) != CORM_E_MISUSE;
    wrong += error == NULL || strstr(corm_error_message(error), "opened the database itself") == NULL;
    corm_error_free(error);
    corm_database_close(memory, NULL);
    wrong += corm_database_reopen(db, NULL) != CORM_OK;
    wrong += corm_query_count(db, people, NULL, &count, NULL) != CORM_OK || count != 1;
    insert_one();
    wrong += corm_database_reopen(db, NULL) != CORM_E_MISUSE;
    wrong += corm_database_close(db, NULL) != CORM_OK;
    wrong += corm_database_reopen(db, NULL) != CORM_E_MISUSE;
    return wrong + mistakes;
}

static void a_child_of_a_fork_reopens_the_database(void **state) {
    (void)state;
    insert_people(1);
    corm_result *left_open = NULL;
    assert_int_equal(corm_result_open(db, COUNT, CORM_NO_VALUES, &left_open, &failure), CORM_OK);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(reopened_in_child());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    corm_result_close(left_open);
    assert_int_equal(select_int(COUNT), 2);
}

static int64_t begun, ended, may_end;

static void *transact_until_told(void *unused) {
    (void)unused;
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    while (__atomic_load_n(&may_end, __ATOMIC_SEQ_CST) == 0)
        wait_milliseconds(1);
    CHECK(corm_transaction_rollback(db, NULL) == CORM_OK);
    return NULL;
}

static void *count_to_many(void *unused) {
    (void)unused;
    const char *sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    corm_error *error = NULL;
    corm_result *result;
    CHECK(corm_result_open(db, sql, CORM_NO_VALUES, &result, NULL) == CORM_OK);
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    CHECK(corm_result_next(result, &error) == CORM_E_INTERRUPTED);
    __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
    corm_error_free(error);
    corm_result_close(result);
    return NULL;
}

static void closing_is_refused_while_others_use_the_database(void **state) {
    (void)state;
    may_end = 0;
    start_threads(transact_until_told, 1);
    wait_milliseconds(50);
    GIVES(CORM_E_MISUSE, corm_database_close(db, &failure));
    __atomic_store_n(&may_end, 1, __ATOMIC_SEQ_CST);
    join_threads();
    begun = ended = 0;
    start_threads(count_to_many, 2);
    while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 2)
        wait_milliseconds(1);
    wait_milliseconds(200);
    GIVES(CORM_E_MISUSE, corm_database_close(db, &failure));
    assert_non_null(strstr(corm_error_message(failure), "in use by another thread"));
    insert_people(1);
    while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) < 2) {
        corm_database_interrupt(db);
        wait_milliseconds(5);
    }
    join_threads();
    assert_int_equal(select_int(COUNT), 1);
    /* What ends soon is waited for. */
    start_threads(transact_slowly, 1);
    wait_milliseconds(50);
    OK(corm_database_close(db, &failure));
    db = NULL;
    join_threads();
}

static void *query_until_closed(void *unused) {
    (void)unused;
    corm_status status = CORM_OK;
    int64_t count;
    while (status == CORM_OK)
        status = corm_query_count(db, people, NULL, &count, NULL);
    CHECK(status == CORM_E_MISUSE);
    return NULL;
}

static void closing_under_queries_ends_them(void **state) {
    (void)state;
    for (int round = 0; round < 4; round += 1) {
        start_threads(query_until_closed, 2);
        wait_milliseconds(round % 5);
        while (corm_database_close(db, NULL) != CORM_OK) {
        }
        join_threads();
        OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    }
}

static void results_of_a_closed_database_say_so(void **state) {
    (void)state;
    corm_result *result;
    insert_people(3);
    on_thread(insert_one);
    OK(corm_result_open(db, "SELECT id FROM person", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    OK(corm_database_close(db, &failure));
    GIVES(CORM_E_MISUSE, corm_result_next(result, &failure));
    corm_result_close(result);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
}

static int64_t is_over;

static void *read_on_and_on(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST))
        CHECK(select_number("SELECT sum(length(name)) FROM person") >= 0);
    return NULL;
}

static void readers_that_never_stop_do_not_let_the_log_grow(void **state) {
    (void)state;
    struct stat file;
    long greatest = 0;
    on_thread(insert_one);
    is_over = 0;
    start_threads(read_on_and_on, 3);
    for (int round = 0; round < 200; round += 1) {
        OK(corm_database_execute(db, "INSERT INTO person (name, height) VALUES (hex(randomblob(100000)), 0)",
                                 CORM_NO_VALUES, NULL, &failure));
        OK(corm_database_execute(db, "DELETE FROM person", CORM_NO_VALUES, NULL, &failure));
        assert_int_equal(stat(path_to("test.db-wal"), &file), 0);
        if (file.st_size > greatest)
            greatest = file.st_size;
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    join_threads();
    assert_in_range(greatest, 1, 30000000);
}

static void *write_on_and_on(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST))
        insert_one();
    return NULL;
}

static void each_thread_gets_its_turn_to_write(void **state) {
    (void)state;
    is_over = 0;
    start_threads(write_on_and_on, 4);
    for (int round = 0; round < 50; round += 1) {
        int64_t began = milliseconds();
        insert_people(1);
        assert_in_range(milliseconds() - began, 0, 1500);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    join_threads();
}

static void count_statement(const char *sql, int64_t nanoseconds, void *context) {
    (void)nanoseconds;
    if (strcmp(sql, COUNT) == 0)
        __atomic_add_fetch((int64_t *)context, 1, __ATOMIC_SEQ_CST);
}

static void *count_some(void *unused) {
    (void)unused;
    for (int round = 0; round < 50; round += 1)
        CHECK(select_number(COUNT) == 1);
    return NULL;
}

static void the_calls_of_all_threads_are_traced(void **state) {
    (void)state;
    int64_t seen = 0;
    insert_people(1);
    on_thread(insert_one);
    OK(corm_database_execute(db, "DELETE FROM person WHERE name = 'x'", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(select_number(COUNT), 1);
    OK(corm_database_set_trace(db, count_statement, &seen, &failure));
    start_threads(count_some, 4);
    join_threads();
    OK(corm_database_set_trace(db, NULL, NULL, &failure));
    assert_int_equal(seen, 200);
    start_threads(count_some, 4);
    join_threads();
    assert_int_equal(seen, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_a_thread_left_open_is_rolled_back),
        TEST(a_handle_with_such_a_transaction_can_be_closed),
        TEST(read_transactions_left_open_keep_no_reader),
        TEST(their_cursors_that_another_thread_closes_keep_no_reader),
        TEST(a_child_of_a_fork_is_refused),
        TEST(a_child_of_a_fork_reopens_the_database),
        TEST(closing_is_refused_while_others_use_the_database),
        TEST(closing_under_queries_ends_them),
        TEST(results_of_a_closed_database_say_so),
        TEST(readers_that_never_stop_do_not_let_the_log_grow),
        TEST(each_thread_gets_its_turn_to_write),
        TEST(the_calls_of_all_threads_are_traced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
