/* Options, SQL, tracing and interrupting. What files can do wrong is in test_files.c. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void options_that_can_never_be_right(void **state) {
    (void)state;
    corm_database *other = NULL;
    for (int wrong = 0; wrong < 4; wrong += 1) {
        corm_open_options options = CORM_OPEN_OPTIONS_INIT;
        if (wrong == 0)
            options.mode = 3;
        if (wrong == 1)
            options.journal_mode = 7;
        if (wrong == 2)
            options.synchronous = -1;
        if (wrong == 3)
            options.struct_size = 0;
        GIVES(CORM_E_MISUSE, corm_database_open(path_to("other.db"), &options, &other, &failure));
        assert_null(other);
    }
    GIVES(CORM_E_MISUSE, corm_database_open(NULL, NULL, &other, &failure));
    GIVES(CORM_E_MISUSE, corm_database_open(path_to("other.db"), NULL, NULL, &failure));
}

static void sql_tells_its_changes(void **state) {
    (void)state;
    int64_t changes = -1;
    assert_int_equal(corm_database_last_insert_id(db), 0);
    assert_int_equal(corm_database_total_changes(db), 0);
    OK(corm_database_execute(db, "INSERT INTO person (name, height) VALUES (?, 1), (?, 2)",
                             CORM_VALUES(corm_value_text("a"), corm_value_text("b")), &changes, &failure));
    assert_int_equal(changes, 2);
    assert_int_equal(corm_database_last_insert_id(db), 2);
    /* finding c.md 12: it said CORM_OK and dropped the rows. */
    GIVES(CORM_E_MISUSE, corm_database_execute(db, "SELECT * FROM person", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_MISUSE,
          corm_database_execute(db, "/* */ WITH n AS (SELECT 1) SELECT * FROM n", NULL, 0, NULL, &failure));
    OK(corm_database_execute(db, "UPDATE person SET name = name WHERE 0 RETURNING id", CORM_NO_VALUES, NULL, &failure));
    OK(corm_database_execute(db, "PRAGMA user_version", CORM_NO_VALUES, &changes, &failure));
    assert_int_equal(changes, 0);
    OK(corm_database_execute(db, "DELETE FROM person WHERE id = :id",
                             CORM_VALUES(corm_value_named("id", corm_value_int64(1))), NULL, &failure));
    assert_int_equal(corm_database_changes(db), 1);
    assert_int_equal(corm_database_total_changes(db), 3);
    OK(corm_database_execute_script(db, "DELETE FROM person; DELETE FROM person;", &failure));
    assert_int_equal(corm_database_total_changes(db), 4);
}

typedef struct traced {
    int count;
    char sql[256];
    int64_t nanoseconds;
} traced;

static void trace(const char *sql, int64_t nanoseconds, void *context) {
    traced *seen = context;
    seen->count += 1;
    strncpy(seen->sql, sql, sizeof seen->sql - 1);
    seen->nanoseconds = nanoseconds;
}

static void a_trace_sees_sql_and_time_and_no_values(void **state) {
    (void)state;
    traced seen = {0};
    /* Before its first use a table is looked at. */
    insert_people(1);
    OK(corm_database_set_trace(db, trace, &seen, &failure));
    OK(corm_database_execute(db, "UPDATE person SET name = ? WHERE 'shown' = ''",
                             CORM_VALUES(corm_value_text("hidden")), NULL, &failure));
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.sql, "UPDATE person SET name = ? WHERE 'shown' = ''");
    assert_true(seen.nanoseconds >= 0);
    OK(corm_database_execute(db,
                             "DELETE FROM person WHERE id = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                             "FROM n WHERE i < 300000) "
                             "SELECT max(i) FROM n)",
                             CORM_NO_VALUES, NULL, &failure));
    assert_true(seen.nanoseconds > 1000000);
    insert_people(1);
    assert_int_equal(seen.count, 3);
    assert_non_null(strstr(seen.sql, "INSERT"));
    OK(corm_database_set_trace(db, NULL, NULL, &failure));
    insert_people(0);
    OK(corm_database_execute(db, "PRAGMA user_version", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(seen.count, 3);
}

static void a_trace_begins_outside_of_what_only_reads(void **state) {
    (void)state;
    traced seen = {0};
    OK(corm_transaction_begin(db, CORM_TRANSACTION_READ, &failure));
    GIVES(CORM_E_TRANSACTION, corm_database_set_trace(db, trace, &seen, &failure));
    assert_non_null(strstr(corm_error_message(failure), "a trace cannot be set"));
    OK(corm_transaction_commit(db, &failure));
    OK(corm_database_set_trace(db, trace, &seen, &failure));
    OK(corm_database_set_trace(db, NULL, NULL, &failure));
}

static void *interrupt_soon(void *unused) {
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    corm_database_interrupt(db);
    return NULL;
}

static void interrupt_stops_what_runs(void **state) {
    (void)state;
    const char *endless =
        "DELETE FROM person WHERE id = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT max(i) FROM n)";
    pthread_t thread;
    corm_database_interrupt(db);
    OK(corm_database_execute(db, "PRAGMA user_version", CORM_NO_VALUES, NULL, &failure));
    pthread_create(&thread, NULL, interrupt_soon, NULL);
    int64_t start = milliseconds();
    GIVES(CORM_E_INTERRUPTED, corm_database_execute(db, endless, CORM_NO_VALUES, NULL, &failure));
    assert_true(milliseconds() - start >= 50 && milliseconds() - start <= 20000);
    pthread_join(thread, NULL);
    insert_people(1);
}

static void statements_are_reused_beyond_the_cache(void **state) {
    (void)state;
    char sql[64];
    for (int round = 0; round < 3; round += 1) {
        for (int number = 0; number < 200; number += 1) {
            snprintf(sql, sizeof sql, "SELECT %d", number);
            assert_int_equal(select_int(sql), number);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(options_that_can_never_be_right),
        TEST(sql_tells_its_changes),
        TEST(a_trace_sees_sql_and_time_and_no_values),
        TEST(a_trace_begins_outside_of_what_only_reads),
        TEST(interrupt_stops_what_runs),
        TEST(statements_are_reused_beyond_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
