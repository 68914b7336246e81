/* Rows in blocks, as bindings of other languages use them. */
#include "marshal.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static marshalled rows;
static corm_block block;

static int set_up_block(void **state) {
    memset(&rows, 0, sizeof rows);
    memset(&block, 0, sizeof block);
    return set_up(state);
}

static int tear_down_block(void **state) {
    corm_block_free(&block);
    return tear_down(state);
}

static void put_person(int32_t id, const char *name, int32_t age) {
    put_tuple(&rows, 5);
    if (id == 0)
        put_none(&rows);
    else
        put_int(&rows, id);
    put_str(&rows, name, strlen(name));
    put_none(&rows);
    put_int(&rows, age);
    put_float(&rows, 1.5);
}

static corm_status write(int32_t operation, int64_t *out_count) {
    corm_status status = corm_block_write(db, people, operation, CORM_CONFLICT_ABORT, NULL, NULL, 0, false, rows.bytes,
                                          rows.size, &block, out_count, &failure);
    rows.size = 0;
    return status;
}

static corm_status find(int32_t key, corm_block *into) {
    marshalled one = {0};
    put_tuple(&one, 1);
    put_int(&one, key);
    return corm_block_find(db, people, one.bytes, one.size, into, &failure);
}

static void rows_are_written_and_read(void **state) {
    (void)state;
    int64_t count = -1;
    put_list(&rows, 2);
    put_person(0, "Ada", 36);
    put_person(7, "Grace", 85);
    OK(write(CORM_WRITE_INSERT, &count));
    assert_int_equal(count, 2);
    assert_string_equal(block_text(&block), "[1, None]");

    put_tuple(&rows, 2);
    put_person(7, "Grace Hopper", 86);
    put_person(8, "Edsger", 72);
    OK(write(CORM_WRITE_SAVE, &count));
    put_list(&rows, 1);
    put_person(1, "Ada L", 37);
    OK(corm_block_write(db, people, CORM_WRITE_UPDATE, CORM_CONFLICT_ABORT, "age", NULL, 0, false, rows.bytes,
                        rows.size, &block, &count, &failure));
    assert_string_equal(block_text(&block), "[None]");
    rows.size = 0;
    put_list(&rows, 2);
    put_person(8, "", 0);
    put_person(9, "", 0);
    OK(write(CORM_WRITE_DELETE, &count));
    assert_int_equal(count, 1);
    assert_string_equal(block_text(&block), "[True, False]");

    OK(find(1, &block));
    assert_string_equal(block_text(&block), "(1, 'Ada', None, 37, 1.5)");
    OK(find(7, &block));
    assert_string_equal(block_text(&block), "(7, 'Grace Hopper', None, 86, 1.5)");
    GIVES(CORM_NOT_FOUND, find(8, &block));
    OK(find(7, NULL));
    GIVES(CORM_NOT_FOUND, find(8, NULL));
    put_tuple(&rows, 1);
    put_int(&rows, 7);
    OK(corm_block_delete_key(db, people, rows.bytes, rows.size, &failure));
    GIVES(CORM_NOT_FOUND, corm_block_delete_key(db, people, rows.bytes, rows.size, &failure));
    OK(corm_block_max_key(db, people, &block, &failure));
    assert_string_equal(block_text(&block), "1");
    OK(corm_query_delete(db, people, NULL, NULL, &failure));
    GIVES(CORM_NOT_FOUND, corm_block_max_key(db, people, &block, &failure));
}

static corm_status write_some(int32_t operation, const char *properties, const int32_t *columns, size_t column_count,
                              bool is_part) {
    corm_status status = corm_block_write(db, people, operation, CORM_CONFLICT_ABORT, properties, columns, column_count,
                                          is_part, rows.bytes, rows.size, &block, NULL, &failure);
    rows.size = 0;
    return status;
}

