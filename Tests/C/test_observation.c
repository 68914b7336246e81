/* Observation: what is told of a commit and what never is, by callback and by descriptor, and what listeners may do. */
#include "listeners.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What a callback was told, as text: "insert person 1; update person 2;". */
typedef struct log_of {
    char text[4096];
    int events;
    int released;
    corm_observer *observer;
    corm_database *database;
} log_of;

static void note(corm_event *event, log_of *log) {
    static const char *const kinds[] = {"unknown", "insert", "update", "delete"};
    log->events += 1;
    for (size_t index = 0; index < corm_event_change_count(event); index += 1) {
        const corm_change *change = corm_event_change_get(event, index);
        size_t used = strlen(log->text);
        snprintf(log->text + used, sizeof log->text - used, "%s %s %lld; ", kinds[change->kind],
                 change->table ? change->table : "row", (long long)(change->key_count ? change->key[0].as.integer : 0));
    }
}

static void tell(corm_event *event, corm_error *error, void *context) {
    assert_null(error);
    note(event, context);
}

static void release(void *context) { ((log_of *)context)->released += 1; }

static corm_observer *watch(corm_observe_options options, log_of *log, corm_observer_callback callback) {
    corm_observer *observer = NULL;
    options.struct_size = sizeof options;
    options.callback = callback;
    options.context = log;
    options.release = release;
    OK(corm_observer_open(db, &options, &observer, &failure));
    return observer;
}

#define TOLD(log, expected)                                                                                            \
    do {                                                                                                               \
        assert_string_equal((log).text, expected);                                                                     \
        (log).text[0] = 0;                                                                                             \
    } while (0)

static void a_transaction_gives_one_event_with_each_row_once(void **state) {
    (void)state;
    log_of log = {0};
    corm_observer *observer = watch((corm_observe_options){.model = people}, &log, tell);
    insert_people(2);
    assert_true(log.events >= 1);
    log = (log_of){0};
    run("BEGIN; UPDATE person SET age = 9 WHERE id = 1; UPDATE person SET age = 8 WHERE id = 1;"
        "INSERT INTO person(id, name) VALUES (3, 'c'); UPDATE person SET name = 'd' WHERE id = 3;"
        "INSERT INTO person(id, name) VALUES (4, 'e'); DELETE FROM person WHERE id = 4; DELETE FROM person WHERE id = "
        "2;"
        "COMMIT");
    assert_int_equal(log.events, 1);
    TOLD(log, "update person 1; insert person 3; delete person 2; ");
    run("DELETE FROM person");
    TOLD(log, "delete person 1; delete person 3; ");
    run("INSERT INTO person(id, name) VALUES (5, 'f')");
    log.text[0] = 0;
    run("UPDATE person SET id = 6 WHERE id = 5");
    TOLD(log, "delete person 5; insert person 6; ");
    run("REPLACE INTO person(id, name) VALUES (6, 'g')");
    TOLD(log, "update person 6; ");
    corm_observer_close(observer);
    assert_int_equal(log.released, 1);
    run("DELETE FROM person");
    TOLD(log, "");
    corm_observer_close(observer);
}

