/* Transactions and savepoints. */
#include "support.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t count(void) { return select_int("SELECT count(*) FROM person"); }

static void insert(const char *name) {
    person one = {.name = name};
    OK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
}

static void out_of_order(void **state) {
    (void)state;
    GIVES(CORM_E_TRANSACTION, corm_transaction_commit(db, &failure));
    assert_non_null(corm_error_hint(failure));
    GIVES(CORM_E_TRANSACTION, corm_transaction_rollback(db, &failure));
    GIVES(CORM_E_MISUSE, corm_transaction_begin(db, 77, &failure));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_transaction_commit(db, &failure));
    GIVES(CORM_E_TRANSACTION, corm_transaction_commit(db, &failure));
}

static void a_commit_that_fails_leaves_it_open(void **state) {
    (void)state;
    OK(corm_database_execute_script(db,
                                    "CREATE TABLE parent (id INTEGER PRIMARY KEY);"
                                    "CREATE TABLE child (p REFERENCES parent DEFERRABLE INITIALLY DEFERRED)",
                                    &failure));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_database_execute(db, "INSERT INTO child VALUES (1)", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_FOREIGN_KEY, corm_transaction_commit(db, &failure));
    assert_int_equal(corm_transaction_depth(db), 1);
    OK(corm_database_execute(db, "INSERT INTO parent VALUES (1)", CORM_NO_VALUES, NULL, &failure));
    OK(corm_transaction_commit(db, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM child"), 1);
}

/* finding python.md B2 */
static void left_by_their_numbers(void **state) {
    (void)state;
    int64_t outer = 0, inner = 0;
    OK(corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, &outer, &failure));
    OK(corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, &inner, &failure));
    assert_true(0 < outer && outer < inner);
    insert("kept");
    OK(corm_transaction_close(db, inner, true, &failure));
    GIVES(CORM_E_TRANSACTION, corm_transaction_close(db, inner, false, &failure));
    OK(corm_transaction_close(db, outer, true, &failure));
    assert_int_equal(count(), 1);
    OK(corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, &outer, &failure));
    OK(corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, &inner, &failure));
    insert("lost");
    GIVES(CORM_E_TRANSACTION, corm_transaction_close(db, outer, true, &failure));
    assert_int_equal(corm_transaction_depth(db), 1);
    person one = {.name = "lost, too"};
    GIVES(CORM_E_TRANSACTION, corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_TRANSACTION, corm_transaction_close(db, inner, true, &failure));
    assert_int_equal(corm_transaction_depth(db), 0);
    assert_int_equal(count(), 1);
    GIVES(CORM_E_TRANSACTION, corm_transaction_close(db, 0, true, &failure));
    GIVES(CORM_E_MISUSE, corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, NULL, &failure));
}

static int64_t task_of(void *context) { return *(int64_t *)context; }

static void of_one_task(void **state) {
    (void)state;
    static const int32_t kinds[] = {CORM_TRANSACTION_IMMEDIATE, CORM_TRANSACTION_READ};
    for (int index = 0; index < 2; index += 1) {
        int64_t task = 1, transaction = 0, other = 0;
        OK(corm_transaction_open(db, kinds[index], task_of, &task, &transaction, &failure));
        task = 2;
        int64_t rows;
        GIVES(CORM_E_TRANSACTION, corm_query_count(db, people, NULL, &rows, &failure));
        GIVES(CORM_E_TRANSACTION, corm_transaction_open(db, kinds[index], task_of, &task, &other, &failure));
        task = 1;
        OK(corm_transaction_open(db, kinds[index], task_of, &task, &other, &failure));
        OK(corm_transaction_close(db, other, true, &failure));
        task = 0;
        GIVES(CORM_E_TRANSACTION, corm_transaction_close(db, transaction, true, &failure));
        assert_int_equal(corm_transaction_depth(db), 0);
        /* In no task it is the thread's alone. */
        OK(corm_transaction_open(db, kinds[index], task_of, &task, &transaction, &failure));
        task = 3;
        assert_int_equal(count(), 0);
        OK(corm_transaction_close(db, transaction, true, &failure));
    }
}

static void *close_here(void *transaction) {
    corm_error *error = NULL;
    corm_status status = corm_transaction_close(db, *(int64_t *)transaction, true, &error);
    corm_error_free(error);
    return status == CORM_E_TRANSACTION ? transaction : NULL;
}

static void close_elsewhere(int64_t transaction) {
    pthread_t thread;
    void *told = NULL;
    assert_int_equal(pthread_create(&thread, NULL, close_here, &transaction), 0);
    assert_int_equal(pthread_join(thread, &told), 0);
    assert_non_null(told);
}

static void nothing_runs_outside_one_that_was_taken_away(void **state) {
    (void)state;
    int64_t outer = 0, inner = 0;
    OK(corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, &outer, &failure));
    insert("lost");
    OK(corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, &inner, &failure));
    close_elsewhere(outer);
    person one = {.name = "lost, too"};
    for (int index = 0; index < 3; index += 1) {
        GIVES(CORM_E_TRANSACTION, corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
        GIVES(CORM_E_TRANSACTION, corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
        GIVES(CORM_E_TRANSACTION, corm_transaction_commit(db, &failure));
    }
    assert_int_equal(corm_transaction_depth(db), 1);
    GIVES(CORM_E_TRANSACTION, corm_transaction_close(db, inner, true, &failure));
    assert_int_equal(corm_transaction_depth(db), 0);
    assert_int_equal(count(), 0);
    /* Those without numbers. */
    OK(corm_transaction_open(db, CORM_TRANSACTION_READ, NULL, NULL, &outer, &failure));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    close_elsewhere(outer);
    int64_t rows;
    GIVES(CORM_E_TRANSACTION, corm_query_count(db, people, NULL, &rows, &failure));
    OK(corm_transaction_rollback(db, &failure));
    insert("kept");
    assert_int_equal(count(), 1);
}

static void a_child_forgets_its_parents(void **state) {
    (void)state;
    int64_t transaction = 0;
    for (int commits = 0; commits < 2; commits += 1) {
        OK(corm_transaction_open(db, CORM_TRANSACTION_IMMEDIATE, NULL, NULL, &transaction, &failure));
        insert("parent's");
        pid_t child = fork();
        if (child == 0)
            _exit(corm_transaction_close(db, transaction, commits == 1, NULL) == (commits ? CORM_E_MISUSE : CORM_OK)
                      ? 0
                      : 1);
        int result = -1;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_int_equal(result, 0);
        OK(corm_transaction_close(db, transaction, true, &failure));
        assert_int_equal(count(), commits + 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(out_of_order), TEST(a_commit_that_fails_leaves_it_open),           TEST(left_by_their_numbers),
        TEST(of_one_task),  TEST(nothing_runs_outside_one_that_was_taken_away), TEST(a_child_forgets_its_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
