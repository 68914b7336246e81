/* What an event says of rows: keys of every kind, values before and after, and rows that are too many to be told. */
#include "listeners.h"

static void tables_without_rowid_have_their_keys(void **state) {
    (void)state;
    run_script(
        "CREATE TABLE w(a TEXT, b INT, c, PRIMARY KEY (b, a)) WITHOUT ROWID; CREATE TABLE t(k TEXT PRIMARY KEY, v)");
    corm_region regions[] = {{.struct_size = sizeof(corm_region), .table = "w"},
                             {.struct_size = sizeof(corm_region), .table = "t"}};
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    options.regions = regions;
    options.region_count = 2;
    options.values = true;
    corm_observer *observer;
    OK(corm_observer_open(db, &options, &observer, &failure));
    run_script("BEGIN; INSERT INTO w VALUES ('x', 1, 2.5), ('y', 1, NULL); REPLACE INTO w VALUES ('x', 1, 3);"
               "UPDATE w SET b = 2 WHERE a = 'y'; INSERT INTO t VALUES ('k', x'00ff'); COMMIT; DELETE FROM w");
    corm_event *event;
    const corm_change *change;
    GIVES(CORM_ROW, corm_observer_next(observer, &event, &failure));
    assert_int_equal(corm_event_info_get(event)->change_count, 3);
    change = corm_event_change_get(event, 0);
    assert_int_equal(change->kind, CORM_CHANGE_INSERT);
    assert_int_equal(change->key_count, 2);
    assert_int_equal(change->key[0].as.integer, 1);
    assert_memory_equal(change->key[1].as.bytes.data, "x", 1);
    assert_int_equal(change->row_id, 0);
    assert_int_equal(change->new_count, 3);
    assert_int_equal(change->new_values[2].as.integer, 3);
    assert_null(change->old_values);
    change = corm_event_change_get(event, 1);
    assert_int_equal(change->key[0].as.integer, 2);
    change = corm_event_change_get(event, 2);
    assert_string_equal(change->table, "t");
    assert_int_equal(change->row_id, 1);
    assert_memory_equal(change->key[0].as.bytes.data, "k", 1);
    assert_memory_equal(change->new_values[1].as.bytes.data, "\0\xff", 2);
    assert_null(corm_event_change_get(event, 3));
    corm_event_free(event);
    GIVES(CORM_ROW, corm_observer_next(observer, &event, &failure));
    assert_int_equal(corm_event_info_get(event)->change_count, 2);
    change = corm_event_change_get(event, 0);
    assert_int_equal(change->kind, CORM_CHANGE_DELETE);
    assert_int_equal(change->old_count, 3);
    corm_event_free(event);
    GIVES(CORM_AGAIN, corm_observer_next(observer, &event, &failure));
    corm_observer_close(observer);
}

/* finding c.md 2: arrays began where a text ended. */
static void arrays_of_values_can_be_read_by_any_machine(void **state) {
    (void)state;
    corm_region region = {.struct_size = sizeof(corm_region), .table = "person"};
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    options.regions = &region;
    options.region_count = 1;
    options.values = true;
    corm_observer *observer;
    corm_event *event;
    const corm_change *change;
    OK(corm_observer_open(db, &options, &observer, &failure));
    run_script("BEGIN; INSERT INTO person (name) VALUES ('abc'), ('de'), ('f'); UPDATE person SET name = 'x'; COMMIT");
    GIVES(CORM_ROW, corm_observer_next(observer, &event, &failure));
    assert_true(corm_event_info_get(event)->change_count >= 3);
    for (size_t index = 0; index < corm_event_info_get(event)->change_count; index += 1) {
        change = corm_event_change_get(event, index);
        assert_int_equal((uintptr_t)change->key % _Alignof(corm_value), 0);
        assert_int_equal((uintptr_t)change->old_values % _Alignof(corm_value), 0);
        assert_int_equal((uintptr_t)change->new_values % _Alignof(corm_value), 0);
    }
    corm_event_free(event);
    corm_observer_close(observer);
}

static void many_rows_are_told_as_a_table(void **state) {
    (void)state;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    options.model = people;
    corm_observer *observer;
    OK(corm_observer_open(db, &options, &observer, &failure));
    run_script("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100005)"
               "INSERT INTO person(id, name) SELECT i, 'n' FROM n");
    corm_event *event;
    const corm_change *change;
    GIVES(CORM_ROW, corm_observer_next(observer, &event, &failure));
    assert_int_equal(corm_event_info_get(event)->change_count, 100001);
    change = corm_event_change_get(event, 100000);
    assert_int_equal(change->kind, CORM_CHANGE_UNKNOWN);
    corm_event_free(event);
    corm_observer_close(observer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(tables_without_rowid_have_their_keys),
        TEST(arrays_of_values_can_be_read_by_any_machine),
        TEST(many_rows_are_told_as_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
