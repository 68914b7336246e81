/* Connections that are set up when they are opened, and lent for what only SQLite's own calls can do. */
#include "support.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

typedef struct log {
    int writers;
    int readers;
    const char *sql;
    corm_connection *kept;
} log;

static corm_status note(corm_connection *connection, void *context, corm_error **out_error) {
    log *calls = context;
    if (corm_connection_is_reader(connection))
        calls->readers += 1;
    else
        calls->writers += 1;
    calls->kept = connection;
    return corm_connection_execute_script(connection, calls->sql, out_error);
}

static void open_with(log *calls) {
    OK(corm_database_close(db, &failure));
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.set_up = note;
    options.set_up_context = calls;
    db = NULL;
    OK(corm_database_open(path_to("test.db"), &options, &db, &failure));
}

static void *read_beside(void *status) {
    corm_result *result = NULL;
    *(corm_status *)status = corm_result_open(db, "SELECT x FROM here", NULL, 0, &result, &failure);
    corm_result_close(result);
    return NULL;
}

static corm_status beside_a_transaction(void) {
    pthread_t thread;
    corm_status status = CORM_E_INTERNAL;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    pthread_create(&thread, NULL, read_beside, &status);
    pthread_join(thread, NULL);
    OK(corm_transaction_commit(db, &failure));
    return status;
}

static void readers_are_set_up_too(void **state) {
    (void)state;
    log calls = {.sql = "CREATE TEMP TABLE here (x)"};
    open_with(&calls);
    assert_int_equal(calls.writers, 1);
    assert_int_equal(calls.readers, 0);
    assert_int_equal(beside_a_transaction(), CORM_OK);
    assert_int_equal(calls.readers, 1);
    assert_int_equal(beside_a_transaction(), CORM_OK);
    assert_int_equal(calls.readers, 1);
    GIVES(CORM_E_MISUSE, corm_connection_execute_script(calls.kept, "SELECT 1", &failure));
    assert_false(corm_connection_is_reader(calls.kept));
    assert_null(corm_connection_sqlite3(calls.kept));
}

static void a_reader_that_cannot_be_set_up_is_the_error_of_the_read(void **state) {
    (void)state;
    log calls = {.sql = ""};
    open_with(&calls);
    OK(corm_database_execute_script(db, "CREATE TABLE here (x)", &failure));
    calls.sql = "INSERT INTO here VALUES (1)";
    assert_int_equal(beside_a_transaction(), CORM_E_READ_ONLY);
    assert_int_equal(beside_a_transaction(), CORM_E_READ_ONLY);
    assert_int_equal(calls.readers, 2);
    calls.sql = "SELECT 1";
    assert_int_equal(beside_a_transaction(), CORM_OK);
}

static corm_status use_database(corm_connection *connection, void *context, corm_error **out_error) {
    (void)connection, (void)context;
    return db == NULL ? CORM_OK : corm_database_execute_script(db, "CREATE TABLE t (x)", out_error);
}

static void a_set_up_must_not_use_its_database(void **state) {
    (void)state;
    OK(corm_database_close(db, &failure));
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.set_up = use_database;
    db = NULL;
    OK(corm_database_open(path_to("test.db"), &options, &db, &failure));
    pthread_t thread;
    corm_status status = CORM_OK;
    assert_int_equal(select_int("SELECT 1"), 1);
    pthread_create(&thread, NULL, read_beside, &status);
    pthread_join(thread, NULL);
    assert_int_equal(status, CORM_E_MISUSE);
}

static corm_status give_up(corm_connection *connection, void *context, corm_error **out_error) {
    (void)connection;
    if (context != NULL)
        *out_error = corm_error_create(CORM_E_CALLBACK, context, "as it likes");
    return -7777;
}

static void its_error_is_that_of_opening(void **state) {
    (void)state;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_database *other = NULL;
    options.set_up = give_up;
    GIVES(CORM_E_CALLBACK, corm_database_open(path_to("other.db"), &options, &other, &failure));
    assert_non_null(strstr(corm_error_message(failure), "the set-up of a connection failed"));
    options.set_up_context = "no more";
    GIVES(CORM_E_CALLBACK, corm_database_open(path_to("other.db"), &options, &other, &failure));
    assert_string_equal(corm_error_message(failure), "no more");
    assert_null(other);
}

