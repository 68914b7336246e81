/* Handles that are NULL, closed, or of another kind: every function refuses them and none crashes. */
#include "support.h"

/* Calls every function that takes a database with `d`, which is none. */
static void refuse_database(corm_database *d) {
    person one = {.id = 1, .name = "x"};
    corm_value key[] = {corm_value_int64(1)};
    corm_value value;
    corm_records *records = NULL;
    corm_cursor *cursor = NULL;
    corm_result *result = NULL;
    int64_t count = 77;
#define REFUSED(call) GIVES(CORM_E_MISUSE, call)
    REFUSED(corm_database_execute(d, "SELECT 1", NULL, 0, &count, &failure));
    REFUSED(corm_database_execute_script(d, "SELECT 1", &failure));
    assert_int_equal(corm_database_last_insert_id(d), 0);
    assert_int_equal(corm_database_changes(d), 0);
    assert_int_equal(corm_database_total_changes(d), 0);
    assert_null(corm_database_path(d));
    corm_database_interrupt(d);
    corm_thread_cancel(d, corm_thread_id());
    REFUSED(corm_database_set_trace(d, NULL, NULL, &failure));
    REFUSED(corm_model_create_tables(d, CORM_MODELS(people), &failure));
    REFUSED(corm_model_table_exists(d, people, &failure));
    REFUSED(corm_record_insert(d, people, &one, 0, NULL, &failure));
    REFUSED(corm_record_save(d, people, &one, NULL, &failure));
    REFUSED(corm_record_update(d, people, &one, NULL, NULL, &failure));
    REFUSED(corm_record_delete(d, people, &one, &failure));
    REFUSED(corm_record_refresh(d, people, &one, NULL, &failure));
    REFUSED(corm_record_find(d, people, key, 1, &one, NULL, &failure));
    REFUSED(corm_record_exists(d, people, key, 1, &failure));
    REFUSED(corm_record_delete_key(d, people, key, 1, &failure));
    REFUSED(corm_query_delete(d, people, NULL, &count, &failure));
    REFUSED(corm_record_insert_many(d, people, &one, 1, 0, NULL, &count, &failure));
    REFUSED(corm_record_save_many(d, people, &one, 1, NULL, &failure));
    REFUSED(corm_record_update_many(d, people, &one, 1, "id", NULL, &failure));
    REFUSED(corm_record_delete_many(d, people, &one, 1, &count, &failure));
    REFUSED(corm_query_fetch(d, people, NULL, &records, &failure));
    REFUSED(corm_query_first(d, people, NULL, &one, NULL, &failure));
    REFUSED(corm_query_count(d, people, NULL, &count, &failure));
    REFUSED(corm_query_page_count(d, people, NULL, 10, &count, &failure));
    REFUSED(corm_query_max_key(d, people, &value, NULL, &failure));
    REFUSED(corm_cursor_open(d, people, NULL, &cursor, &failure));
    REFUSED(corm_result_open(d, "SELECT 1", NULL, 0, &result, &failure));
    REFUSED(corm_transaction_begin(d, 0, &failure));
    REFUSED(corm_transaction_commit(d, &failure));
    REFUSED(corm_transaction_rollback(d, &failure));
    assert_int_equal(corm_transaction_depth(d), 0);
    assert_int_equal(count, 77);
    assert_true(records == NULL && cursor == NULL && result == NULL);
}

/* Calls every function that takes a model with `m`, which is none. */
static void refuse_model(corm_model *m) {
    person one = {.id = 1, .name = "x"};
    corm_value key[] = {corm_value_int64(1)};
    corm_value value;
    corm_records *records = NULL;
    corm_cursor *cursor = NULL;
    int64_t count;
    const corm_model_info *info = corm_model_info_get(m);
    assert_null(info->name);
    assert_null(info->table);
    assert_int_equal(info->column_count, 0);
    assert_null(corm_model_column_get(m, 0));
    assert_int_equal(info->key_count, 0);
    assert_false(info->generates_key);
    assert_null(info->create_sql);
    REFUSED(corm_model_create_tables(db, CORM_MODELS(m), &failure));
    REFUSED(corm_model_table_exists(db, m, &failure));
    REFUSED(corm_record_insert(db, m, &one, 0, NULL, &failure));
    REFUSED(corm_record_save(db, m, &one, NULL, &failure));
    REFUSED(corm_record_update(db, m, &one, NULL, NULL, &failure));
    REFUSED(corm_record_delete(db, m, &one, &failure));
    REFUSED(corm_record_refresh(db, m, &one, NULL, &failure));
    REFUSED(corm_record_find(db, m, key, 1, &one, NULL, &failure));
    REFUSED(corm_record_exists(db, m, key, 1, &failure));
    REFUSED(corm_record_delete_key(db, m, key, 1, &failure));
    REFUSED(corm_query_delete(db, m, NULL, NULL, &failure));
    REFUSED(corm_record_insert_many(db, m, &one, 1, 0, NULL, NULL, &failure));
    REFUSED(corm_record_save_many(db, m, &one, 1, NULL, &failure));
    REFUSED(corm_record_update_many(db, m, &one, 1, NULL, NULL, &failure));
    REFUSED(corm_record_delete_many(db, m, &one, 1, NULL, &failure));
    REFUSED(corm_query_fetch(db, m, NULL, &records, &failure));
    REFUSED(corm_query_first(db, m, NULL, &one, NULL, &failure));
    REFUSED(corm_query_count(db, m, NULL, &count, &failure));
    REFUSED(corm_query_page_count(db, m, NULL, 1, &count, &failure));
    REFUSED(corm_query_max_key(db, m, &value, NULL, &failure));
    REFUSED(corm_cursor_open(db, m, NULL, &cursor, &failure));
}

