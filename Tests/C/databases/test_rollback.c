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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_failed_batch_takes_its_keys_back),
        TEST(rollback_after_an_interrupt_with_an_open_cursor),
    };
    return cmocka_run_group_tests_name("rollback", tests, NULL, NULL);
}
