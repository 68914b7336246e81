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

/* The formats of all columns with a "?" after those that are nullable: "l g? u". */
static const char *formats(void) {
    static char text[256];
    text[0] = '\0';
    for (int64_t column = 0; column < schema.n_children; column += 1) {
        strcat(strcat(text, column ? " " : ""), schema.children[column]->format);
        strcat(text, schema.children[column]->flags & ARROW_FLAG_NULLABLE ? "?" : "");
    }
    return text;
}

static const void *values_of(int64_t column) { return batch.children[column]->buffers[1]; }

static bool is_null(int64_t column, int64_t row) {
    const uint8_t *bits = batch.children[column]->buffers[0];
    return bits && !(bits[row / 8] >> row % 8 & 1);
}

static bool is_text(int64_t column, int64_t row, const char *text) {
    const int32_t *offsets = values_of(column);
    const char *bytes = batch.children[column]->buffers[2];
    size_t size = (size_t)(offsets[row + 1] - offsets[row]);
    return size == strlen(text) && memcmp(bytes + offsets[row], text, size) == 0;
}

static void raw_rows_have_the_declared_types(void **state) {
    (void)state;
    OK(corm_database_execute_script(
        db,
        "CREATE TABLE t (a INTEGER, b VARCHAR(9), c DOUBLE, d BLOB, e DECIMAL(9, 2), "
        "f BOOLEAN, g DATETIME, h STRING, i);"
        "INSERT INTO t VALUES (1, 'x', 1, x'0001', 5, 1, '2024-02-29 12:00:00', 'text', 7),"
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),"
        "(-9223372036854775807 - 1, 'é' || char(0), 2.5, x'', 0.25, 0, '1970-01-01 00:00:00', '', 8)",
        &failure));
    read_columns("SELECT * FROM t");
    assert_string_equal(schema.format, "+s");
    assert_string_equal(formats(), "l? u? g? z? g? b? tsu:UTC? u? l?");
    assert_string_equal(schema.children[8]->name, "i");
    assert_int_equal(batch.length, 3);
    assert_int_equal(batch.n_buffers, 1);
    for (int64_t column = 0; column < 9; column += 1) {
        assert_int_equal(batch.children[column]->null_count, 1);
        assert_false(is_null(column, 0) || !is_null(column, 1) || is_null(column, 2));
    }
    assert_true(((const int64_t *)values_of(0))[2] == INT64_MIN);
    assert_int_equal(((const int32_t *)values_of(1))[3], 1 + 3);
    assert_true(((const double *)values_of(2))[0] == 1 && ((const double *)values_of(2))[2] == 2.5);
    assert_int_equal(((const int32_t *)values_of(3))[3], 2);
    assert_true(((const double *)values_of(4))[0] == 5 && ((const double *)values_of(4))[2] == 0.25);
    assert_int_equal(((const uint8_t *)values_of(5))[0], 1);
    assert_true(((const int64_t *)values_of(6))[0] == INT64_C(1709208000000000) &&
                ((const int64_t *)values_of(6))[2] == 0);
    assert_true(is_text(7, 0, "text") && is_text(7, 1, "") && is_text(7, 2, ""));
    release_columns();
}

static void no_row_has_the_declared_types(void **state) {
    (void)state;
    OK(corm_database_execute_script(
        db, "CREATE TABLE t (a BIGINT, b TEXT, c REAL, d BLOB, e NUMERIC, f BOOL, g TIMESTAMP, h)", &failure));
    read_columns("SELECT t.*, a + 1, NULL FROM t");
    assert_string_equal(formats(), "l? u? g? z? g? b? tsu:UTC? n? n? n?");
    assert_null(batch.release);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_null(batch.release);
    release_columns();
}

static void expressions_have_the_type_of_their_rows(void **state) {
    (void)state;
    read_columns("WITH t(n) AS (VALUES (NULL), (1), (2), (NULL), (3)) "
                 "SELECT n, CASE n WHEN 2 THEN 0.5 ELSE n END, NULL, 't' || n, CAST(n AS BLOB), n = 2 FROM t");
    assert_string_equal(formats(), "l? g? n? u? z? l?");
    const double *reals = values_of(1);
    assert_true(is_null(1, 0) && reals[1] == 1 && reals[2] == 0.5 && is_null(1, 3) && reals[4] == 3);
    assert_int_equal(batch.children[2]->n_buffers, 0);
    assert_int_equal(batch.children[2]->null_count, 5);
    assert_true(is_text(3, 2, "t2"));
    release_columns();
}

