/* Observation: callbacks, descriptors and the thread that watches; what is told is in Tests/Conformance/observation.json. */
#include "listeners.h"

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
    for (size_t index = 0; index < corm_event_info_get(event)->change_count; index += 1) {
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

static void a_callback_is_told_until_its_watch_ends(void **state) {
    (void)state;
    log_of log = {0};
    corm_observer *observer = watch((corm_observe_options){.model = people}, &log, tell);
    run_script("BEGIN; INSERT INTO person(id, name) VALUES (1, 'a'), (2, 'b'); UPDATE person SET age = 1; COMMIT");
    assert_int_equal(log.events, 1);
    TOLD(log, "insert person 1; insert person 2; ");
    corm_observer_close(observer);
    assert_int_equal(log.released, 1);
    run_script("DELETE FROM person");
    TOLD(log, "");
    corm_observer_close(observer);
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
    run_script("INSERT INTO person(id, name) VALUES (1, 'a')");
    run_script("UPDATE person SET age = 3");
    run_script("INSERT INTO person(id, name) VALUES (2, 'b')");
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
        run_script("UPDATE person SET age = age + 1 WHERE id = 1");
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

/* A list of /proc/self/task ends early where a thread of it ends meanwhile. */
static int thread_count(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    int count = 0;
    assert_non_null(status);
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "Threads: %d", &count) == 1)
            break;
    fclose(status);
    assert_true(count > 0);
    return count;
}

/* finding c.md 6: the thread that watches files never ended. */
static void the_thread_ends_with_the_last_watch(void **state) {
    (void)state;
    for (int round = 0; round < 3; round += 1) {
        int before, watched;
        /* A thread of the watches before may still be ending, and goes on when one begins: then it is tried again. */
        for (int attempt = 0; attempt < 40; attempt += 1) {
            log_of log = {0};
            usleep(attempt * 5000);
            before = thread_count();
            corm_observer *one = watch((corm_observe_options){.model = people}, &log, tell);
            corm_observer *two = watch((corm_observe_options){.model = people}, &log, tell);
            watched = thread_count();
            corm_observer_close(one);
            corm_observer_close(two);
            for (int wait = 0; wait < 1000 && thread_count() > before; wait += 1)
                usleep(5000);
            assert_true(thread_count() <= before);
            if (watched == before + 1)
                break;
        }
        assert_int_equal(watched, before + 1);
    }
}

/* Who gives a context away need not know where a call fails. */
static void a_context_is_released_where_watching_fails(void **state) {
    (void)state;
    log_of log = {0};
    corm_observer *observer;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    options.context = &log;
    options.release = release;
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, &observer, &failure));
    assert_int_equal(log.released, 1);
    options.model = people;
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &options, NULL, &failure));
    assert_int_equal(log.released, 2);
    GIVES(CORM_E_MISUSE, corm_observer_open(NULL, &options, &observer, &failure));
    assert_int_equal(log.released, 3);
    corm_query query = {.struct_size = sizeof query, .where = CORM_EQ(corm_expr_column(people, "id"), CORM_INT(1))};
    struct {
        corm_observe_options known;
        int64_t added;
    } newer = {.known = options, .added = 1};
    newer.known.struct_size = sizeof newer;
    newer.known.query = &query;
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &newer.known, &observer, &failure));
    assert_int_equal(log.released, 4);
    struct {
        corm_listen_options known;
        int64_t added;
    } listening = {.known = {.struct_size = sizeof listening, .context = &log, .release = release}, .added = 1};
    corm_listener *listener;
    GIVES(CORM_E_MISUSE, corm_listener_open(NULL, &listening.known, &listener, &failure));
    assert_int_equal(log.released, 5);
    /* Of what is no such struct, nothing is used. */
    newer.known.struct_size = 1 << 20;
    GIVES(CORM_E_MISUSE, corm_observer_open(db, &newer.known, &observer, &failure));
    assert_int_equal(log.released, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_callback_is_told_until_its_watch_ends),
        TEST(events_wait_at_a_descriptor),
        TEST(the_thread_ends_with_the_last_watch),
        TEST(a_context_is_released_where_watching_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
