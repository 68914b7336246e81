/* Arrays of records that cannot be encoded, or are none; the others are in Tests/Conformance/batches.json. */
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

static void record_7000_cannot_be_encoded(void **state) {
    (void)state;
    batch[7000].name = "\xff";
    GIVES(CORM_E_ENCODING,
          corm_record_insert_many(db, people, batch, COUNT, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(corm_error_info_get(failure)->record_index, 7000);
    GIVES(CORM_E_ENCODING, corm_record_save_many(db, people, batch, COUNT, NULL, &failure));
    assert_int_equal(corm_error_info_get(failure)->record_index, 7000);
    assert_int_equal(count(), 0);
}

static void none_at_all(void **state) {
    (void)state;
    int64_t number = -1;
    OK(corm_record_insert_many(db, people, NULL, 0, CORM_CONFLICT_ABORT, NULL, &number, &failure));
    assert_int_equal(number, 0);
    OK(corm_record_save_many(db, people, NULL, 0, NULL, &failure));
    OK(corm_record_update_many(db, people, NULL, 0, NULL, NULL, &failure));
    OK(corm_record_delete_many(db, people, NULL, 0, &number, &failure));
    assert_int_equal(number, 0);
    GIVES(CORM_E_MISUSE, corm_record_insert_many(db, people, NULL, 1, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_save_many(db, people, NULL, 1, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_update_many(db, people, NULL, 1, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_delete_many(db, people, NULL, 1, NULL, &failure));
}

#define BATCH(function) cmocka_unit_test_setup_teardown(function, set_up_batch, tear_down_batch)

int main(void) {
    const struct CMUnitTest tests[] = {
        BATCH(record_7000_cannot_be_encoded),
        BATCH(none_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
