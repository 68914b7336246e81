/* Handles that are NULL, closed or of another kind, arguments that are missing and sizes that cannot be: all are refused. */
#include "support.h"

#include <cormorant-binding.h>

#define REFUSED(call) GIVES(CORM_E_MISUSE, call)

/* Calls every function that takes a database with `d`, which is none. */
static void refuse_database(corm_database *d) {
    corm_block block = {0};
    corm_result *cursor = NULL;
    int64_t count = 77;
    REFUSED(corm_block_write(d, people, CORM_WRITE_INSERT, 0, NULL, NULL, 0, false, "[\0\0\0", 5, &block, &count,
                             &failure));
    REFUSED(corm_block_find(d, people, "(\0\0\0", 5, &block, &failure));
    REFUSED(corm_block_execute(d, "SELECT 1", NULL, 0, false, &count, &failure));
    REFUSED(corm_block_open(d, people, NULL, NULL, 0, NULL, 0, 0, &cursor, &failure));
    REFUSED(corm_block_run(d, "SELECT 1", "BEGIN", NULL, 0, 1, &block, &failure));
    REFUSED(corm_block_in_transaction(d, &count, &failure));
    REFUSED(corm_block_on_rollback(d, NULL, NULL, NULL, &failure));
    REFUSED(corm_block_count(d, people, NULL, NULL, 0, &count, &failure));
    REFUSED(corm_block_max_key(d, people, &block, &failure));
    REFUSED(corm_block_delete_key(d, people, "(\0\0\0", 5, &failure));
    assert_int_equal(count, 77);
    assert_true(cursor == NULL && block.data == NULL);
}

/* Calls every function that takes a model with `m`, which is none. */
static void refuse_model(corm_model *m) {
    corm_block block = {0};
    REFUSED(corm_block_write(db, m, CORM_WRITE_INSERT, 0, NULL, NULL, 0, false, "[\0\0\0", 5, &block, NULL, &failure));
    REFUSED(corm_block_find(db, m, "(\0\0\0", 5, &block, &failure));
    REFUSED(corm_block_max_key(db, m, &block, &failure));
}

static void refuse_cursor(void *none) {
    corm_block block = {0};
    int64_t reads;
    REFUSED(corm_block_next(none, 1, &block, &failure));
    REFUSED(corm_block_only_reads(none, &reads, &failure));
    assert_int_equal(corm_result_column_count(none), 0);
    assert_null(corm_result_column_name(none, 0));
    corm_result_close(none);
}

static void handles_that_are_none(void **state) {
    (void)state;
    refuse_database(NULL);
    refuse_model(NULL);
    refuse_cursor(NULL);
    refuse_database((corm_database *)people);
    refuse_model((corm_model *)db);
    refuse_cursor(db);
    refuse_cursor(people);
    insert_people(1);
}

static void closed_handles(void **state) {
    (void)state;
    corm_database *closed = db;
    OK(corm_database_close(db, &failure));
    db = NULL;
    refuse_database(closed);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    corm_model *freed = people;
    corm_model_free(freed);
    people = NULL;
    refuse_model(freed);
}

static void arguments_that_are_missing(void **state) {
    (void)state;
    corm_block block = {0};
    REFUSED(corm_block_find(db, people, NULL, 5, &block, &failure));
    REFUSED(corm_block_open(db, NULL, NULL, NULL, 0, NULL, 0, 0, NULL, &failure));
}

/* finding c.md 8: some stopped the process. */
static void sizes_that_cannot_be(void **state) {
    (void)state;
    static const size_t sizes[] = {(size_t)1 << 40, INT64_MAX, SIZE_MAX};
    corm_queue *queue;
    corm_batch *batch;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    for (int i = 0; i < 3; i++) {
        assert_true(corm_block_batch_execute(batch, "SELECT 1", "[\0\0\0", sizes[i], &failure) < 0);
        forget_failure();
        assert_true(corm_block_batch_write(batch, people, CORM_WRITE_INSERT, 0, NULL, "[\1\0\0\0", sizes[i], &failure) <
                    0);
        forget_failure();
    }
    corm_batch_free(batch);
    OK(corm_queue_close(queue, &failure));
}

static void a_process_without_python(void **state) {
    (void)state;
    int64_t object = 1;
    assert_false(corm_python_is_loaded());
    assert_null(corm_python_find(&object, &object));
    corm_python_destroy_stream(&object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(handles_that_are_none), TEST(closed_handles),           TEST(arguments_that_are_missing),
        TEST(sizes_that_cannot_be),  TEST(a_process_without_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
