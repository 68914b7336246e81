/* Names, texts and sizes that break careless programs. The rest of the list is in the tests of its topic. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct box {
    int64_t id;
    corm_blob data;
} box;

static corm_model *boxes(void) {
    static const corm_column_def columns[] = {
        CORM_COLUMN(box, id, CORM_INT64, .primary_key = true),
        CORM_COLUMN(box, data, CORM_BLOB),
    };
    static const corm_model_def definition = CORM_MODEL(box, "Box", columns);
    corm_model *model;
    OK(corm_model_create(&definition, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    return model;
}

static void a_blob_of_100_megabytes(void **state) {
    (void)state;
    const size_t size = 100 * 1000 * 1000;
    corm_model *model = boxes();
    unsigned char *bytes = malloc(size);
    for (size_t index = 0; index < size; index += 1)
        bytes[index] = (unsigned char)(index * 2654435761u >> 24);
    box one = {.data = {bytes, size}};
    corm_records *records;
    corm_arena *arena = corm_arena_create();
    OK(corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    OK(corm_query_fetch(db, model, NULL, &records, &failure));
    const box *found = corm_records_data(records);
    assert_int_equal(found->data.size, size);
    assert_int_equal(memcmp(found->data.data, bytes, size), 0);
    corm_records_free(records);
    OK(corm_record_refresh(db, model, &one, arena, &failure));
    assert_int_equal(memcmp(one.data.data, bytes, size), 0);
    corm_arena_free(arena);
    free(bytes);
    corm_model_free(model);
}

static void blobs_beyond_what_sqlite_takes(void **state) {
    (void)state;
    corm_model *model = boxes();
    /* Never read: the size alone is refused. */
    box one = {.data = {"x", 2000000000}};
    GIVES(CORM_E_TOO_BIG, corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    one.data.size = SIZE_MAX;
    GIVES(CORM_E_TOO_BIG, corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_TOO_BIG,
          corm_database_execute(db, "SELECT ?", CORM_VALUES(corm_value_blob("x", SIZE_MAX)), NULL, &failure));
    GIVES(CORM_E_TOO_BIG, corm_database_execute(db, "INSERT INTO person (name) VALUES (zeroblob(2000000000))",
                                                CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM box"), 0);
    corm_model_free(model);
}

static void sql_that_is_not_utf8_or_not_there(void **state) {
    (void)state;
    GIVES(CORM_E_ENCODING, corm_database_execute(db, "SELECT '\xff'", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_ENCODING, corm_database_execute_script(db, "SELECT 1; SELECT '\xc3'", &failure));
    GIVES(CORM_E_SQL, corm_database_execute(db, "", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_SQL, corm_database_execute(db, "  -- nothing\n", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_SQL, corm_database_execute(db, ";", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_SQL, corm_database_execute(db, "SELECT 1; SELECT 2", CORM_NO_VALUES, NULL, &failure));
    OK(corm_database_execute(db, "DELETE FROM person; -- nothing more ; ", CORM_NO_VALUES, NULL, &failure));
}

static void transactions_begun_in_raw_sql(void **state) {
    (void)state;
    OK(corm_database_execute(db, "BEGIN", CORM_NO_VALUES, NULL, &failure));
    insert_people(1);
    OK(corm_database_execute(db, "ROLLBACK", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    /* finding swift.md bug 3 */
    GIVES(CORM_E_TRANSACTION, corm_database_execute(db, "COMMIT", CORM_NO_VALUES, NULL, &failure));
    OK(corm_transaction_rollback(db, &failure));
    OK(corm_database_execute(db, "BEGIN", CORM_NO_VALUES, NULL, &failure));
    insert_people(1);
    GIVES(CORM_E_TRANSACTION, corm_transaction_commit(db, &failure));
    assert_non_null(strstr(corm_error_message(failure), "begun by raw SQL"));
    /* One that was prepared before the transaction began. */
    corm_result *result = NULL;
    OK(corm_result_open(db, "COMMIT", CORM_NO_VALUES, &result, &failure));
    OK(corm_database_execute(db, "ROLLBACK", CORM_NO_VALUES, NULL, &failure));
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    insert_people(1);
    GIVES(CORM_E_TRANSACTION, corm_result_next(result, &failure));
    corm_result_close(result);
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_blob_of_100_megabytes),
        TEST(blobs_beyond_what_sqlite_takes),
        TEST(sql_that_is_not_utf8_or_not_there),
        TEST(transactions_begun_in_raw_sql),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