static void what_is_rolled_back_is_never_told(void **state) {
    (void)state;
    insert_people(2);
    log_of log = {0};
    corm_observer *observer = watch((corm_observe_options){.model = people}, &log, tell);
    run("BEGIN; DELETE FROM person; ROLLBACK");
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    run("DELETE FROM person");
    OK(corm_transaction_rollback(db, &failure));
    TOLD(log, "");
    run("BEGIN; DELETE FROM person WHERE id = 1; SAVEPOINT \"A b\"; DELETE FROM person; /* x */ ROLLBACK TO [a B];"
        "INSERT INTO person(id, name) VALUES (7, 'x'); RELEASE 'a b'; COMMIT");
    TOLD(log, "delete person 1; insert person 7; ");
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    run("DELETE FROM person WHERE id = 2");
    OK(corm_transaction_rollback(db, &failure));
    run("UPDATE person SET age = 1 WHERE id = 7");
    OK(corm_transaction_commit(db, &failure));
    TOLD(log, "update person 7; ");
    /* A statement that fails half-way is undone, and its transaction goes on; with FAIL its first rows stay. */
    run("BEGIN");
    GIVES(CORM_E_UNIQUE,
          corm_database_execute(db, "INSERT INTO person(id, name) VALUES (8, 'x'), (7, 'x')", NULL, 0, NULL, &failure));
    GIVES(CORM_E_UNIQUE, corm_database_execute(db, "INSERT OR FAIL INTO person(id, name) VALUES (9, 'x'), (7, 'x')",
                                               NULL, 0, NULL, &failure));
    GIVES(CORM_E_SQL, corm_database_execute(db, "ROLLBACK TO nothing", NULL, 0, NULL, &failure));
    run("COMMIT");
    TOLD(log, "insert person 9; ");
    GIVES(CORM_E_UNIQUE,
          corm_database_execute(db, "INSERT INTO person(id, name) VALUES (8, 'x'), (7, 'x')", NULL, 0, NULL, &failure));
    TOLD(log, "");
    /* A COMMIT that fails leaves the transaction open. */
    run("CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES person(id) DEFERRABLE INITIALLY DEFERRED)");
    run("BEGIN; DELETE FROM person WHERE id = 9; INSERT INTO child VALUES (1, 99)");
    GIVES(CORM_E_FOREIGN_KEY, corm_database_execute(db, "COMMIT", NULL, 0, NULL, &failure));
    TOLD(log, "");
    run("DELETE FROM child; COMMIT");
    TOLD(log, "delete person 9; ");
    corm_observer_close(observer);
}

static void triggers_and_foreign_keys_are_told(void **state) {
    (void)state;
    run("CREATE TABLE pet(id INTEGER PRIMARY KEY, owner INT REFERENCES person(id) ON DELETE CASCADE);"
        "CREATE TRIGGER gift AFTER INSERT ON person BEGIN INSERT INTO pet(owner) VALUES (new.id); END");
    log_of log = {0};
    corm_region pets = {.struct_size = sizeof(corm_region), .table = "pet"};
    corm_observer *observer = watch((corm_observe_options){.regions = &pets, .region_count = 1}, &log, tell);
    insert_people(1);
    run("DELETE FROM person");
    TOLD(log, "insert pet 1; delete pet 1; ");
    corm_observer_close(observer);
}

static void columns_and_keys_narrow_a_watch(void **state) {
    (void)state;
    insert_people(3);
    const char *const ages[] = {"AGE"};
    corm_region region = {.struct_size = sizeof(corm_region), .table = "person", .columns = ages, .column_count = 1};
    corm_value key = corm_value_int64(2);
    log_of of_age = {0}, of_record = {0}, of_query = {0};
    corm_query query = CORM_QUERY_INIT;
    query.sql = "SELECT name FROM person WHERE id > ?";
    corm_value least = corm_value_int64(0);
    query.values = &least;
    query.value_count = 1;
    corm_observer *observers[] = {
        watch((corm_observe_options){.regions = &region, .region_count = 1}, &of_age, tell),
        watch((corm_observe_options){.model = people, .key = &key, .key_count = 1}, &of_record, tell),
        watch((corm_observe_options){.query = &query}, &of_query, tell),
    };
    run("UPDATE person SET name = 'n' WHERE id < 3");
    TOLD(of_age, "");
    TOLD(of_record, "update person 2; ");
    TOLD(of_query, "update person 1; update person 2; ");
    run("UPDATE person SET age = 77 WHERE id = 1; UPDATE person SET age = age");
    TOLD(of_age, "update person 1; ");
    TOLD(of_record, "");
    TOLD(of_query, "");
    run("DELETE FROM person WHERE id = 2");
    TOLD(of_age, "delete person 2; ");
    TOLD(of_record, "delete person 2; ");
    for (int index = 0; index < 3; index += 1)
        corm_observer_close(observers[index]);
}

static bool readable(corm_observer *observer) {
    struct pollfd waiting = {.events = POLLIN};
    OK(corm_observer_descriptor(observer, &waiting.fd, &failure));
    return poll(&waiting, 1, 0) == 1;
}