static void refuse_rest(void *none) {
    person one = {.name = "x"};
    corm_value value;
    const char *json;
    REFUSED(corm_result_next(none, &failure));
    REFUSED(corm_result_get(none, 0, &value, &failure));
    REFUSED(corm_result_get_named(none, "a", &value, &failure));
    REFUSED(corm_result_row_json(none, &json, &failure));
    assert_int_equal(corm_result_column_count(none), 0);
    assert_null(corm_result_column_name(none, 0));
    assert_int_equal(corm_result_column_index(none, "a"), -1);
    REFUSED(corm_cursor_next(none, &one, &failure));
    assert_int_equal(corm_records_count(none), 0);
    assert_null(corm_records_data(none));
    assert_null(corm_arena_copy(none, "x", 1));
    corm_result_close(none);
    corm_cursor_close(none);
    corm_records_free(none);
    corm_arena_clear(none);
    corm_arena_free(none);
}

static void null_handles(void **state) {
    (void)state;
    refuse_database(NULL);
    refuse_model(NULL);
    refuse_rest(NULL);
    corm_model_free(NULL);
    OK(corm_database_close(NULL, &failure));
}

static void handles_of_another_kind(void **state) {
    (void)state;
    corm_error *error = NULL;
    corm_database_execute(db, "SELEC", NULL, 0, NULL, &error);
    refuse_database((corm_database *)people);
    refuse_database((corm_database *)error);
    refuse_model((corm_model *)db);
    refuse_model((corm_model *)error);
    refuse_rest(db);
    refuse_rest(people);
    corm_model_free((corm_model *)db);
    corm_error_free((corm_error *)db);
    assert_int_equal(corm_error_code((corm_error *)db), CORM_E_MISUSE);
    assert_null(corm_error_info_get((corm_error *)people)->sql);
    REFUSED(corm_database_close((corm_database *)people, &failure));
    corm_error_free(error);
    insert_people(1);
}

static void closed_handles(void **state) {
    (void)state;
    corm_database *closed = db;
    corm_result *result;
    OK(corm_result_open(db, "SELECT 1", CORM_NO_VALUES, &result, &failure));
    corm_result_close(result);
    REFUSED(corm_result_next(result, &failure));
    corm_result_close(result);
    OK(corm_database_close(db, &failure));
    db = NULL;
    refuse_database(closed);
    REFUSED(corm_database_close(closed, &failure));
    REFUSED(corm_database_close(closed, &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    corm_model *freed = people;
    corm_model_free(freed);
    people = NULL;
    refuse_model(freed);
    corm_model_free(freed);
}

static void arguments_that_are_missing(void **state) {
    (void)state;
    corm_result *result;
    corm_value key[] = {corm_value_int64(1)};
    REFUSED(corm_database_execute(db, NULL, NULL, 0, NULL, &failure));
    REFUSED(corm_database_execute_script(db, NULL, &failure));
    REFUSED(corm_result_open(db, NULL, NULL, 0, &result, &failure));
    REFUSED(corm_result_open(db, "SELECT 1", NULL, 0, NULL, &failure));
    REFUSED(corm_record_insert(db, people, NULL, 0, NULL, &failure));
    REFUSED(corm_record_save(db, people, NULL, NULL, &failure));
    REFUSED(corm_record_update(db, people, NULL, NULL, NULL, &failure));
    REFUSED(corm_record_delete(db, people, NULL, &failure));
    REFUSED(corm_record_refresh(db, people, NULL, NULL, &failure));
    REFUSED(corm_record_find(db, people, key, 1, NULL, NULL, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(null_handles),
        TEST(handles_of_another_kind),
        TEST(closed_handles),
        TEST(arguments_that_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
