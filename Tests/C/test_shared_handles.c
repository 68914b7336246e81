/* Handles that one thread ends while others use them: each call gets what it asks for, or an error. */
#include "threads.h"

#include <stdatomic.h>

static _Atomic(void *) shared;
static atomic_bool is_over;

/* One thread ends handles and makes new ones for so long, while the others use them. */
static void while_used(void *(*use)(void *), void *(*make)(void), void (*end)(void *)) {
    int64_t until = milliseconds() + many(1500);
    atomic_store(&is_over, false);
    atomic_store(&shared, make());
    start_threads(use, 3);
    while (milliseconds() < until) {
        void *old = atomic_load(&shared);
        atomic_store(&shared, make());
        end(old);
    }
    atomic_store(&is_over, true);
    join_threads();
    end(atomic_load(&shared));
}

static void *make_observer(void) {
    corm_observe_options options = {.struct_size = sizeof options, .model = people};
    corm_observer *observer;
    OK(corm_observer_open(db, &options, &observer, &failure));
    OK(corm_database_execute(db, "UPDATE person SET height = height + 1", CORM_NO_VALUES, NULL, &failure));
    return observer;
}

static void cancel_observer(void *observer) { corm_observer_close(observer); }

static void *observe(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        corm_event *event = NULL;
        int descriptor;
        corm_status status = corm_observer_next(atomic_load(&shared), &event, NULL);
        CHECK(status == CORM_ROW || status == CORM_AGAIN || status == CORM_DONE || status == CORM_E_MISUSE);
        if (status == CORM_ROW)
            CHECK(corm_event_change_count(event) == 1);
        corm_event_free(event);
        status = corm_observer_descriptor(atomic_load(&shared), &descriptor, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
    }
    return NULL;
}

/* finding c.md 3: a lock at 0x20 */
static void observers_are_cancelled_while_others_take(void **state) {
    (void)state;
    insert_people(1);
    while_used(observe, make_observer, cancel_observer);
}

static corm_queue *queue;

static corm_status do_nothing(corm_database *database, void *context, corm_error **out_error) {
    (void)database;
    (void)context;
    (void)out_error;
    return CORM_OK;
}

static void *make_listener(void) {
    corm_listener *listener;
    OK(corm_listener_open(queue, NULL, &listener, &failure));
    OK(corm_queue_add(queue, do_nothing, NULL, NULL, NULL, &failure));
    return listener;
}

static void cancel_listener(void *listener) { corm_listener_close(listener); }

static void *listen(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        corm_completion *completion = NULL;
        int descriptor;
        corm_status status = corm_listener_next(atomic_load(&shared), &completion, NULL);
        CHECK(status == CORM_ROW || status == CORM_AGAIN || status == CORM_DONE || status == CORM_E_MISUSE);
        corm_completion_free(completion);
        status = corm_listener_descriptor(atomic_load(&shared), &descriptor, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
    }
    return NULL;
}

static void listeners_are_cancelled_while_others_take(void **state) {
    (void)state;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    while_used(listen, make_listener, cancel_listener);
    OK(corm_queue_close(queue, &failure));
}

static void *make_model(void) {
    corm_model *model;
    OK(corm_model_create(&person_def, &model, &failure));
    return model;
}

static void free_model(void *model) { corm_model_free(model); }

static void *use_model(void *unused) {
    (void)unused;
    corm_arena *arena = corm_arena_create();
    while (!atomic_load(&is_over)) {
        person found;
        int32_t columns = corm_model_column_count(atomic_load(&shared));
        CHECK(columns == 5 || columns == 0);
        corm_status status =
            corm_record_find(db, atomic_load(&shared), CORM_VALUES(corm_value_int64(1)), &found, arena, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
        corm_arena_clear(arena);
    }
    corm_arena_free(arena);
    return NULL;
}

/* finding c.md 4 */
static void models_are_freed_while_others_use_them(void **state) {
    (void)state;
    insert_people(1);
    while_used(use_model, make_model, free_model);
}

static void *make_database(void) {
    corm_database *database;
    OK(corm_database_open(":memory:", NULL, &database, &failure));
    return database;
}

static void close_database(void *database) { corm_database_close(database, NULL); }

static void *use_database(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        corm_status status =
            corm_database_execute(atomic_load(&shared), "CREATE TABLE IF NOT EXISTS t (a)", CORM_NO_VALUES, NULL, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
    }
    return NULL;
}

static void databases_are_closed_while_others_use_them(void **state) {
    (void)state;
    while_used(use_database, make_database, close_database);
}

/* finding c.md 13: after 2^24 uses of a slot an old handle was good again. */
static void a_handle_is_never_given_out_twice(void **state) {
    (void)state;
    corm_arena *first = corm_arena_create();
    corm_arena_free(first);
    for (int use = 0; use < many(1 << 24) + 100; use += 1) {
        corm_arena *arena = corm_arena_create();
        if (arena == first)
            fail_msg("after %d uses", use);
        corm_arena_free(arena);
    }
    assert_null(corm_arena_copy(first, "x", 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(observers_are_cancelled_while_others_take), TEST(listeners_are_cancelled_while_others_take),
        TEST(models_are_freed_while_others_use_them),    TEST(databases_are_closed_while_others_use_them),
        TEST(a_handle_is_never_given_out_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
