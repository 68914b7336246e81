/* Counts and sizes that cannot be. */
#include "support.h"

/* finding c.md 8: some stopped the process. */
static void counts_that_cannot_be(void **state) {
    (void)state;
    static const size_t counts[] = {(size_t)1 << 40, INT64_MAX, SIZE_MAX};
    corm_queue *queue;
    corm_batch *batch;
    corm_json_reader *reader;
    corm_json_text *text;
    person one = {.name = "x"};
    corm_model *model = people;
    corm_value value = corm_value_int64(1);
    corm_status status;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_queue_begin(queue, &batch, &failure));
    OK(corm_json_reader_create(people, NULL, &reader, &failure));
#define TRY(...)                                                                                                       \
    forget_failure();                                                                                                  \
    status = __VA_ARGS__;                                                                                              \
    if (status != CORM_E_MISUSE && status != CORM_E_TOO_BIG)                                                           \
    fail_msg("%s of %zu gives %s", #__VA_ARGS__, counts[index], corm_status_name(status))
    for (size_t index = 0; index < 3; index += 1) {
        TRY(corm_json_reader_feed(reader, "[]", counts[index], &failure));
        TRY(corm_json_write(people, &one, counts[index], NULL, 0, NULL, &text, &failure));
        TRY(corm_json_write(people, &one, 1, (void *)&one, counts[index], NULL, &text, &failure));
        TRY(corm_block_batch_execute(batch, "SELECT 1", "[\0\0\0", counts[index], &failure));
        TRY(corm_block_batch_write(batch, people, CORM_WRITE_INSERT, 0, NULL, 0, "[\1\0\0\0", counts[index], &failure));
        TRY(corm_model_create_tables(db, (const corm_model *const *)&model, counts[index], &failure));
        TRY(corm_batch_execute(batch, "SELECT ?", &value, counts[index], &failure));
        TRY(corm_database_execute(db, "SELECT ?", &value, counts[index], NULL, &failure));
        TRY(corm_record_insert_many(db, people, &one, counts[index], 0, NULL, NULL, &failure));
        TRY(corm_record_delete_many(db, people, &one, counts[index], NULL, &failure));
        TRY(corm_database_execute(db, "SELECT ?", CORM_VALUES(corm_value_blob("x", counts[index])), NULL, &failure));
    }
    corm_json_reader_free(reader);
    corm_batch_free(batch);
    OK(corm_queue_close(queue, &failure));
}

/* A blob of 2^31 bytes was copied before anyone asked SQLite whether it takes one. */
static void a_blob_is_measured_before_it_is_read(void **state) {
    (void)state;
    corm_result *result;
    corm_value huge = corm_value_blob("x", INT32_MAX);
    GIVES(CORM_E_TOO_BIG, corm_database_execute(db, "SELECT ?", &huge, 1, NULL, &failure));
    GIVES(CORM_E_TOO_BIG, corm_result_open(db, "SELECT ?", &huge, 1, &result, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(counts_that_cannot_be),
        TEST(a_blob_is_measured_before_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
