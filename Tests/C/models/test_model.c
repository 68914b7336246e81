/* What a model tells, how long it lives, and how its table is made. What is refused is in test_definitions.c. */
#include "support.h"

#include <string.h>

static void a_model_tells_what_it_is(void **state) {
    (void)state;
    const corm_model_info *info = corm_model_info_get(people);
    assert_string_equal(info->name, "Person");
    assert_string_equal(info->table, "person");
    assert_int_equal(info->column_count, 5);
    assert_string_equal(corm_model_column_get(people, 3)->property, "age");
    assert_string_equal(corm_model_column_get(people, 3)->name, "age");
    assert_int_equal(corm_model_column_get(people, 0)->type, CORM_INT64);
    assert_int_equal(corm_model_column_get(people, 1)->type, CORM_TEXT);
    assert_int_equal(corm_model_column_get(people, 4)->type, CORM_DOUBLE);
    assert_null(corm_model_column_get(people, 5));
    assert_null(corm_model_column_get(people, SIZE_MAX));
    assert_int_equal(info->key_count, 1);
    assert_int_equal(corm_model_column_get(people, 0)->key_position, 1);
    assert_int_equal(corm_model_column_get(people, 3)->key_position, 0);
    assert_true(info->generates_key);
    assert_non_null(strstr(info->create_sql, "CREATE TABLE"));
}

static void a_definition_is_copied(void **state) {
    (void)state;
    char name[] = "createdAt";
    char table[] = "things";
    corm_column_def columns[] = {
        {.name = name, .size = 8, .field = CORM_FIELD_INTEGER, .type = CORM_INT64, .primary_key = true}};
    corm_model_def definition = {
        .struct_size = sizeof(corm_model_def),
        .column_def_size = sizeof(corm_column_def),
        .key_def_size = sizeof(corm_key_def),
        .reference_def_size = sizeof(corm_reference_def),
        .name = "Thing",
        .table = table,
        .record_size = 8,
        .columns = columns,
        .column_count = 1,
    };
    corm_model *model;
    OK(corm_model_create(&definition, &model, &failure));
    memset(name, 'x', sizeof name);
    memset(table, 'x', sizeof table);
    memset(columns, 0, sizeof columns);
    assert_string_equal(corm_model_info_get(model)->table, "things");
    assert_string_equal(corm_model_column_get(model, 0)->property, "createdAt");
    assert_string_equal(corm_model_column_get(model, 0)->name, "created_at");
    OK(corm_model_create_tables(db, CORM_MODELS(model, people), &failure));
    int64_t id = 0;
    OK(corm_record_insert(db, model, &id, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(id, 1);
    corm_model_free(model);
}

static void a_model_serves_several_databases(void **state) {
    (void)state;
    corm_database *other;
    OK(corm_database_open(path_to("other.db"), NULL, &other, &failure));
    OK(corm_model_create_tables(other, CORM_MODELS(people), &failure));
    OK(corm_model_table_exists(other, people, &failure));
    person one = {.name = "x"};
    insert_people(3);
    OK(corm_record_insert(other, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_int_equal(one.id, 1);
    OK(corm_database_close(other, &failure));
    insert_people(1);
}

static void a_freed_model_is_refused_and_open_cursors_go_on(void **state) {
    (void)state;
    corm_cursor *cursor;
    person one = {.name = "x"};
    insert_people(2);
    OK(corm_cursor_open(db, people, NULL, &cursor, &failure));
    corm_model_free(people);
    GIVES(CORM_ROW, corm_cursor_next(cursor, &one, &failure));
    GIVES(CORM_ROW, corm_cursor_next(cursor, &one, &failure));
    corm_cursor_close(cursor);
    GIVES(CORM_E_MISUSE, corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_null(corm_model_info_get(people)->name);
    assert_null(corm_model_info_get(people)->create_sql);
    assert_int_equal(corm_model_info_get(people)->column_count, 0);
    corm_model_free(people);
    people = NULL;
}

static void creating_nothing_and_wrong_lists(void **state) {
    (void)state;
    OK(corm_model_create_tables(db, NULL, 0, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_tables(db, NULL, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_tables(db, CORM_MODELS(people, NULL), &failure));
    corm_model *twin;
    OK(corm_model_create(&person_def, &twin, &failure));
    GIVES(CORM_E_MODEL, corm_model_create_tables(db, CORM_MODELS(people, twin), &failure));
    assert_non_null(strstr(corm_error_message(failure), "person"));
    corm_model_free(twin);
}

static void a_model_without_record_is_for_blocks_only(void **state) {
    (void)state;
    corm_model *model;
    corm_model_def definition = person_def;
    person one = {.name = "x"};
    corm_records *records;
    definition.record_size = 0;
    OK(corm_model_create(&definition, &model, &failure));
    OK(corm_model_table_exists(db, model, &failure));
    GIVES(CORM_E_MISUSE, corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, model, NULL, &records, &failure));
    int64_t count = -1;
    OK(corm_query_count(db, model, NULL, &count, &failure));
    assert_int_equal(count, 0);
    corm_model_free(model);
}

static void use_and_free(corm_model *model) {
    person one = {.name = "x"};
    corm_value key = corm_value_int64(1);
    corm_records *records;
    corm_query query = {.struct_size = sizeof query, .limit = 1};
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    OK(corm_database_set_cache(db, model, 10, 10000, &failure));
    OK(corm_record_save(db, model, &one, NULL, &failure));
    OK(corm_record_exists(db, model, &key, 1, &failure));
    OK(corm_query_fetch(db, model, &query, &records, &failure));
    corm_records_free(records);
    corm_model_free(model);
}

/* finding c.md 14: each left its statements behind, 3 kB and more, as long as the database was open. */
static void freed_models_leave_nothing_behind(void **state) {
    (void)state;
    int64_t before = 0;
    for (int round = 0; round < many(10000); round += 1) {
        corm_model *model;
        OK(corm_model_create(&person_def, &model, &failure));
        use_and_free(model);
        if (round % 10 == 0) {
            OK(corm_model_create_variant(people, CORM_VARIANT(.suffix = round % 20 == 0 ? "1" : "2"), &model,
                                         &failure));
            use_and_free(model);
        }
        if (round == 1000)
            before = peak_memory();
    }
    assert_in_range(peak_memory(), 0, before + 4000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_model_tells_what_it_is),          TEST(a_definition_is_copied),
        TEST(a_model_serves_several_databases),  TEST(a_freed_model_is_refused_and_open_cursors_go_on),
        TEST(creating_nothing_and_wrong_lists),  TEST(a_model_without_record_is_for_blocks_only),
        TEST(freed_models_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