static void rows_of_some_columns_are_one_list(void **state) {
    (void)state;
    put_list(&rows, 3);
    put_person(1, "Ada", 36);
    put_person(2, "Grace", 85);
    put_person(3, "Edsger", 72);
    OK(write(CORM_WRITE_INSERT, NULL));
    static const int32_t key_and_age[] = {0, 3}, key[] = {0}, beyond[] = {0, 5}, below[] = {-1};
    put_list(&rows, 4);
    put_int(&rows, 1);
    put_int(&rows, 37);
    put_int(&rows, 2);
    put_int(&rows, 86);
    OK(write_some(CORM_WRITE_UPDATE, "age", key_and_age, 2, false));
    assert_string_equal(block_text(&block), "[None, None]");
    assert_int_equal(select_int("SELECT sum(age) FROM person"), 37 + 86 + 72);
    put_list(&rows, 4);
    put_int(&rows, 1);
    put_int(&rows, 38);
    put_int(&rows, 2);
    put_int(&rows, -1);
    GIVES(CORM_E_CHECK, write_some(CORM_WRITE_UPDATE, "age", key_and_age, 2, false));
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    put_list(&rows, 3);
    put_int(&rows, 2);
    put_int(&rows, 9);
    put_int(&rows, 3);
    OK(write_some(CORM_WRITE_DELETE, NULL, key, 1, false));
    assert_string_equal(block_text(&block), "[True, False, True]");
    put_list(&rows, 3);
    for (int number = 0; number < 3; number += 1)
        put_int(&rows, 1);
    marshalled three = rows;
    GIVES(CORM_E_MISUSE, write_some(CORM_WRITE_UPDATE, "age", key_and_age, 2, false));
    rows = three;
    GIVES(CORM_E_MISUSE, write_some(CORM_WRITE_UPDATE, "age", beyond, 2, false));
    rows = three;
    GIVES(CORM_E_MISUSE, write_some(CORM_WRITE_DELETE, NULL, below, 1, false));
    rows = three;
    GIVES(CORM_E_MISUSE, write_some(CORM_WRITE_DELETE, NULL, key, 0, false));
    put_list(&rows, 2);
    put_tuple(&rows, 1);
    put_int(&rows, 1);
    put_int(&rows, 1);
    GIVES(CORM_E_TYPE, write_some(CORM_WRITE_DELETE, NULL, key, 1, false));
    assert_string_equal(select_text("SELECT group_concat(id || ' ' || age) FROM person"), "1 37");
}

static void a_part_of_a_batch_has_no_savepoint(void **state) {
    (void)state;
    put_list(&rows, 2);
    put_person(1, "a", 1);
    put_person(2, "b", -1);
    /* Where no transaction is open it is a whole. */
    GIVES(CORM_E_CHECK, write_some(CORM_WRITE_INSERT, NULL, NULL, 0, true));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    put_list(&rows, 2);
    put_person(1, "a", 1);
    put_person(2, "b", -1);
    GIVES(CORM_E_CHECK, write_some(CORM_WRITE_INSERT, NULL, NULL, 0, true));
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 1);
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
}

static void a_batch_that_fails_says_where(void **state) {
    (void)state;
    put_list(&rows, 3);
    put_person(0, "a", 1);
    put_person(0, "b", -1);
    put_person(0, "c", 3);
    GIVES(CORM_E_CHECK, write(CORM_WRITE_INSERT, NULL));
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
    put_list(&rows, 2);
    put_person(1, "a", 1);
    put_person(1, "b", 1);
    OK(corm_block_write(db, people, CORM_WRITE_INSERT, CORM_CONFLICT_IGNORE, NULL, NULL, 0, false, rows.bytes,
                        rows.size, &block, NULL, &failure));
    assert_string_equal(block_text(&block), "[None, False]");
}

static void a_cursor_gives_rows_in_portions(void **state) {
    (void)state;
    corm_result *cursor;
    insert_people(5);
    OK(corm_block_open(db, people, NULL, NULL, 0, "-id", 4, 1, &cursor, &failure));
    assert_int_equal(corm_result_column_count(cursor), 5);
    assert_string_equal(corm_result_column_name(cursor, 1), "name");
    assert_null(corm_result_column_name(cursor, 5));
    assert_null(corm_result_column_name(cursor, -1));
    GIVES(CORM_ROW, corm_block_next(cursor, 3, &block, &failure));
    assert_string_equal(block_text(&block), "[(4, 'p4', None, 4, 0), (3, 'p3', None, 3, 0), (2, 'p2', None, 2, 0)]");
    GIVES(CORM_ROW, corm_block_next(cursor, 3, &block, &failure));
    assert_string_equal(block_text(&block), "[(1, 'p1', None, 1, 0)]");
    GIVES(CORM_DONE, corm_block_next(cursor, 3, &block, &failure));
    corm_result_close(cursor);
    corm_result_close(cursor);
    corm_result_close(NULL);
    assert_int_equal(corm_result_column_count(cursor), 0);
    GIVES(CORM_E_MISUSE, corm_block_next(cursor, 3, &block, &failure));
}

