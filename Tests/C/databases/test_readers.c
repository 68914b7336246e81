/* Reads beside a writer: snapshots, what they see and whom they wait for. */
#include "threads.h"

#include <stdio.h>
#include <string.h>

#define COUNT "SELECT count(*) FROM person"

static void nothing(void) { CHECK(select_number(COUNT) >= 0); }

/* From here on threads share the handle. */
static void share(void) { on_thread(nothing); }

static void open_again(const corm_open_options *options) {
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), options, &db, &failure));
}

static void sees_nothing_yet(void) {
    CHECK(select_number(COUNT) == 0);
    CHECK(corm_record_exists(db, people, CORM_VALUES(corm_value_int64(1)), NULL) == CORM_NOT_FOUND);
    CHECK(corm_transaction_depth(db) == 0);
    CHECK(corm_transaction_commit(db, NULL) == CORM_E_TRANSACTION);
    CHECK(corm_transaction_rollback(db, NULL) == CORM_E_TRANSACTION);
}

static void reads_do_not_wait_for_a_transaction(void **state) {
    (void)state;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    insert_people(3);
    assert_int_equal(select_int(COUNT), 3);
    int64_t began = milliseconds();
    on_thread(sees_nothing_yet);
    assert_in_range(milliseconds() - began, 0, 2000);
    OK(corm_transaction_commit(db, &failure));
    assert_int_equal(select_int(COUNT), 3);
}

static void insert_one(void) { CHECK(execute("INSERT INTO person (name, height) VALUES ('x', 0)")); }

static void a_read_transaction_sees_one_snapshot(void **state) {
    (void)state;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    on_thread(insert_one);
    assert_int_equal(select_int(COUNT), 0);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    assert_int_equal(corm_transaction_depth(db), 2);
    OK(corm_transaction_commit(db, &failure));
    on_thread(insert_one);
    assert_int_equal(select_int(COUNT), 0);
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(corm_transaction_depth(db), 0);
    assert_int_equal(select_int(COUNT), 2);
}

static void reading_in_a_writing_transaction_sees_its_writes(void **state) {
    (void)state;
    share();
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    insert_people(1);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    assert_int_equal(select_int(COUNT), 1);
    assert_int_equal(corm_transaction_depth(db), 2);
    OK(corm_transaction_commit(db, &failure));
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(select_int(COUNT), 0);
}