static void events_wait_at_a_descriptor(void **state) {
    (void)state;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    options.model = people;
    corm_observer *all, *latest;
    corm_event *event;
    OK(corm_observer_open(db, &options, &all, &failure));
    options.latest_only = true;
    OK(corm_observer_open(db, &options, &latest, &failure));
    assert_false(readable(all));
    run("INSERT INTO person(id, name) VALUES (1, 'a')");
    run("UPDATE person SET age = 3");
    run("INSERT INTO person(id, name) VALUES (2, 'b')");
    log_of log = {0};
    assert_true(readable(all));
    for (int index = 0; index < 3; index += 1) {
        GIVES(CORM_ROW, corm_observer_next(all, &event, &failure));
        note(event, &log);
        corm_event_free(event);
    }
    TOLD(log, "insert person 1; update person 1; insert person 2; ");
    GIVES(CORM_AGAIN, corm_observer_next(all, &event, &failure));
    assert_false(readable(all));
    GIVES(CORM_ROW, corm_observer_next(latest, &event, &failure));
    note(event, &log);
    corm_event_free(event);
    TOLD(log, "insert person 1; insert person 2; ");
    GIVES(CORM_AGAIN, corm_observer_next(latest, &event, &failure));
    /* Nobody takes them: they are kept, but not one by one. */
    for (int index = 0; index < 3000; index += 1)
        run("UPDATE person SET age = age + 1 WHERE id = 1");
    int count = 0;
    while (corm_observer_next(all, &event, NULL) == CORM_ROW) {
        corm_event_free(event);
        count += 1;
    }
    assert_int_equal(count, 1000);
    OK(corm_database_close(db, &failure));
    assert_true(readable(all));
    GIVES(CORM_DONE, corm_observer_next(all, &event, &failure));
    corm_observer_close(all);
    corm_observer_close(latest);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
}

static void changed_schemas_are_told(void **state) {
    (void)state;
    log_of log = {0};
    corm_observer *observer = watch((corm_observe_options){.model = people}, &log, tell);
    run("CREATE TABLE other(x)");
    TOLD(log, "");
    run("ALTER TABLE person ADD COLUMN extra TEXT");
    TOLD(log, "unknown person 0; ");
    run("INSERT INTO person(id, name, extra) VALUES (1, 'a', 'b')");
    TOLD(log, "insert person 1; ");
    run("BEGIN; DROP TABLE person; ROLLBACK");
    TOLD(log, "");
    run("DROP TABLE person");
    assert_non_null(strstr(log.text, "unknown person 0; "));
    corm_observer_close(observer);
}

static void virtual_tables_are_told_as_a_whole(void **state) {
    (void)state;
    run("CREATE VIRTUAL TABLE doc USING fts5(body)");
    log_of log = {0};
    corm_region region = {.struct_size = sizeof(corm_region), .table = "doc"};
    corm_observer *observer = watch((corm_observe_options){.regions = &region, .region_count = 1}, &log, tell);
    run("INSERT INTO doc VALUES ('words')");
    TOLD(log, "unknown doc 0; ");
    run("BEGIN; DELETE FROM doc; ROLLBACK");
    TOLD(log, "");
    corm_observer_close(observer);
}

static int thread_count(void) {
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    assert_non_null(tasks);
    while (readdir(tasks) != NULL)
        count += 1;
    closedir(tasks);
    return count;
}

/* finding c.md 6: the thread that watches files never ended. */
static void the_thread_ends_with_the_last_watch(void **state) {
    (void)state;
    /* The thread of the test before may still be ending. */
    int before = thread_count();
    for (int wait = 0; wait < 60; wait += 1) {
        usleep(5000);
        int now = thread_count();
        before = now < before ? now : before;
    }
    for (int round = 0; round < 3; round += 1) {
        log_of log = {0};
        corm_observer *one = watch((corm_observe_options){.model = people}, &log, tell);
        corm_observer *two = watch((corm_observe_options){.model = people}, &log, tell);
        assert_int_equal(thread_count(), before + 1);
        corm_observer_close(one);
        corm_observer_close(two);
        for (int wait = 0; wait < 1000 && thread_count() > before; wait += 1)
            usleep(5000);
        assert_int_equal(thread_count(), before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_transaction_gives_one_event_with_each_row_once),
        TEST(what_is_rolled_back_is_never_told),
        TEST(triggers_and_foreign_keys_are_told),
        TEST(columns_and_keys_narrow_a_watch),
        TEST(events_wait_at_a_descriptor),
        TEST(changed_schemas_are_told),
        TEST(virtual_tables_are_told_as_a_whole),
        TEST(the_thread_ends_with_the_last_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
