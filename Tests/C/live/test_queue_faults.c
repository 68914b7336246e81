/* Write queues: writes that fail or end what is not theirs, locks, and disks that are full. */
#include "queues.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void add_held(step *steps, int count) {
    hold_queue();
    for (int index = 0; index < count; index += 1) {
        step *one = &steps[index];
        one->told = 99;
        corm_write_options options = {.struct_size = sizeof options, .callback = note_step, .context = one};
        OK(corm_queue_add(queue, one->body ? one->body : run_step, one, &options, NULL, &failure));
    }
}

/* Runs the steps as one group: each must be told what it expects. */
static void run_group(step *steps, int count) {
    add_held(steps, count);
    let_go();
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
    /* On a slow machine a group may end by its time. */
    for (int turn = 0; turn < 20 && steps[0].runs != 2; turn += 1) {
        steps[0].runs = steps[2].runs = 0;
        OK(corm_database_execute_script(db, "DELETE FROM person", &failure));
        run_group(steps, 4);
        assert_int_equal(select_int(COUNT), 2);
        assert_string_equal(select_text("SELECT name FROM person WHERE id = 1"), "c");
        assert_int_equal(steps[2].runs, 1);
    }
    assert_int_equal(steps[0].runs, 2);
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
        {.sql = INSERT "; COMMIT", .expected = CORM_E_TRANSACTION, .message = "COMMIT stands"},
        {.sql = INSERT "; END", .expected = CORM_E_TRANSACTION},
        {.sql = INSERT},
        {.body = commit_too_often},
        {.sql = INSERT "; ROLLBACK", .expected = CORM_E_TRANSACTION, .message = "ROLLBACK stands"},
        {.sql = "ROLLBACK; BEGIN; " INSERT, .expected = CORM_E_TRANSACTION},
        {.sql = "BEGIN", .expected = CORM_E_TRANSACTION},
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

/* What it failed for was rolled back with the write whose it was. */
static void what_met_a_write_that_is_gone_is_run_again(void **state) {
    (void)state;
    OK(corm_database_execute_script(db,
                                    "CREATE TABLE pet (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person "
                                    "DEFERRABLE INITIALLY DEFERRED)",
                                    &failure));
    const char *ada = "INSERT INTO person (id, name, height) VALUES (1, 'Ada', 1)";
    step steps[] = {
        {.sql = "INSERT INTO person (id, name, height) VALUES (1, 'gone', 1); INSERT INTO pet (owner) VALUES (77)",
         .expected = CORM_E_FOREIGN_KEY},
        {.sql = ada},
        {.sql = ada, .expected = CORM_E_UNIQUE},
    };
    run_group(steps, 3);
    assert_string_equal(select_text("SELECT group_concat(name) FROM person"), "Ada");
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
        corm_write_options how = {.struct_size = sizeof how, .callback = note_step, .context = &steps[index]};
        OK(corm_queue_add(queue, run_step, &steps[index], &how, NULL, &failure));
    }
    OK(corm_queue_flush(queue, &failure));
    for (int index = 0; index < 5; index += 1)
        assert_int_equal(steps[index].told + steps[index].runs, CORM_E_BUSY);
    /* They wait together. */
    assert_in_range(milliseconds() - began, 400, 1400);
    OK(corm_transaction_commit(other, &failure));
    OK(corm_queue_perform(queue, run_step, &steps[0], &failure));
    assert_int_equal(select_int(COUNT), 1);
    OK(corm_database_close(other, &failure));
}

/* What is written beyond the file size that the process may have is refused, at the end of the transaction. */
static void limit_files(rlim_t size) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_commit_that_fails_is_told_to_the_whole_group(void **state) {
    (void)state;
    struct stat log;
    signal(SIGXFSZ, SIG_IGN);
    insert_people(1);
    step steps[] = {{.sql = INSERT, .expected = CORM_E_IO}, {.sql = INSERT, .expected = CORM_E_IO}};
    assert_int_equal(stat(path_to("test.db-wal"), &log), 0);
    limit_files((rlim_t)log.st_size);
    run_group(steps, 2);
    limit_files(RLIM_INFINITY);
    assert_int_equal(steps[0].runs + steps[1].runs, 2);
    assert_int_equal(select_int(COUNT), 1);
    step after[] = {{.sql = INSERT}, {.sql = INSERT}};
    run_group(after, 2);
    assert_int_equal(select_int(COUNT), 3);
}

static void leave_a_transaction_open(void) {
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, NULL) == CORM_OK);
    CHECK(execute(INSERT));
}

static void what_a_thread_left_open_is_told_once(void **state) {
    (void)state;
    step one = {.sql = INSERT};
    on_thread(leave_a_transaction_open);
    GIVES(CORM_E_TRANSACTION, corm_queue_perform(queue, run_step, &one, &failure));
    OK(corm_queue_perform(queue, run_step, &one, &failure));
    assert_int_equal(select_int(COUNT), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_write_that_rolls_all_back_takes_no_other_with_it),
        TEST(a_write_ends_no_transaction_but_its_own),
        TEST(a_deferred_foreign_key_is_its_own_writes_error),
        TEST(what_met_a_write_that_is_gone_is_run_again),
        TEST(a_full_disk_is_told_to_each_write_and_the_queue_goes_on),
        TEST(a_lock_of_another_process_is_told_to_the_whole_group),
        TEST(a_commit_that_fails_is_told_to_the_whole_group),
        TEST(what_a_thread_left_open_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
