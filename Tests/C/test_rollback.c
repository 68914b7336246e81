/* What is rolled back is gone everywhere: in the file, in the records, in the state of the handle. */
#include "support.h"

static void a_failed_batch_takes_its_keys_back(void **state) {
    (void)state;
    person batch[2] = {{.name = "mine"}, {.name = NULL}};
    GIVES(CORM_E_NOT_NULL, corm_record_save_many(db, people, batch, 2, NULL, &failure));
    assert_int_equal(batch[0].id, 0);

    person theirs = {.name = "theirs"};
    OK(corm_record_insert(db, people, &theirs, CORM_CONFLICT_ABORT, NULL, &failure));
    batch[1].name = "mine too";
    OK(corm_record_save_many(db, people, batch, 2, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE name = 'theirs'"), 1);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 3);
}

static void nothing_is_written_after_sqlite_rolled_back(void **state) {
    (void)state;
    insert_people(1);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    person one = {.id = 1, .name = "again"};
    GIVES(CORM_E_UNIQUE, corm_record_insert(db, people, &one, CORM_CONFLICT_ROLLBACK, NULL, &failure));
    person two = {.name = "two"};
    GIVES(CORM_E_TRANSACTION, corm_record_insert(db, people, &two, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_TRANSACTION, corm_database_execute(db, "DELETE FROM person", NULL, 0, NULL, &failure));
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 1);
    OK(corm_record_insert(db, people, &two, CORM_CONFLICT_ABORT, NULL, &failure));
}

static void rollback_after_an_interrupt_with_an_open_cursor(void **state) {
    (void)state;
    insert_people(3);
    corm_cursor *cursor = NULL;
    OK(corm_cursor_open(db, people, NULL, &cursor, &failure));
    person row;
    GIVES(CORM_ROW, corm_cursor_next(cursor, &row, &failure));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    person one = {.name = "gone"};
    OK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    corm_database_interrupt(db);
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(corm_transaction_depth(db), 0);
    corm_cursor_close(cursor);
    OK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 4);
}

typedef struct odd {
    int64_t id;
    const char *name;
    int64_t wrong;
} odd;

static const corm_column_def odd_columns[] = {
    CORM_COLUMN(odd, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(odd, name, CORM_TEXT),
    CORM_COLUMN(odd, wrong, CORM_INT64, .computed_sql = "name || 'x'"),
};
static const corm_model_def odd_def = CORM_MODEL(odd, "Odd", odd_columns);

static void a_row_that_cannot_come_back_is_not_written(void **state) {
    (void)state;
    corm_model *model = NULL;
    OK(corm_model_create(&odd_def, &model, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){model}, 1, &failure));
    odd record = {.name = "a"};
    GIVES(CORM_E_TYPE, corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(record.id, 0);
    assert_int_equal(select_int("SELECT count(*) FROM odd"), 0);
    assert_int_equal(corm_transaction_depth(db), 0);
    corm_model_free(model);
}

typedef struct wide {
    uint32_t id;
} wide;

static const corm_column_def wide_columns[] = {
    CORM_COLUMN(wide, id, CORM_INT32, .primary_key = true, .is_unsigned = true),
};
static const corm_model_def wide_def = CORM_MODEL(wide, "Wide", wide_columns);

static void unsigned_keys_beyond_the_signed_range(void **state) {
    (void)state;
    corm_model *model = NULL;
    OK(corm_model_create(&wide_def, &model, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){model}, 1, &failure));
    wide record = {.id = 3000000000u};
    OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    wide next = {0};
    OK(corm_record_insert(db, model, &next, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(next.id, 3000000001u);
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(3000000001)), &next, NULL, &failure));
    corm_value greatest;
    OK(corm_query_max_key(db, model, &greatest, NULL, &failure));
    assert_int_equal(greatest.as.integer, 3000000001);

    OK(corm_database_execute(db, "INSERT INTO wide VALUES (4294967295)", NULL, 0, NULL, &failure));
    wide beyond = {0};
    GIVES(CORM_E_RANGE, corm_record_insert(db, model, &beyond, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM wide"), 3);
    corm_model_free(model);
}

static void a_leftover_log_is_not_replayed_into_a_template(void **state) {
    (void)state;
    OK(corm_database_execute_script(db, "PRAGMA journal_mode = DELETE", &failure));
    write_file(path_to("new.db-wal"), "stale", 5);
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.template_path = path_to("test.db");
    corm_database *other = NULL;
    GIVES(CORM_E_CANNOT_OPEN, corm_database_open(path_to("new.db"), &options, &other, &failure));
}

static void a_key_that_the_table_does_not_make_is_refused(void **state) {
    (void)state;
    OK(corm_database_execute_script(db, "CREATE TABLE wide (id INT PRIMARY KEY)", &failure));
    corm_model *model = NULL;
    OK(corm_model_create(&wide_def, &model, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){model}, 1, &failure));
    wide record = {.id = 3};
    OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    record.id = 0;
    GIVES(CORM_E_SCHEMA, corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    corm_model_free(model);
}

static void a_script_error_counts_from_its_start(void **state) {
    (void)state;
    GIVES(CORM_E_SQL, corm_database_execute_script(db, "SELECT 1; SELECT 2; SELEC 3", &failure));
    assert_int_equal(corm_error_offset(failure), 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_failed_batch_takes_its_keys_back),
        TEST(nothing_is_written_after_sqlite_rolled_back),
        TEST(rollback_after_an_interrupt_with_an_open_cursor),
        TEST(a_row_that_cannot_come_back_is_not_written),
        TEST(unsigned_keys_beyond_the_signed_range),
        TEST(a_leftover_log_is_not_replayed_into_a_template),
        TEST(a_key_that_the_table_does_not_make_is_refused),
        TEST(a_script_error_counts_from_its_start),
    };
    return cmocka_run_group_tests_name("rollback", tests, NULL, NULL);
}