static void a_value_of_another_type_is_an_error(void **state) {
    (void)state;
    GIVES(CORM_E_TYPE, open_stream("SELECT column1 AS v FROM (VALUES (1), (2), ('three'))"));
    assert_string_equal(corm_error_message(failure), "row 2 has text in column \"v\"");
    assert_string_equal(columns_of(failure), "v");
    assert_null(stream.release);
    OK(corm_database_execute_script(db,
                                    "CREATE TABLE t (a INTEGER, b TEXT, c REAL); INSERT INTO t VALUES "
                                    "(1.5, CAST(x'ff' AS TEXT), 9007199254740993), (1, 'b', x'00')",
                                    &failure));
    GIVES(CORM_E_TYPE, open_stream("SELECT a FROM t"));
    GIVES(CORM_E_ENCODING, open_stream("SELECT b FROM t"));
    GIVES(CORM_E_TYPE, open_stream("SELECT c FROM t"));
    GIVES(CORM_E_RANGE, open_stream("SELECT column1 FROM (VALUES (9007199254740993), (0.5))"));
    GIVES(CORM_E_SQL, open_stream("SELECT abs(-9223372036854775807 - 1)"));
}

/* Rows 0 to 69,999; the last one's value is an expression of its own. */
#define MANY(last)                                                                                                     \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 69999) "                                 \
    "SELECT i, CASE WHEN i < 69999 THEN nullif(i, 65536) ELSE " last " END AS v FROM n"

static void rows_come_in_batches(void **state) {
    (void)state;
    read_columns(MANY("5"));
    struct ArrowArray first = batch;
    assert_int_equal(first.length, 65536);
    assert_null(first.children[1]->buffers[0]);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 70000 - 65536);
    assert_true(is_null(1, 0) && !is_null(1, 1));
    assert_int_equal(((const int64_t *)values_of(0))[70000 - 65536 - 1], 69999);
    assert_int_equal(((const int64_t *)first.children[0]->buffers[1])[65535], 65535);
    first.release(&first);
    batch.release(&batch);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_null(batch.release);
    release_columns();
}

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

static void records_have_the_types_of_their_model(void **state) {
    (void)state;
    const char *order[] = {"-id"};
    corm_query query = {.struct_size = sizeof query, .order_by = order, .order_by_count = 1, .limit = 2};
    insert_people(3);
    OK(corm_query_arrow(db, people, &query, &stream, &failure));
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_string_equal(formats(), "l u u? l? g");
    assert_int_equal(batch.length, 2);
    assert_true(((const int64_t *)values_of(0))[0] == 3 && is_text(1, 0, "p3"));
    release_columns();

    OK(corm_database_execute_script(db, "UPDATE person SET age = 'old'", &failure));
    GIVES(CORM_E_TYPE, corm_query_arrow(db, people, NULL, &stream, &failure));
    assert_string_equal(corm_error_message(failure), "row 0 has text in column \"age\"");
}

static void a_statement_knows_its_models(void **state) {
    (void)state;
    corm_result *result;
    corm_statement *select = corm_statement_create(CORM_SELECT, people, NULL);
    OK(corm_result_open_statement(db, select, NULL, 0, &result, &failure));
    OK(corm_result_arrow(result, &stream, &failure));
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_string_equal(formats(), "l u u? l? g");
    release_columns();
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(people, "height"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_as(corm_expr_column(people, "name"), "who"));
    OK(corm_result_open_statement(db, select, NULL, 0, &result, &failure));
    OK(corm_result_arrow(result, &stream, &failure));
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_string_equal(formats(), "g? u?");
    assert_string_equal(schema.children[1]->name, "who");
    release_columns();
    corm_statement_free(select);
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
        TEST(raw_rows_have_the_declared_types),
        TEST(no_row_has_the_declared_types),
        TEST(expressions_have_the_type_of_their_rows),
        TEST(a_value_of_another_type_is_an_error),
        TEST(rows_come_in_batches),
        TEST(a_later_value_of_another_type_is_an_error_that_stays),
        TEST(long_texts_end_a_batch),
        TEST(records_have_the_types_of_their_model),
        TEST(a_statement_knows_its_models),
        TEST(children_can_be_moved_out),
        TEST(a_stream_takes_its_result_over),
        TEST(a_batch_outlives_its_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
