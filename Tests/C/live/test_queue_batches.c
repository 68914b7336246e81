/* Batches of a write queue, and those who listen to it. */
#include "queues.h"

#include <stdio.h>
#include <string.h>

static corm_batch *batch;

static int begin_batch(void **state) {
    return open_queue(state) != 0 || corm_batch_create(queue, &batch, NULL) != CORM_OK;
}

static int end_batch(void **state) {
    corm_batch_free(batch);
    return close_queue(state);
}

#undef TEST
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin_batch, end_batch)

static int told;
static corm_status status;
static int64_t failed_part;
static size_t part_count;
static corm_write_result parts[8];
static char texts[8][100], tag[20];

static void note(corm_completion *completion, void *context) {
    (void)context;
    /* The tag first: its text must not be where the results begin (finding c.md 2, its kin). */
    const corm_completion_info *info = corm_completion_info_get(completion);
    snprintf(tag, sizeof tag, "%s", info->tag ? info->tag : "");
    part_count = info->result_count;
    CHECK(corm_completion_result_get(completion, part_count) == NULL);
    for (size_t index = 0; index < part_count && index < 8; index += 1) {
        const corm_write_result *result = corm_completion_result_get(completion, index);
        CHECK((uintptr_t)result % _Alignof(corm_write_result) == 0);
        parts[index] = *result;
        texts[index][0] = 0;
        if (result->error)
            snprintf(texts[index], sizeof texts[index], "%s", corm_error_message(result->error));
    }
    status = info->status;
    corm_error *error = info->error;
    failed_part = error ? corm_error_info_get(error)->record_index : -1;
    told += 1;
}

static void commit(int32_t policy) {
    told = 0;
    corm_write_options options = {.struct_size = sizeof options, .tag = "save", .callback = note};
    OK(corm_batch_commit(batch, policy, &options, NULL, &failure));
    assert_int_equal(corm_batch_count(batch), 0);
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(told, 1);
    assert_string_equal(tag, "save");
}

static void add_some(void) {
    char name[] = "Ada", sql[] = "INSERT INTO person (id, name, height) VALUES (:id, :name, 1)";
    person ada = {.name = name, .age = {true, 36}, .height = 1.7};
    OK(corm_batch_insert(batch, people, &ada, CORM_CONFLICT_ABORT, &failure));
    corm_value values[] = {corm_value_named("name", corm_value_text(name)),
                           corm_value_named("id", corm_value_int64(1))};
    OK(corm_batch_execute(batch, sql, values, 2, &failure));
    ada.id = 7;
    OK(corm_batch_save(batch, people, &ada, &failure));
    ada.city = "Paris";
    OK(corm_batch_update(batch, people, &ada, "city", &failure));
    ada.id = 8;
    OK(corm_batch_update(batch, people, &ada, NULL, &failure));
    OK(corm_batch_delete(batch, people, &ada, &failure));
    /* All is copied: what it was made of may change. */
    memset(&ada, 0x55, sizeof ada);
    memset(name, 'x', 3);
    memset(sql, 'x', sizeof sql - 1);
    assert_int_equal(corm_batch_count(batch), 6);
}

static void a_batch_may_go_on_after_errors(void **state) {
    (void)state;
    add_some();
    commit(CORM_BATCH_CONTINUE);
    assert_int_equal(status, CORM_OK);
    assert_int_equal(part_count, 6);
    const int64_t changes[] = {1, 0, 1, 1, 0, 0};
    for (int index = 0; index < 6; index += 1)
        assert_int_equal(parts[index].changes, changes[index]);
    assert_int_equal(parts[0].generated_key, 1);
    assert_int_equal(parts[2].generated_key, 0);
    assert_non_null(strstr(texts[1], "person.id"));
    assert_non_null(strstr(texts[4], "no row"));
    assert_string_equal(texts[5], "");
    assert_int_equal(select_int(COUNT), 2);
    assert_string_equal(select_text("SELECT name || city FROM person WHERE id = 7"), "AdaParis");
    /* The batch is empty, and can be filled again. */
    OK(corm_batch_execute(batch, "DELETE FROM person", CORM_NO_VALUES, &failure));
    commit(CORM_BATCH_ROLLBACK);
    assert_int_equal(parts[0].changes, 2);
    commit(CORM_BATCH_ROLLBACK);
    assert_int_equal(status, CORM_OK);
    assert_int_equal(part_count, 0);
}

