/* Counts and sizes that cannot be, and memory that is not there. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

static const size_t large = 256 << 20;

/* Runs in a process that may have little more memory than it has. */
static void without_memory(void (*work)(const char *bytes)) {
    if (getenv("CORMORANT_TEST_KEY") != NULL || peak_memory() == 0)
        return;
    char *bytes = malloc(large);
    memset(bytes, 'x', large);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit;
        FILE *size = fopen("/proc/self/statm", "r");
        unsigned long pages = 0;
        if (size == NULL || fscanf(size, "%lu", &pages) != 1)
            _exit(9);
        limit.rlim_cur = limit.rlim_max = pages * 4096 + large / 2;
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(9);
        work(bytes);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    free(bytes);
    if (status != 0)
        fail_msg("the child ended with %d, signal %d", WEXITSTATUS(status), WTERMSIG(status));
}

#define EXPECT(number, good)                                                                                           \
    if (!(good))                                                                                                       \
    _exit(number)

/* finding c.md 5: it ended the process. The parent's database is not for the child, so it has one of its own. */
static void ask_for_much(const char *bytes) {
    corm_database *other;
    corm_json_reader *reader;
    corm_queue *queue;
    corm_batch *batch;
    EXPECT(2, corm_database_open(":memory:", NULL, &other, NULL) == CORM_OK);
    corm_arena *arena = corm_arena_create();
    EXPECT(3, corm_arena_copy(arena, bytes, large - 1) == NULL);
    EXPECT(4, corm_json_reader_create(people, NULL, &reader, NULL) == CORM_OK);
    EXPECT(5, corm_json_reader_feed(reader, bytes, large, NULL) == CORM_E_NO_MEMORY);
    EXPECT(6, corm_queue_open(other, NULL, &queue, NULL) == CORM_OK);
    EXPECT(7, corm_queue_begin(queue, &batch, NULL) == CORM_OK);
    corm_value value = corm_value_blob(bytes, large);
    EXPECT(8, corm_batch_execute(batch, "SELECT ?", &value, 1, NULL) == CORM_E_NO_MEMORY);
    person one = {.name = "x"};
    EXPECT(10, corm_batch_insert(batch, people, &one, 0, NULL) == CORM_OK);
    corm_result *result;
    EXPECT(11, corm_result_open(other, "SELECT ?", &value, 1, &result, NULL) == CORM_E_NO_MEMORY);
    EXPECT(12, corm_database_execute(other, "CREATE TABLE t AS SELECT zeroblob(500000000)", NULL, 0, NULL, NULL) ==
                   CORM_E_NO_MEMORY);
}

static void memory_that_is_not_there(void **state) {
    (void)state;
    without_memory(ask_for_much);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(counts_that_cannot_be),
        TEST(a_blob_is_measured_before_it_is_read),
        TEST(memory_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