static void a_cursor_keeps_its_snapshot(void **state) {
    (void)state;
    corm_result *result;
    insert_people(3);
    share();
    OK(corm_result_open(db, "SELECT id FROM person", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    insert_people(5);
    assert_int_equal(select_int(COUNT), 8);
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_DONE, corm_result_next(result, &failure));
    GIVES(CORM_DONE, corm_result_next(result, &failure));
    corm_result_close(result);
}

static void one_thread_may_have_more_cursors_than_there_are_readers(void **state) {
    (void)state;
    enum { MANY = 20 };
    corm_result *results[MANY];
    insert_people(3);
    share();
    for (int index = 0; index < MANY; index += 1) {
        OK(corm_result_open(db, "SELECT id FROM person", CORM_NO_VALUES, &results[index], &failure));
        GIVES(CORM_ROW, corm_result_next(results[index], &failure));
    }
    assert_int_equal(select_int(COUNT), 3);
    insert_people(1);
    for (int index = 0; index < MANY; index += 1) {
        GIVES(CORM_ROW, corm_result_next(results[index], &failure));
        corm_result_close(results[index]);
    }
    assert_int_equal(select_int(COUNT), 4);
}

static void wait_in_vain(void) {
    corm_error *error = NULL;
    int64_t count;
    CHECK(corm_query_count(db, people, NULL, &count, &error) == CORM_E_BUSY);
    CHECK(strstr(corm_error_message(error), "all 2 readers") != NULL && corm_error_hint(error) != NULL);
    corm_error_free(error);
    CHECK(corm_transaction_begin(db, CORM_TRANSACTION_READ, NULL) == CORM_E_BUSY);
}

static void waiting_for_a_reader_ends_with_the_busy_timeout(void **state) {
    (void)state;
    corm_result *results[2];
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.busy_timeout = 50;
    options.reader_count = 2;
    open_again(&options);
    insert_people(3);
    share();
    for (int index = 0; index < 2; index += 1) {
        OK(corm_result_open(db, "SELECT id FROM person", CORM_NO_VALUES, &results[index], &failure));
        GIVES(CORM_ROW, corm_result_next(results[index], &failure));
    }
    on_thread(wait_in_vain);
    corm_result_close(results[0]);
    share();
    corm_result_close(results[1]);
}

static void write_in_vain(void) {
    corm_error *error = NULL;
    CHECK(corm_database_execute(db, "DELETE FROM person", CORM_NO_VALUES, NULL, &error) == CORM_E_BUSY);
    CHECK(strstr(corm_error_message(error), "another thread") != NULL);
    corm_error_free(error);
}

static void waiting_for_the_writer_ends_with_the_busy_timeout(void **state) {
    (void)state;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.busy_timeout = 50;
    open_again(&options);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    on_thread(write_in_vain);
    OK(corm_transaction_commit(db, &failure));
    on_thread(insert_one);
}

static void without_readers_calls_run_one_at_a_time(void **state) {
    (void)state;
    corm_open_options none = CORM_OPEN_OPTIONS_INIT;
    none.reader_count = -1;
    none.busy_timeout = 50;
    corm_open_options delete = CORM_OPEN_OPTIONS_INIT;
    delete.journal_mode = CORM_JOURNAL_DELETE;
    delete.busy_timeout = 50;
    const corm_open_options *all[] = {&none, &delete};
    for (int index = 0; index < 2; index += 1) {
        open_again(all[index]);
        OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
        on_thread(write_in_vain);
        OK(corm_transaction_commit(db, &failure));
        OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
        assert_int_equal(select_int(COUNT), 0);
        OK(corm_transaction_commit(db, &failure));
    }
}

static void sees_the_writer_s_own(void) {
    CHECK(select_number("SELECT count(*) FROM kept_apart") == 1);
    CHECK(select_number("SELECT count(*) FROM other.person") == 0);
}

static void temporary_tables_and_attached_files_are_seen_by_all(void **state) {
    (void)state;
    share();
    OK(corm_database_execute_script(db, "CREATE TEMP TABLE kept_apart AS SELECT 1", &failure));
    OK(attach_file(db, path_to("other.db"), "other", &failure));
    OK(corm_database_execute_script(db, "CREATE TABLE other.person (id)", &failure));
    on_thread(sees_the_writer_s_own);
    sees_the_writer_s_own();
}

static void a_transaction_of_raw_sql_sees_its_writes(void **state) {
    (void)state;
    share();
    OK(corm_database_execute(db, "BEGIN", CORM_NO_VALUES, NULL, &failure));
    insert_people(2);
    assert_int_equal(select_int(COUNT), 2);
    assert_int_equal(select_int("SELECT last_insert_rowid()"), 2);
    OK(corm_database_execute(db, "ROLLBACK", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(select_int(COUNT), 0);
    insert_people(1);
    assert_int_equal(select_int("SELECT last_insert_rowid() + changes()"), 2);
}

static void what_only_the_writer_knows_is_asked_of_it(void **state) {
    (void)state;
    share();
    OK(corm_database_execute_script(db, "CREATE VIEW newest AS SELECT last_insert_rowid() AS id", &failure));
    insert_people(2);
    assert_int_equal(select_int("SELECT id FROM newest"), 2);
    OK(corm_database_execute(db,
                             "WITH n(i) AS (VALUES (3)) INSERT INTO person (id, name, height) SELECT i, 'x', 0 FROM n",
                             CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(select_int("WITH n AS (SELECT id FROM newest) SELECT id FROM n"), 3);
}

static int64_t is_over;

static void *read_always(void *unused) {
    (void)unused;
    person found;
    corm_arena *arena = corm_arena_create();
    while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
        CHECK(select_number("SELECT count(*) FROM person WHERE height >= 0") == 10);
        CHECK(corm_record_find(db, people, CORM_VALUES(corm_value_int64(1)), &found, arena, NULL) == CORM_OK);
        corm_arena_clear(arena);
    }
    corm_arena_free(arena);
    return NULL;
}

static void the_schema_may_change_under_readers(void **state) {
    (void)state;
    insert_people(10);
    is_over = 0;
    start_threads(read_always, 3);
    for (int index = 0; index < 50; index += 1) {
        char sql[100];
        snprintf(sql, sizeof sql, "ALTER TABLE person ADD COLUMN c%d; CREATE INDEX i%d ON person (c%d)", index, index,
                 index);
        OK(corm_database_execute_script(db, sql, &failure));
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    join_threads();
}

static corm_result *running;

static void close_it(void) { corm_result_close(running); }

static void a_result_is_closed_while_another_thread_has_a_transaction(void **state) {
    (void)state;
    insert_people(3);
    share();
    for (int kind = CORM_TRANSACTION_IMMEDIATE; kind <= CORM_TRANSACTION_READ; kind++) {
        OK(corm_transaction_begin(db, (corm_transaction_kind)kind, &failure));
        OK(corm_result_open(db, "SELECT id FROM person", CORM_NO_VALUES, &running, &failure));
        GIVES(CORM_ROW, corm_result_next(running, &failure));
        /* Waits for nothing: this thread waits for it within the transaction. */
        on_thread(close_it);
        assert_int_equal(select_int(COUNT), 3);
        OK(corm_transaction_commit(db, &failure));
    }
    OK(corm_database_close(db, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(reads_do_not_wait_for_a_transaction),
        TEST(a_read_transaction_sees_one_snapshot),
        TEST(reading_in_a_writing_transaction_sees_its_writes),
        TEST(a_cursor_keeps_its_snapshot),
        TEST(one_thread_may_have_more_cursors_than_there_are_readers),
        TEST(waiting_for_a_reader_ends_with_the_busy_timeout),
        TEST(waiting_for_the_writer_ends_with_the_busy_timeout),
        TEST(without_readers_calls_run_one_at_a_time),
        TEST(temporary_tables_and_attached_files_are_seen_by_all),
        TEST(a_transaction_of_raw_sql_sees_its_writes),
        TEST(what_only_the_writer_knows_is_asked_of_it),
        TEST(the_schema_may_change_under_readers),
        TEST(a_result_is_closed_while_another_thread_has_a_transaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