static void a_cursor_over_sql_and_over_attributes(void **state) {
    (void)state;
    corm_result *cursor;
    int64_t count;
    insert_people(5);
    put_dict(&rows);
    put_str(&rows, "name", 4);
    put_str(&rows, "p2", 2);
    put_dict_end(&rows);
    OK(corm_block_open(db, people, NULL, rows.bytes, rows.size, NULL, 0, 0, &cursor, &failure));
    GIVES(CORM_ROW, corm_block_next(cursor, 100, &block, &failure));
    assert_string_equal(block_text(&block), "[(2, 'p2', None, 2, 0)]");
    corm_result_close(cursor);
    OK(corm_block_count(db, people, NULL, rows.bytes, rows.size, &count, &failure));
    assert_int_equal(count, 1);
    OK(corm_block_open(db, NULL, "SELECT :name AS n, x'00ff' AS b, 0.5 AS r, 9223372036854775807 AS i, -2147483649",
                       rows.bytes, rows.size, NULL, 0, 0, &cursor, &failure));
    assert_int_equal(corm_result_column_count(cursor), 5);
    GIVES(CORM_ROW, corm_block_next(cursor, 100, &block, &failure));
    assert_string_equal(block_text(&block), "[('p2', b00ff, 0.5, 9223372036854775807, -2147483649)]");
    OK(corm_database_close(db, &failure));
    db = NULL;
    GIVES(CORM_E_MISUSE, corm_block_next(cursor, 100, &block, &failure));
    corm_result_close(cursor);
}

static void a_cursor_says_whether_it_only_reads(void **state) {
    (void)state;
    corm_result *cursor;
    int64_t reads;
    insert_people(2);
    OK(corm_block_open(db, NULL, "WITH a AS (SELECT 1) SELECT * FROM a", NULL, 0, NULL, 0, 0, &cursor, &failure));
    OK(corm_block_only_reads(cursor, &reads, &failure));
    assert_int_equal(reads, 1);
    corm_result_close(cursor);
    OK(corm_block_open(db, NULL, "DELETE FROM person RETURNING id", NULL, 0, NULL, 0, 0, &cursor, &failure));
    OK(corm_block_only_reads(cursor, &reads, &failure));
    assert_int_equal(reads, 0);
    corm_result_close(cursor);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
}

/* corm_block_run with the bindings in `rows`, where there are some. */
static corm_status run(const char *sql, int64_t max_rows) {
    return corm_block_run(db, sql, "BEGIN", rows.size == 0 ? NULL : rows.bytes, rows.size, max_rows, &block, &failure);
}

static void a_statement_tells_all_at_once(void **state) {
    (void)state;
    int64_t is_open;
    rows.size = 0;
    OK(run("PRAGMA user_version = 3", 1));
    OK(corm_block_in_transaction(db, &is_open, &failure));
    assert_int_equal(is_open, 0);
    OK(run("CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR(3))", 1));
    assert_string_equal(block_text(&block), "([], (), (), -1, None, None)");
    OK(corm_block_in_transaction(db, &is_open, &failure));
    assert_int_equal(is_open, 1);
    put_list(&rows, 2);
    for (int32_t key = 7; key < 9; key++) {
        put_tuple(&rows, 1);
        put_int(&rows, key);
    }
    OK(run("INSERT INTO t (a) VALUES (?)", 0));
    assert_string_equal(block_text(&block), "([], (), (), 2, None, None)");
    GIVES(CORM_E_UNIQUE, run("INSERT INTO t (a) SELECT 15 - ?", 0));
    rows.size = 0;
    OK(run("INSERT INTO t (b) VALUES ('x') RETURNING a", 1));
    assert_string_equal(block_text(&block), "([(9)], ('a'), ('INTEGER'), 1, 9, None)");
    OK(run("SELECT a AS k, b, a + 1 FROM t", 2));
    const char *told =
        "([(7, None, 8), (8, None, 9)], ('k', 'b', 'a + 1'), ('INTEGER', 'VARCHAR(3)', None), -1, None, ";
    const char *text = block_text(&block);
    assert_memory_equal(text, told, strlen(told));
    corm_result *rest = (corm_result *)(intptr_t)strtoll(text + strlen(told), NULL, 10);
    GIVES(CORM_ROW, corm_block_next(rest, 2, &block, &failure));
    GIVES(CORM_DONE, corm_block_next(rest, 2, &block, &failure));
    corm_result_close(rest);
    OK(run("ROLLBACK", 1));
    OK(corm_block_in_transaction(db, &is_open, &failure));
    assert_int_equal(is_open, 0);
}

/* What was undone, in order, and what was let go of. */
static char undone[16], released[16];

static void undo(void *context) { strcat(undone, context); }

static void release(void *context) { strcat(released, context); }

