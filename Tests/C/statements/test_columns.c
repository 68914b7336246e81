/* Results as columns: types, NULLs, batches, errors, and the rules of the Arrow C stream interface. */
#include "support.h"

#include <errno.h>
#include <string.h>

static struct ArrowArrayStream stream;
static struct ArrowSchema schema;
static struct ArrowArray batch;

static corm_status open_stream(const char *sql) {
    corm_result *result;
    OK(corm_result_open(db, sql, CORM_NO_VALUES, &result, &failure));
    forget_failure();
    return corm_result_arrow(result, &stream, &failure);
}

/* Opens the columns of a SELECT and reads the schema and the first batch. */
static void read_columns(const char *sql) {
    OK(open_stream(sql));
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
}

static void release_columns(void) {
    if (batch.release)
        batch.release(&batch);
    schema.release(&schema);
    stream.release(&stream);
    assert_null(batch.release);
    assert_null(schema.release);
    assert_null(stream.release);
}

static const void *values_of(int64_t column) { return batch.children[column]->buffers[1]; }

/* Rows 0 to 69,999; the last one's value is an expression of its own. */
#define MANY(last)                                                                                                     \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 69999) "                                 \
    "SELECT i, CASE WHEN i < 69999 THEN nullif(i, 65536) ELSE " last " END AS v FROM n"

static void a_later_value_of_another_type_is_an_error_that_stays(void **state) {
    (void)state;
    const char *selects[] = {MANY("'text'"), MANY("0.5"), MANY("abs(-9223372036854775807 - 1)")};
    const char *messages[] = {"row 69999 has text in column \"v\"", "row 69999 has a real in column \"v\"", "overflow"};
    for (int index = 0; index < 3; index += 1) {
        read_columns(selects[index]);
        batch.release(&batch);
        for (int again = 0; again < 2; again += 1) {
            assert_int_equal(stream.get_next(&stream, &batch), EINVAL);
            assert_non_null(strstr(stream.get_last_error(&stream), messages[index]));
        }
        release_columns();
    }
}

static void long_texts_end_a_batch(void **state) {
    (void)state;
    int64_t before = peak_memory();
    read_columns("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
                 "SELECT zeroblob(4000000) FROM n");
    assert_int_equal(batch.length, 17);
    int64_t rows = 0;
    while (batch.release) {
        rows += batch.length;
        batch.release(&batch);
        assert_int_equal(stream.get_next(&stream, &batch), 0);
    }
    assert_int_equal(rows, 100);
    release_columns();
    assert_true(peak_memory() - before <= 250000);
}

static void children_can_be_moved_out(void **state) {
    (void)state;
    read_columns("SELECT 1 AS a, 'text' AS b UNION ALL SELECT 2, 'more'");
    struct ArrowArray moved = *batch.children[1];
    batch.children[1]->release = NULL;
    struct ArrowSchema name = *schema.children[1];
    schema.children[1]->release = NULL;
    void (*release)(struct ArrowArray *) = batch.release;
    release_columns();
    release(&batch); /* a second time does nothing */
    assert_memory_equal((const char *)moved.buffers[2], "textmore", 8);
    assert_string_equal(name.name, "b");
    moved.release(&moved);
    name.release(&name);
}

static void a_stream_takes_its_result_over(void **state) {
    (void)state;
    corm_result *result;
    struct ArrowSchema again;
    OK(corm_result_open(db, "SELECT 1 AS n UNION ALL SELECT 2", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_result_arrow(result, &stream, &failure));
    GIVES(CORM_E_MISUSE, corm_result_next(result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_arrow(result, &stream, &failure));
    corm_result_close(result);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_schema(&stream, &again), 0);
    again.release(&again);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 1);
    release_columns();
    GIVES(CORM_E_MISUSE, corm_result_arrow(NULL, &stream, &failure));
    OK(corm_result_open(db, "SELECT 1", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_arrow(result, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_result_next(result, &failure));
}

static void a_batch_outlives_its_database(void **state) {
    (void)state;
    read_columns(MANY("5"));
    OK(corm_database_close(db, &failure));
    db = NULL;
    assert_int_equal(((const int64_t *)values_of(0))[65535], 65535);
    batch.release(&batch);
    assert_int_equal(stream.get_next(&stream, &batch), EINVAL);
    assert_non_null(strstr(stream.get_last_error(&stream), "closed"));
    release_columns();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_later_value_of_another_type_is_an_error_that_stays),
        TEST(long_texts_end_a_batch),
        TEST(children_can_be_moved_out),
        TEST(a_stream_takes_its_result_over),
        TEST(a_batch_outlives_its_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