static void a_batch_outlives_what_it_came_from(void **state) {
    (void)state;
    told = 0;
    corm_write_options options = {.struct_size = sizeof options, .callback = note};
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    add_some();
    OK(corm_batch_commit(batch, CORM_BATCH_CONTINUE, &options, NULL, &failure));
    corm_batch_free(batch);
    corm_batch_free(batch);
    GIVES(CORM_E_MISUSE, corm_batch_commit(batch, CORM_BATCH_CONTINUE, NULL, NULL, &failure));
    OK(corm_transaction_commit(db, &failure));
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(told, 1);
    OK(corm_batch_create(queue, &batch, &failure));
    OK(corm_queue_close(queue, &failure));
    OK(corm_batch_execute(batch, "DELETE FROM person", CORM_NO_VALUES, &failure));
    GIVES(CORM_E_MISUSE, corm_batch_commit(batch, CORM_BATCH_ROLLBACK, NULL, NULL, &failure));
    assert_int_equal(corm_batch_count(batch), 1);
}

static void what_cannot_be_added_is_refused(void **state) {
    (void)state;
    person bad = {.name = "\xff\xfe"};
    GIVES(CORM_E_ENCODING, corm_batch_insert(batch, people, &bad, CORM_CONFLICT_ABORT, &failure));
    assert_non_null(strstr(corm_error_message(failure), ".name"));
    GIVES(CORM_E_MISUSE, corm_batch_insert(batch, people, &bad, 77, &failure));
    GIVES(CORM_E_MISUSE, corm_batch_insert(batch, people, NULL, CORM_CONFLICT_ABORT, &failure));
    GIVES(CORM_E_MISUSE, corm_batch_save(batch, NULL, &bad, &failure));
    GIVES(CORM_E_MISUSE, corm_batch_execute(batch, NULL, CORM_NO_VALUES, &failure));
    GIVES(CORM_E_MISUSE, corm_batch_execute((corm_batch *)queue, "DELETE FROM person", CORM_NO_VALUES, &failure));
    GIVES(CORM_E_MISUSE, corm_batch_commit(batch, 9, NULL, NULL, &failure));
    assert_int_equal(corm_batch_count(batch), 0);
    assert_int_equal(corm_batch_count(NULL), 0);
    corm_write_options wrong = {.struct_size = 3};
    GIVES(CORM_E_MISUSE, corm_batch_commit(batch, CORM_BATCH_ROLLBACK, &wrong, NULL, &failure));
    assert_int_equal(corm_completion_info_get(NULL)->status, CORM_E_MISUSE);
    assert_null(corm_completion_info_get(NULL)->error);
    assert_int_equal(corm_completion_info_get(NULL)->result_count, 0);
    assert_null(corm_completion_result_get(NULL, 0));
}

static corm_listener *listener;
static atomic_int released, heard;
static atomic_bool holds;

static void release(void *context) { atomic_fetch_add((atomic_int *)context, 1); }

static void hear(corm_completion *completion, void *context) {
    (void)completion, (void)context;
    atomic_fetch_add(&heard, 1);
    while (atomic_load(&holds))
        wait_milliseconds(1);
}

static void hear_once(corm_completion *completion, void *context) {
    hear(completion, context);
    corm_listener_close(listener);
}

static void listen_with(corm_queue_callback callback) {
    heard = 0;
    released = 0;
    corm_listen_options options = {
        .struct_size = sizeof options, .callback = callback, .context = &released, .release = release};
    OK(corm_listener_open(queue, &options, &listener, &failure));
}

