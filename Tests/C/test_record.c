/* Single records as C structs. */
#include "support.h"

#include <string.h>

static corm_arena *arena;

static int set_up_record(void **state) {
    arena = corm_arena_create();
    return set_up(state);
}

static int tear_down_record(void **state) {
    corm_arena_free(arena);
    return tear_down(state);
}

static void insert_fills_the_key(void **state) {
    (void)state;
    person ada = {.name = "Ada", .age = {true, 36}, .height = 1.65};
    person grace = {.id = 40, .name = "Grace", .city = "New York"};
    person negative = {.id = -5, .name = "Negative"};
    OK(corm_record_insert(db, people, &ada, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(ada.id, 1);
    OK(corm_record_insert(db, people, &grace, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(grace.id, 40);
    OK(corm_record_insert(db, people, &negative, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(negative.id, -5);
    person found = {0};
    OK(corm_record_find(db, people, CORM_VALUES(corm_value_int64(1)), &found, arena, &failure));
    assert_string_equal(found.name, "Ada");
    assert_null(found.city);
    assert_true(found.age.has_value && found.age.value == 36);
    assert_true(found.height == 1.65);
    OK(corm_record_find(db, people, CORM_VALUES(corm_value_int64(40)), &found, arena, &failure));
    assert_false(found.age.has_value);
    assert_string_equal(found.city, "New York");
}

static void every_conflict_policy(void **state) {
    (void)state;
    insert_people(1);
    person same = {.id = 1, .name = "same"};
    GIVES(CORM_E_UNIQUE, corm_record_insert(db, people, &same, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_IGNORED, corm_record_insert(db, people, &same, CORM_CONFLICT_IGNORE, NULL, &failure));
    GIVES(CORM_E_UNIQUE, corm_record_insert(db, people, &same, CORM_CONFLICT_FAIL, NULL, &failure));
    GIVES(CORM_E_UNIQUE, corm_record_insert(db, people, &same, CORM_CONFLICT_ROLLBACK, NULL, &failure));
    assert_string_equal(select_text("SELECT name FROM person"), "p1");
    OK(corm_record_insert(db, people, &same, CORM_CONFLICT_REPLACE, NULL, &failure));
    assert_string_equal(select_text("SELECT name FROM person"), "same");
    GIVES(CORM_E_MISUSE, corm_record_insert(db, people, &same, 5, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_insert(db, people, &same, -1, NULL, &failure));
}

static void save_inserts_then_updates(void **state) {
    (void)state;
    person one = {.name = "first"};
    OK(corm_record_save(db, people, &one, arena, &failure));
    assert_int_equal(one.id, 1);
    one.name = "second";
    OK(corm_record_save(db, people, &one, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 1);
    assert_string_equal(select_text("SELECT name FROM person"), "second");
    one = (person){.id = 9, .name = "ninth"};
    OK(corm_record_save(db, people, &one, NULL, &failure));
    assert_int_equal(select_int("SELECT max(id) FROM person"), 9);
}

static void update_all_or_some(void **state) {
    (void)state;
    insert_people(2);
    person one = {.id = 1, .name = "new", .city = "Rome", .age = {true, 50}};
    OK(corm_record_update(db, people, &one, (const char *const[]){"city", "age"}, 2, NULL, &failure));
    assert_string_equal(select_text("SELECT name || city || age FROM person WHERE id = 1"), "p1Rome50");
    one.age.has_value = false;
    OK(corm_record_update(db, people, &one, NULL, 0, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE name = 'new' AND age IS NULL"), 1);
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE name = 'p2'"), 1);
    GIVES(CORM_E_MISUSE, corm_record_update(db, people, &one, (const char *const[]){"shoe"}, 1, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "shoe"));
    GIVES(CORM_E_MISUSE, corm_record_update(db, people, &one, (const char *const[]){NULL}, 1, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_update(db, people, &one, NULL, 1, NULL, &failure));
    one.id = 77;
    GIVES(CORM_E_NO_RECORD, corm_record_update(db, people, &one, NULL, 0, NULL, &failure));
}

static void delete_find_exists_refresh(void **state) {
    (void)state;
    insert_people(3);
    person one = {.id = 2, .name = "mine"};
    OK(corm_record_refresh(db, people, &one, arena, &failure));
    assert_string_equal(one.name, "p2");
    OK(corm_record_exists(db, people, CORM_VALUES(corm_value_int64(2)), &failure));
    OK(corm_record_delete(db, people, &one, &failure));
    GIVES(CORM_NOT_FOUND, corm_record_delete(db, people, &one, &failure));
    GIVES(CORM_NOT_FOUND, corm_record_exists(db, people, CORM_VALUES(corm_value_int64(2)), &failure));
    GIVES(CORM_E_NO_RECORD, corm_record_refresh(db, people, &one, arena, &failure));
    person untouched;
    memset(&untouched, 0x55, sizeof untouched);
    person copy = untouched;
    GIVES(CORM_NOT_FOUND, corm_record_find(db, people, CORM_VALUES(corm_value_int64(2)), &copy, arena, &failure));
    assert_memory_equal(&copy, &untouched, sizeof copy);
    OK(corm_record_delete_key(db, people, CORM_VALUES(corm_value_int64(3)), &failure));
    GIVES(CORM_NOT_FOUND, corm_record_delete_key(db, people, CORM_VALUES(corm_value_int64(3)), &failure));
    int64_t count;
    OK(corm_record_delete_all(db, people, &count, &failure));
    assert_int_equal(count, 1);
    OK(corm_record_delete_all(db, people, NULL, &failure));
}

static void keys_that_can_never_be_right(void **state) {
    (void)state;
    person one;
    GIVES(CORM_E_MISUSE, corm_record_find(db, people, CORM_NO_VALUES, &one, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_find(db, people, NULL, 1, &one, NULL, &failure));
    GIVES(CORM_E_BINDING,
          corm_record_exists(db, people, CORM_VALUES(corm_value_int64(1), corm_value_int64(2)), &failure));
    GIVES(CORM_E_MISUSE, corm_record_delete_key(db, people, CORM_NO_VALUES, &failure));
    GIVES(CORM_E_RANGE, corm_record_exists(db, people, CORM_VALUES(corm_value_uint64(UINT64_MAX)), &failure));
    GIVES(CORM_NOT_FOUND, corm_record_exists(db, people, CORM_VALUES(corm_value_null()), &failure));
}

static void without_arena_texts_stay_as_they_were(void **state) {
    (void)state;
    insert_people(1);
    char mine[] = "mine";
    person one = {.id = 1, .name = mine, .city = mine, .height = 9};
    OK(corm_record_refresh(db, people, &one, NULL, &failure));
    assert_ptr_equal(one.name, mine);
    assert_true(one.height == 0);
    assert_true(one.age.value == 1);
    person found = {.name = mine};
    OK(corm_record_find(db, people, CORM_VALUES(corm_value_int64(1)), &found, NULL, &failure));
    assert_int_equal(found.id, 1);
    assert_ptr_equal(found.name, mine);
}

typedef struct item {
    int64_t id;
    const char *title;
    corm_optional_int64 price;
    const char *state;
    int64_t twice;
    corm_text label;
} item;

static const corm_column_def item_columns[] = {
    CORM_COLUMN(item, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(item, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(item, price, CORM_INT64, .default_sql = "10"),
    CORM_COLUMN(item, state, CORM_TEXT, .default_sql = "'new'"),
    CORM_COLUMN(item, twice, CORM_INT64, .computed_sql = "price * 2"),
    CORM_COLUMN(item, label, CORM_TEXT, .computed_sql = "upper(title)"),
};
static const corm_model_def item_def = CORM_MODEL(item, "Item", item_columns);

static void what_the_database_makes_comes_back(void **state) {
    (void)state;
    corm_model *items;
    OK(corm_model_create(&item_def, &items, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){items}, 1, &failure));
    char title[] = "nut";
    item one = {.title = title, .twice = 999};
    OK(corm_record_insert(db, items, &one, CORM_CONFLICT_ABORT, arena, &failure));
    assert_int_equal(one.id, 1);
    assert_true(one.price.has_value && one.price.value == 10);
    assert_string_equal(one.state, "new");
    assert_int_equal(one.twice, 20);
    assert_int_equal(one.label.size, 3);
    assert_memory_equal(one.label.data, "NUT", 3);
    assert_ptr_equal(one.title, title);

    one.price.value = 7;
    one.title = "bolt";
    OK(corm_record_update(db, items, &one, NULL, 0, arena, &failure));
    assert_int_equal(one.twice, 14);
    assert_memory_equal(one.label.data, "BOLT", 4);
    one.price.value = 8;
    OK(corm_record_save(db, items, &one, NULL, &failure));
    assert_int_equal(one.twice, 16);

    item bare = {.title = title};
    OK(corm_record_insert(db, items, &bare, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(bare.price.value, 10);
    assert_null(bare.state);
    assert_null(bare.label.data);
    corm_model_free(items);
}

#define RECORD(function) cmocka_unit_test_setup_teardown(function, set_up_record, tear_down_record)

int main(void) {
    const struct CMUnitTest tests[] = {
        RECORD(insert_fills_the_key),
        RECORD(every_conflict_policy),
        RECORD(save_inserts_then_updates),
        RECORD(update_all_or_some),
        RECORD(delete_find_exists_refresh),
        RECORD(keys_that_can_never_be_right),
        RECORD(without_arena_texts_stay_as_they_were),
        RECORD(what_the_database_makes_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