static corm_status write_blob(corm_connection *connection, void *context, corm_error **out_error) {
    (void)out_error;
    sqlite3_blob *blob = NULL;
    sqlite3 *handle = corm_connection_sqlite3(connection);
    if (sqlite3_blob_open(handle, "main", "person", "name", *(int64_t *)context, 1, &blob) != SQLITE_OK)
        return CORM_E_CALLBACK;
    int status = sqlite3_blob_write(blob, "X", 1, 0);
    sqlite3_blob_close(blob);
    /* The database may be used meanwhile. */
    insert_people(1);
    return STATUS(status == SQLITE_OK);
}

static corm_status begin(corm_connection *connection, void *context, corm_error **out_error) {
    return corm_connection_execute_script(connection, context, out_error);
}

static corm_status close_it(corm_connection *connection, void *context, corm_error **out_error) {
    (void)connection, (void)context;
    return corm_database_close(db, out_error);
}

static void the_writer_is_lent(void **state) {
    (void)state;
    insert_people(1);
    int64_t id = select_int("SELECT max(id) FROM person");
    OK(corm_database_use_connection(db, write_blob, &id, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE name LIKE 'X%'"), 1);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
    GIVES(CORM_E_MISUSE, corm_database_use_connection(db, begin, "BEGIN; DELETE FROM person", &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_database_use_connection(db, begin, "DELETE FROM person", &failure));
    GIVES(CORM_E_TRANSACTION, corm_database_use_connection(db, begin, "COMMIT", &failure));
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
    GIVES(CORM_E_MISUSE, corm_database_use_connection(db, close_it, NULL, &failure));
    GIVES(CORM_E_CALLBACK, corm_database_use_connection(db, give_up, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_use_connection(db, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_use_connection(NULL, give_up, NULL, &failure));
}

static corm_status begin_by_call(corm_connection *connection, void *context, corm_error **out_error) {
    (void)connection, (void)out_error;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_database_execute_script(db, "DELETE FROM person", &failure));
    return context == NULL ? CORM_OK : -7777;
}

static void what_its_borrower_began_by_calls_is_rolled_back(void **state) {
    (void)state;
    insert_people(2);
    for (int fails = 0; fails < 2; fails++) {
        corm_status wanted = fails ? CORM_E_CALLBACK : CORM_E_MISUSE;
        void *context = fails ? &fails : NULL;
        GIVES(wanted, corm_database_use_connection(db, begin_by_call, context, &failure));
        assert_int_equal(corm_transaction_depth(db), 0);
        assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
        OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
        insert_people(1);
        GIVES(wanted, corm_database_use_connection(db, begin_by_call, context, &failure));
        assert_int_equal(corm_transaction_depth(db), 1);
        assert_int_equal(select_int("SELECT count(*) FROM person"), 3);
        OK(corm_transaction_rollback(db, &failure));
    }
}

static void *count_here(void *count) {
    *(int64_t *)count = select_int("SELECT x FROM here");
    return NULL;
}

static void reads_follow_a_script_that_fails_half_way(void **state) {
    (void)state;
    pthread_t thread;
    int64_t seen[2] = {0, 0};
    OK(corm_database_execute_script(db, "CREATE TABLE here (x); INSERT INTO here VALUES (1)", &failure));
    for (int turn = 0; turn < 2; turn++) {
        pthread_create(&thread, NULL, count_here, &seen[turn]);
        pthread_join(thread, NULL);
        if (turn == 0)
            GIVES(CORM_E_SQL, corm_database_use_connection(
                                  db, begin, "CREATE TEMP TABLE here AS SELECT 2 AS x; SELECT nowhere()", &failure));
    }
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 2);
    assert_int_equal(select_int("SELECT x FROM here"), 2);
}

static void reads_go_where_a_temporary_table_is(void **state) {
    (void)state;
    OK(corm_database_use_connection(db, begin, "CREATE TEMP TABLE here (x)", &failure));
    pthread_t thread;
    corm_status status = CORM_E_INTERNAL;
    pthread_create(&thread, NULL, read_beside, &status);
    pthread_join(thread, NULL);
    assert_int_equal(status, CORM_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(readers_are_set_up_too),
        TEST(a_reader_that_cannot_be_set_up_is_the_error_of_the_read),
        TEST(a_set_up_must_not_use_its_database),
        TEST(its_error_is_that_of_opening),
        TEST(the_writer_is_lent),
        TEST(what_its_borrower_began_by_calls_is_rolled_back),
        TEST(reads_follow_a_script_that_fails_half_way),
        TEST(reads_go_where_a_temporary_table_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
