/* Arrays of records in one transaction. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT 10000

static person *batch;
static char names[COUNT][16];

static int set_up_batch(void **state) {
    batch = calloc(COUNT, sizeof *batch);
    for (int index = 0; index < COUNT; index += 1) {
        snprintf(names[index], sizeof names[index], "n%d", index);
        batch[index].name = names[index];
        batch[index].age = (corm_optional_int64){true, index};
    }
    return set_up(state);
}

static int tear_down_batch(void **state) {
    free(batch);
    return tear_down(state);
}

static int64_t count(void) { return select_int("SELECT count(*) FROM person"); }

static void inserts_fill_in_every_key(void **state) {
    (void)state;
    int64_t inserted = 0;
    OK(corm_record_insert_many(db, people, batch, COUNT, CORM_CONFLICT_ABORT, NULL, &inserted, &failure));
    assert_int_equal(inserted, COUNT);
    for (int index = 0; index < COUNT; index += 1)
        assert_int_equal(batch[index].id, index + 1);
    assert_int_equal(select_int("SELECT sum(age) FROM person"), (int64_t)COUNT * (COUNT - 1) / 2);
    assert_int_equal(corm_transaction_depth(db), 0);
}

static void record_7000_fails_and_nothing_stays(void **state) {
    (void)state;
    insert_people(1);
    batch[7000].age.value = -1;
    GIVES(CORM_E_CHECK, corm_record_insert_many(db, people, batch, COUNT, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), 7000);
    assert_string_equal(columns_of(failure), "age");
    assert_int_equal(count(), 1);
    assert_int_equal(corm_transaction_depth(db), 0);
    OK(corm_database_execute(db, "PRAGMA integrity_check", CORM_NO_VALUES, NULL, &failure));
    assert_string_equal(select_text("PRAGMA integrity_check"), "ok");
}

static void record_7000_cannot_be_encoded(void **state) {
    (void)state;
    batch[7000].name = "\xff";
    GIVES(CORM_E_ENCODING,
          corm_record_insert_many(db, people, batch, COUNT, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), 7000);
    GIVES(CORM_E_ENCODING, corm_record_save_many(db, people, batch, COUNT, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), 7000);
    assert_int_equal(count(), 0);
}

static void keys_of_a_failed_batch_do_not_stay_in_the_way(void **state) {
    (void)state;
    batch[7000].name = NULL;
    GIVES(CORM_E_NOT_NULL,
          corm_record_insert_many(db, people, batch, COUNT, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    batch[7000].name = "given";
    for (int index = 0; index < COUNT; index += 1)
        batch[index].id = 0;
    OK(corm_record_insert_many(db, people, batch, COUNT, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(count(), COUNT);
}

static void a_batch_in_a_transaction_is_a_savepoint(void **state) {
    (void)state;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    insert_people(1);
    batch[9].name = NULL;
    GIVES(CORM_E_NOT_NULL, corm_record_insert_many(db, people, batch, 10, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(corm_transaction_depth(db), 1);
    OK(corm_record_insert_many(db, people, batch + 10, 5, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    OK(corm_transaction_commit(db, &failure));
    assert_int_equal(count(), 6);
}

static void conflicts_in_a_batch(void **state) {
    (void)state;
    int64_t inserted = -1;
    insert_people(1);
    batch[3].id = 1;
    OK(corm_record_insert_many(db, people, batch, 10, CORM_CONFLICT_IGNORE, NULL, &inserted, &failure));
    assert_int_equal(inserted, 9);
    batch[3].id = 1;
    OK(corm_record_insert_many(db, people, batch + 3, 1, CORM_CONFLICT_REPLACE, NULL, &inserted, &failure));
    assert_int_equal(inserted, 1);
    assert_string_equal(select_text("SELECT name FROM person WHERE id = 1"), "n3");

    /* FAIL and ROLLBACK keep nothing of a batch either: its transaction goes. */
    int64_t before = count();
    person fresh[2] = {{.name = "fresh"}, {.id = 1, .name = "taken"}};
    GIVES(CORM_E_UNIQUE, corm_record_insert_many(db, people, fresh, 2, CORM_CONFLICT_FAIL, NULL, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), 1);
    assert_int_equal(count(), before);
    fresh[0].id = 0;
    GIVES(CORM_E_UNIQUE, corm_record_insert_many(db, people, fresh, 2, CORM_CONFLICT_ROLLBACK, NULL, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), 1);
    assert_int_equal(count(), before);
    assert_int_equal(corm_transaction_depth(db), 0);
}

static void save_update_and_delete(void **state) {
    (void)state;
    int64_t deleted = -1;
    OK(corm_record_save_many(db, people, batch, 100, NULL, &failure));
    for (int index = 0; index < 100; index += 1)
        batch[index].age.value = 1;
    batch[100].id = 101;
    OK(corm_record_save_many(db, people, batch, 101, NULL, &failure));
    assert_int_equal(count(), 101);
    for (int index = 0; index < 101; index += 1) {
        batch[index].age.value = 2;
        batch[index].name = "not written";
    }
    OK(corm_record_update_many(db, people, batch, 101, (const char *const[]){"age"}, 1, NULL, &failure));
    assert_int_equal(
        select_int("SELECT count(*) FROM person WHERE age = 2 AND name LIKE 'n_%' AND name NOT LIKE 'not%'"), 101);
    OK(corm_record_update_many(db, people, batch, 101, NULL, 0, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE name = 'not written'"), 101);

    batch[50].id = 5000;
    batch[0].age.value = 77;
    GIVES(CORM_E_NO_RECORD, corm_record_update_many(db, people, batch, 101, NULL, 0, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), 50);
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE age = 77"), 0);

    OK(corm_record_delete_many(db, people, batch, 101, &deleted, &failure));
    assert_int_equal(deleted, 100);
    assert_int_equal(count(), 1);
    OK(corm_record_delete_many(db, people, batch, 101, NULL, &failure));
}

static void none_at_all(void **state) {
    (void)state;
    int64_t number = -1;
    OK(corm_record_insert_many(db, people, NULL, 0, CORM_CONFLICT_ABORT, NULL, &number, &failure));
    assert_int_equal(number, 0);
    OK(corm_record_save_many(db, people, NULL, 0, NULL, &failure));
    OK(corm_record_update_many(db, people, NULL, 0, NULL, 0, NULL, &failure));
    OK(corm_record_delete_many(db, people, NULL, 0, &number, &failure));
    assert_int_equal(number, 0);
    GIVES(CORM_E_MISUSE, corm_record_insert_many(db, people, NULL, 1, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_save_many(db, people, NULL, 1, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_update_many(db, people, NULL, 1, NULL, 0, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_delete_many(db, people, NULL, 1, NULL, &failure));
}

#define BATCH(function) cmocka_unit_test_setup_teardown(function, set_up_batch, tear_down_batch)

int main(void) {
    const struct CMUnitTest tests[] = {
        BATCH(inserts_fill_in_every_key),
        BATCH(record_7000_fails_and_nothing_stays),
        BATCH(record_7000_cannot_be_encoded),
        BATCH(keys_of_a_failed_batch_do_not_stay_in_the_way),
        BATCH(a_batch_in_a_transaction_is_a_savepoint),
        BATCH(conflicts_in_a_batch),
        BATCH(save_update_and_delete),
        BATCH(none_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