static void commit_one(void) {
    OK(corm_batch_execute(batch, "DELETE FROM person", CORM_NO_VALUES, &failure));
    OK(corm_batch_commit(batch, CORM_BATCH_ROLLBACK, NULL, NULL, &failure));
}

static void a_listener_may_be_cancelled_while_it_is_told(void **state) {
    (void)state;
    int32_t descriptor;
    listen_with(hear_once);
    GIVES(CORM_E_MISUSE, corm_listener_descriptor(listener, &descriptor, &failure));
    commit_one();
    commit_one();
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(heard, 1);
    assert_int_equal(released, 1);
    atomic_store(&holds, true);
    listen_with(hear);
    commit_one();
    while (atomic_load(&heard) == 0)
        wait_milliseconds(1);
    corm_listener_close(listener);
    assert_int_equal(released, 0);
    atomic_store(&holds, false);
    OK(corm_queue_flush(queue, &failure));
    commit_one();
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(heard, 1);
    assert_int_equal(released, 1);
    listen_with(hear);
    OK(corm_queue_close(queue, &failure));
    assert_int_equal(released, 0);
    corm_listener_close(listener);
    assert_int_equal(released, 1);
}

/* Who gives a context away need not know where a call fails. */
static void a_context_is_released_where_listening_fails(void **state) {
    (void)state;
    corm_listen_options options = CORM_LISTEN_OPTIONS_INIT;
    options.context = &released;
    options.release = release;
    released = 0;
    GIVES(CORM_E_MISUSE, corm_listener_open(queue, &options, NULL, &failure));
    assert_int_equal(released, 1);
    GIVES(CORM_E_MISUSE, corm_listener_open(NULL, &options, &listener, &failure));
    assert_int_equal(released, 2);
    OK(corm_queue_close(queue, &failure));
    GIVES(CORM_E_MISUSE, corm_listener_open(queue, &options, &listener, &failure));
    assert_int_equal(released, 3);
}

static atomic_int counted;

static void count_parts(corm_completion *completion, void *context) {
    (void)completion;
    corm_batch_count(context);
    atomic_fetch_add(&counted, 1);
}

static corm_status sleep_long(corm_database *database, void *context, corm_error **out_error) {
    (void)database, (void)context, (void)out_error;
    wait_milliseconds(200);
    return CORM_OK;
}

static corm_status do_nothing(corm_database *database, void *context, corm_error **out_error) {
    (void)database, (void)context, (void)out_error;
    return CORM_OK;
}

/* What waits for room keeps nobody from the batch, the thread that makes the room least of all. */
static void a_batch_waits_for_room_without_a_lock(void **state) {
    (void)state;
    corm_queue *small;
    corm_batch *full;
    corm_queue_options options = CORM_QUEUE_OPTIONS_INIT;
    options.capacity = 1;
    OK(corm_queue_open(db, &options, &small, &failure));
    OK(corm_batch_create(small, &full, &failure));
    OK(corm_batch_execute(full, "DELETE FROM person", NULL, 0, &failure));
    OK(corm_queue_add(small, sleep_long, NULL, CORM_WRITE(.callback = count_parts, .context = full), NULL, &failure));
    while (corm_queue_count(small) > 0)
        wait_milliseconds(1);
    OK(corm_queue_add(small, do_nothing, NULL, NULL, NULL, &failure));
    OK(corm_batch_commit(full, CORM_BATCH_ROLLBACK, NULL, NULL, &failure));
    assert_int_equal(atomic_load(&counted), 1);
    corm_batch_free(full);
    OK(corm_queue_close(small, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_batch_may_go_on_after_errors),
        TEST(a_batch_outlives_what_it_came_from),
        TEST(what_cannot_be_added_is_refused),
        TEST(a_listener_may_be_cancelled_while_it_is_told),
        TEST(a_context_is_released_where_listening_fails),
        TEST(a_batch_waits_for_room_without_a_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