static void what_is_to_be_undone(void **state) {
    (void)state;
    /* In no transaction there is nothing to undo. */
    OK(corm_block_on_rollback(db, undo, "0", release, &failure));
    assert_string_equal(released, "0");
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_block_on_rollback(db, undo, "1", release, &failure));
    for (const char *const *name = (const char *[]){"2", "3", "4", NULL}; *name != NULL; name++) {
        OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
        OK(corm_block_on_rollback(db, undo, (void *)*name, release, &failure));
    }
    OK(corm_transaction_commit(db, &failure));
    assert_string_equal(undone, "");
    OK(corm_transaction_rollback(db, &failure));
    assert_string_equal(undone, "43");
    assert_string_equal(released, "043");
    OK(corm_transaction_commit(db, &failure));
    OK(corm_transaction_rollback(db, &failure));
    assert_string_equal(undone, "4321");
    assert_string_equal(released, "04321");
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_block_on_rollback(db, undo, "5", release, &failure));
    OK(corm_transaction_commit(db, &failure));
    assert_string_equal(undone, "4321");
    assert_string_equal(released, "043215");
}

static void statements_with_sets_of_bindings(void **state) {
    (void)state;
    int64_t changes = -1;
    OK(corm_block_execute(db, "CREATE TABLE t (a, b)", NULL, 0, false, &changes, &failure));
    put_list(&rows, 3);
    for (int32_t index = 0; index < 3; index += 1) {
        put_tuple(&rows, 2);
        put_long(&rows, index == 0 ? INT64_MIN : INT64_MAX);
        put_bytes(&rows, "\0\xff", 2);
    }
    OK(corm_block_execute(db, "INSERT INTO t VALUES (?, ?)", rows.bytes, rows.size, false, &changes, &failure));
    assert_int_equal(changes, 3);
    assert_true(select_int("SELECT a FROM t WHERE rowid = 1") == INT64_MIN);
    assert_true(select_int("SELECT a FROM t WHERE rowid = 3") == INT64_MAX);
    rows.size = 0;
    put_list(&rows, 2);
    put_tuple(&rows, 2);
    put_bool(&rows, true);
    put_str(&rows, "a\0b", 3);
    put_tuple(&rows, 1);
    put_none(&rows);
    GIVES(CORM_E_BINDING,
          corm_block_execute(db, "INSERT INTO t VALUES (?, ?)", rows.bytes, rows.size, false, &changes, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM t"), 3);
}

static void blocks_of_plain_values(void **state) {
    (void)state;
    put_list(&rows, 2);
    put_tuple(&rows, 5);
    put_none(&rows);
    put_bool(&rows, true);
    put_long(&rows, INT64_MAX);
    put_float(&rows, 0.5);
    put_str(&rows, "s", 1);
    put_tuple(&rows, 1);
    size_t last = rows.size;
    put_int(&rows, 1);
    assert_true(corm_block_is_plain(rows.bytes, rows.size));
    for (size_t size = 0; size < rows.size; size += 1)
        assert_false(corm_block_is_plain(rows.bytes, size));
    rows.size = last;
    put_bytes(&rows, "s", 1);
    assert_false(corm_block_is_plain(rows.bytes, rows.size));
    rows.size = last;
    put_tuple(&rows, 0);
    assert_false(corm_block_is_plain(rows.bytes, rows.size));
    assert_false(corm_block_is_plain(NULL, 0));
}

static void blocks_that_cannot_be_read(void **state) {
    (void)state;
    put_list(&rows, 1);
    put_person(1, "a", 1);
    marshalled whole = rows;
    for (size_t size = 0; size < whole.size; size += 1) {
        /* A copy of exactly this size, so that a read beyond it is seen by the sanitizers. */
        unsigned char *cut = malloc(size + (size == 0));
        memcpy(cut, whole.bytes, size);
        GIVES(CORM_E_MISUSE, corm_block_write(db, people, CORM_WRITE_INSERT, CORM_CONFLICT_ABORT, NULL, NULL, 0, false,
                                              cut, size, &block, NULL, &failure));
        free(cut);
    }
    /* Any byte changed may be an error of any kind or another good block, never a crash. */
    for (size_t place = 0; place < whole.size; place += 1) {
        for (int byte = 0; byte < 256; byte += 1) {
            unsigned char *spoilt = malloc(whole.size);
            memcpy(spoilt, whole.bytes, whole.size);
            spoilt[place] = (unsigned char)byte;
            corm_block_write(db, people, CORM_WRITE_SAVE, CORM_CONFLICT_ABORT, NULL, NULL, 0, false, spoilt, whole.size,
                             &block, NULL, NULL);
            free(spoilt);
        }
    }
    assert_string_equal(select_text("PRAGMA integrity_check"), "ok");
    static const unsigned char huge_long[] = {'[', 1, 0, 0, 0, '(', 1, 0, 0, 0, 'l', 5, 0,
                                              0,   0, 0, 0, 0, 0,   0, 0, 0, 0, 8,   0};
    GIVES(CORM_E_RANGE, corm_block_execute(db, "SELECT ?", huge_long, sizeof huge_long, false, NULL, &failure));
    rows.size = 0;
    for (int depth = 0; depth < 800; depth += 1)
        put_list(&rows, 1);
    GIVES(CORM_E_MISUSE, write(CORM_WRITE_INSERT, NULL));
    put_list(&rows, 1);
    put_tuple(&rows, 4);
    for (int column = 0; column < 4; column += 1)
        put_none(&rows);
    GIVES(CORM_E_MISUSE, write(CORM_WRITE_INSERT, NULL));
    GIVES(CORM_E_MISUSE,
          corm_block_write(db, people, 5, 0, NULL, NULL, 0, false, whole.bytes, whole.size, &block, NULL, &failure));
    GIVES(CORM_E_MISUSE,
          corm_block_write(db, people, CORM_WRITE_INSERT, 0, NULL, NULL, 0, false, NULL, 10, &block, NULL, &failure));
}

static void a_table_dropped_under_a_known_model(void **state) {
    (void)state;
    put_list(&rows, 1);
    put_person(0, "a", 1);
    OK(write(CORM_WRITE_INSERT, NULL));
    OK(corm_database_execute(db, "DROP TABLE person", CORM_NO_VALUES, NULL, &failure));
    put_list(&rows, 1);
    put_person(0, "a", 1);
    GIVES(CORM_E_SCHEMA, write(CORM_WRITE_INSERT, NULL));
    GIVES(CORM_E_SCHEMA, find(1, &block));
    OK(corm_model_create_tables(db, CORM_MODELS(people), &failure));
    put_list(&rows, 1);
    put_person(0, "b", 1);
    OK(write(CORM_WRITE_INSERT, NULL));
}

static void values_of_the_wrong_kind(void **state) {
    (void)state;
    put_list(&rows, 1);
    put_person(0, "\xff", 1);
    GIVES(CORM_E_ENCODING, write(CORM_WRITE_INSERT, NULL));
    put_list(&rows, 1);
    put_tuple(&rows, 5);
    put_none(&rows);
    put_int(&rows, 5);
    put_none(&rows);
    put_none(&rows);
    put_float(&rows, 0);
    GIVES(CORM_E_TYPE, write(CORM_WRITE_INSERT, NULL));
    assert_string_equal(columns_of(failure), "name");
    put_list(&rows, 1);
    put_tuple(&rows, 1);
    put_float(&rows, NAN);
    GIVES(CORM_E_RANGE, corm_block_execute(db, "SELECT ?", rows.bytes, rows.size, false, NULL, &failure));
}

static void memory_of_the_caller_is_left_behind(void **state) {
    (void)state;
    char mine[16];
    corm_block own = {.data = mine, .capacity = sizeof mine};
    insert_people(1);
    OK(corm_block_max_key(db, people, &own, &failure));
    assert_ptr_equal(own.data, mine);
    assert_false(own.owned);
    OK(find(1, &own));
    assert_ptr_not_equal(own.data, mine);
    assert_true(own.owned);
    assert_string_equal(block_text(&own), "(1, 'p1', None, 1, 0)");
    corm_block_free(&own);
    assert_null(own.data);
    assert_int_equal(own.size, 0);
    corm_block_free(&own);
    corm_block_free(NULL);
    GIVES(CORM_E_MISUSE, corm_block_max_key(db, people, NULL, &failure));
}

#define BLOCK(function) cmocka_unit_test_setup_teardown(function, set_up_block, tear_down_block)

int main(void) {
    const struct CMUnitTest tests[] = {
        BLOCK(rows_are_written_and_read),
        BLOCK(a_batch_that_fails_says_where),
        BLOCK(rows_of_some_columns_are_one_list),
        BLOCK(a_part_of_a_batch_has_no_savepoint),
        BLOCK(a_cursor_gives_rows_in_portions),
        BLOCK(a_cursor_over_sql_and_over_attributes),
        BLOCK(a_cursor_says_whether_it_only_reads),
        BLOCK(a_statement_tells_all_at_once),
        BLOCK(what_is_to_be_undone),
        BLOCK(statements_with_sets_of_bindings),
        BLOCK(blocks_of_plain_values),
        BLOCK(blocks_that_cannot_be_read),
        BLOCK(a_table_dropped_under_a_known_model),
        BLOCK(values_of_the_wrong_kind),
        BLOCK(memory_of_the_caller_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
