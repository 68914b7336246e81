/* Rows of several records in structs of structs, records in memory of their own, writes by a query, structs written once. */
#include "relations.h"

#include <stdio.h>
#include <string.h>

typedef char pet_code[8];
CORM_STRUCT(badge, (int64_t, id, CORM_INT64, .primary_key = true), (pet_code, code, CORM_TEXT),
            (const char *, words, CORM_TEXT, .not_null = true), (corm_optional_double, price, CORM_DOUBLE));
CORM_DEFINE(badge, "Badge", badge_columns);

typedef struct keeping {
    pet pet;
    person *owner;
    int64_t tags;
    const char *note;
} keeping;
static const corm_column_def keeping_columns[] = {
    {.name = "pet", .offset = offsetof(keeping, pet), .size = sizeof(pet), .field = CORM_FIELD_RECORD, .record = &pets},
    {.name = "owner",
     .offset = offsetof(keeping, owner),
     .size = sizeof(person *),
     .field = CORM_FIELD_RECORD_POINTER,
     .record = &people},
    CORM_COLUMN(keeping, tags, CORM_INT64),
    CORM_COLUMN(keeping, note, CORM_TEXT),
};
CORM_DEFINE(keeping, "Keeping", keeping_columns);

/* Of one table twice. */
typedef struct family {
    node child;
    const node *parent;
} family;
#define node_model nodes
static const corm_column_def family_columns[] = {
    CORM_NESTED(family, child, node),
    CORM_NESTED(family, parent, node),
};
CORM_DEFINE(family, "Family", family_columns);

static int set_up_rows(void **state) {
    set_up_relations(state);
    const corm_model_slot slots[] = {CORM_SLOT(keeping), CORM_SLOT(badge), CORM_SLOT(family)};
    OK(corm_model_create_all(slots, 3, &failure));
    return 0;
}

static int tear_down_rows(void **state) {
    corm_model_free(keeping_model);
    corm_model_free(badge_model);
    corm_model_free(family_model);
    return tear_down_relations(state);
}
#define ROWS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_rows, tear_down_rows)

/* Pets with their owners, where they have some, how many tags they have, and a text. */
static corm_statement *keepings(corm_join kind) {
    corm_statement *select = corm_statement_select(
        pets,
        &(const corm_select){
            .struct_size = sizeof(corm_select),
            .columns = CORM_LIST(CORM_AS(corm_relation_aggregate(pets, NULL, "tags", "count", NULL, NULL), "tags"),
                                 CORM_AS(CORM_STR("noted"), "note")),
            .order_by = CORM_LIST(corm_expr_column(pets, "id"))});
    corm_statement_join_relation(select, kind, NULL, "owner", NULL);
    return select;
}

static void rows_of_several_records(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    corm_statement *select = keepings(CORM_JOIN_LEFT);
    keeping *rows;
    size_t count;
    for (int round = 0; round < 2; round++) {
        OK(CORM_FETCH(keeping, db, CORM_QUERY(.statement = select), arena, &rows, &count, &failure));
        assert_int_equal(count, 5);
        assert_int_equal((uintptr_t)rows % sizeof(void *), 0);
        assert_string_equal(rows[0].pet.name, "Rex");
        assert_string_equal(rows[0].owner->name, "Ada");
        assert_true(rows[0].owner->height == 1.7);
        assert_int_equal((uintptr_t)rows[0].owner % sizeof(void *), 0);
        assert_int_equal(rows[0].tags, 2);
        assert_string_equal(rows[0].note, "noted");
        assert_string_equal(rows[3].pet.name, "Stray");
        assert_null(rows[3].owner);
        assert_false(rows[3].pet.weight.has_value);
    }
    corm_arena_free(arena);
    corm_statement_free(select);
}

static void rows_one_by_one(void **state) {
    (void)state;
    corm_statement *select = keepings(CORM_JOIN_INNER);
    corm_cursor *cursor;
    keeping row;
    int64_t count;
    OK(corm_cursor_open(db, keeping_model, CORM_QUERY(.statement = select), &cursor, &failure));
    GIVES(CORM_ROW, corm_cursor_next(cursor, &row, &failure));
    assert_string_equal(row.owner->name, "Ada");
    GIVES(CORM_ROW, corm_cursor_next(cursor, &row, &failure));
    assert_string_equal(row.pet.name, "Tom");
    corm_cursor_close(cursor);
    OK(corm_query_count(db, keeping_model, CORM_QUERY(.statement = select), &count, &failure));
    assert_int_equal(count, 4);
    corm_arena *arena = corm_arena_create();
    OK(corm_query_first(db, keeping_model, CORM_QUERY(.statement = select), &row, arena, &failure));
    assert_string_equal(row.owner->name, "Ada");
    GIVES(CORM_E_MISUSE, corm_query_first(db, keeping_model, CORM_QUERY(.statement = select), &row, NULL, &failure));
    keeping *own;
    OK(CORM_FIRST(keeping, db, CORM_QUERY(.statement = select), &own, &failure));
    assert_string_equal(own->owner->name, "Ada");
    corm_record_free(own);
    corm_arena_free(arena);
    corm_statement_free(select);
}

static void one_table_twice(void **state) {
    (void)state;
    corm_records *records;
    corm_statement *select = corm_statement_create(CORM_SELECT, nodes, "child");
    corm_statement_join_relation(select, CORM_JOIN_LEFT, NULL, "parent", "parent");
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column_of("child", nodes, "id"));
    OK(corm_query_fetch(db, family_model, CORM_QUERY(.statement = select), &records, &failure));
    const family *rows = corm_records_data(records);
    assert_int_equal(corm_records_count(records), 4);
    assert_null(rows[0].parent);
    assert_string_equal(rows[3].child.name, "leaf");
    assert_string_equal(rows[3].parent->name, "left");
    corm_records_free(records);
    corm_statement_free(select);
    select = corm_statement_create(CORM_SELECT, nodes, NULL);
    corm_statement_join_relation(select, CORM_JOIN_LEFT, NULL, "parent", "above");
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, family_model, CORM_QUERY(.statement = select), &records, &failure));
    FAILURE_SAYS("none is called child");
    corm_statement_free(select);
}

static void rows_of_sql(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    family *rows;
    size_t count;
    OK(CORM_FETCH(family, db,
                  CORM_QUERY(.sql =
                                 "SELECT c.id AS \"child.id\", c.parent_id AS \"child.parent_id\", c.name AS "
                                 "\"child.name\", p.id AS \"parent.id\", p.parent_id AS \"parent.parent_id\", p.name "
                                 "AS \"parent.name\" FROM node c LEFT JOIN node p ON p.id = c.parent_id ORDER BY c.id"),
                  arena, &rows, &count, &failure));
    assert_int_equal(count, 4);
    assert_string_equal(rows[1].parent->name, "root");
    GIVES(CORM_E_SCHEMA,
          CORM_FETCH(family, db, CORM_QUERY(.sql = "SELECT 1 AS \"child.id\""), arena, &rows, &count, &failure));
    FAILURE_SAYS("no column \"child.parent_id\"");
    corm_arena_free(arena);
}

static void rows_that_do_not_fit(void **state) {
    (void)state;
    corm_records *records;
    corm_statement *select = keepings(CORM_JOIN_LEFT);
    OK(corm_database_execute(db, "UPDATE pet SET weight = 'much' WHERE id = 3", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_TYPE, corm_query_fetch(db, keeping_model, CORM_QUERY(.statement = select), &records, &failure));
    FAILURE_SAYS("pet.weight holds text, not an integer (in the row with the key 3)");
    assert_int_equal(corm_error_info_get(failure)->record_index, 2);
    corm_statement_free(select);
    /* A record that must be there. */
    select = corm_statement_create(CORM_SELECT, nodes, "parent");
    corm_statement_join_relation(select, CORM_JOIN_LEFT, NULL, "children", "child");
    GIVES(CORM_E_NULL_VALUE, corm_query_fetch(db, family_model, CORM_QUERY(.statement = select), &records, &failure));
    FAILURE_SAYS("no record of Node for child");
    corm_statement_free(select);
}

static void a_cursor_goes_on_after_a_row_that_does_not_fit(void **state) {
    (void)state;
    corm_cursor *cursor;
    pet one;
    OK(corm_database_execute(db, "UPDATE pet SET weight = 'much' WHERE id = 2", CORM_NO_VALUES, NULL, &failure));
    OK(corm_cursor_open(db, pets, CORM_QUERY(.order_by = "id"), &cursor, &failure));
    GIVES(CORM_ROW, corm_cursor_next(cursor, &one, &failure));
    GIVES(CORM_E_TYPE, corm_cursor_next(cursor, &one, &failure));
    FAILURE_SAYS("(in the row with the key 2)");
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    GIVES(CORM_ROW, corm_cursor_next(cursor, &one, &failure));
    assert_int_equal(one.id, 3);
    corm_cursor_close(cursor);
    /* After an error of the statement there is no more. */
    OK(corm_cursor_open(db, pets,
                        CORM_QUERY(.sql = "SELECT id, owner_id, name, abs(-9223372036854775807 - (id = 2)) AS "
                                          "weight FROM pet ORDER BY id"),
                        &cursor, &failure));
    GIVES(CORM_ROW, corm_cursor_next(cursor, &one, &failure));
    GIVES(CORM_E_SQL, corm_cursor_next(cursor, &one, &failure));
    GIVES(CORM_E_SQL, corm_cursor_next(cursor, &one, &failure));
    corm_cursor_close(cursor);
}

static void rows_have_no_table(void **state) {
    (void)state;
    keeping row = {.tags = 1};
    corm_records *records;
    corm_model *other;
    corm_json_reader *reader;
    corm_statement *select = corm_statement_create(CORM_SELECT, people, NULL);
    GIVES(CORM_E_MISUSE, corm_record_insert(db, CORM_OF(keeping, &row), CORM_CONFLICT_ABORT, NULL, &failure));
    FAILURE_SAYS("rows of several records");
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, keeping_model, NULL, &records, &failure));
    FAILURE_SAYS("give the query a statement");
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, keeping_model, CORM_QUERY(.where = CORM_INT(1)), &records, &failure));
    GIVES(CORM_E_MISUSE, corm_query_fetch(db, keeping_model, CORM_QUERY(.statement = select), &records, &failure));
    FAILURE_SAYS("reads from no Pet");
    GIVES(CORM_E_MISUSE, corm_query_delete(db, keeping_model, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_json_reader_create(keeping_model, NULL, &reader, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_variant(keeping_model, CORM_VARIANT(.suffix = "x"), &other, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(keeping_model), &failure));
    GIVES(CORM_NOT_FOUND, corm_model_table_exists(db, keeping_model, &failure));
    corm_statement_free(select);
    corm_column_def bad[1] = {keeping_columns[0]};
    const corm_model_def one = CORM_MODEL(keeping, "Bad", bad);
    bad[0].size -= 8;
    GIVES(CORM_E_MODEL, corm_model_create(&one, &other, &failure));
    FAILURE_SAYS("CORM_NESTED");
    corm_model *missing = NULL;
    bad[0] = keeping_columns[0];
    bad[0].record = &missing;
    GIVES(CORM_E_MODEL, corm_model_create(&one, &other, &failure));
    FAILURE_SAYS("not made yet");
}

static void fields_of_a_model(void **state) {
    (void)state;
    const corm_model_column *code = corm_model_column_get(badge_model, 1);
    assert_string_equal(code->property, "code");
    assert_int_equal(code->field, CORM_FIELD_CHARACTER_ARRAY);
    assert_int_equal(code->offset, offsetof(badge, code));
    assert_int_equal(code->size, 8);
    assert_false(code->is_nullable);
    assert_int_equal(corm_model_column_get(badge_model, 3)->field, CORM_FIELD_OPTIONAL_DOUBLE);
    assert_true(corm_model_column_get(badge_model, 3)->is_nullable);
    assert_null(corm_model_column_get(badge_model, 4));
    const corm_model_column *weight = corm_model_column_get(keeping_model, 3);
    assert_string_equal(weight->property, "pet.weight");
    assert_int_equal(weight->offset, offsetof(keeping, pet.weight));
    assert_int_equal(corm_model_column_get(keeping_model, 4)->size, 0);
    assert_string_equal(corm_model_column_get(keeping_model, 4)->property, "owner.id");
}

static void a_record_that_owns_its_texts(void **state) {
    (void)state;
    person *ada = NULL, *none = &(person){0};
    OK(corm_query_first_owned(
        db, people, CORM_QUERY(.where = CORM_EQ(corm_expr_column(people, "name"), CORM_STR("Ada"))), &ada, &failure));
    assert_string_equal(ada->name, "Ada");
    assert_string_equal(ada->city, "London");
    GIVES(CORM_NOT_FOUND, corm_query_first_owned(db, people, CORM_QUERY(.where = CORM_INT(0)), &none, &failure));
    assert_null(none);
    corm_record_free(ada);
    corm_record_free(ada);
    corm_record_free(NULL);
    corm_record_free(&none);
    GIVES(CORM_E_MISUSE, corm_query_first_owned(db, people, NULL, NULL, &failure));
}

static void writes_by_a_query(void **state) {
    (void)state;
    int64_t changes;
    GIVES(CORM_E_FOREIGN_KEY,
          corm_query_delete(db, people, CORM_QUERY(.where = CORM_EQ(corm_expr_column(people, "id"), CORM_INT(1))), NULL,
                            &failure));
    FAILURE_SAYS("pet.owner_id may refer to it");
    OK(corm_database_execute_script(db, "DELETE FROM pet_tag; DELETE FROM pet", &failure));
    OK(corm_query_update(db, people, CORM_QUERY(.where = CORM_EQ(corm_expr_column(people, "city"), CORM_STR("Rome"))),
                         CORM_SET({"age", CORM_INT(40)}, {"city", CORM_STR("Roma")}), &changes, &failure));
    assert_int_equal(changes, 2);
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE city = 'Roma' AND age = 40"), 2);
    const corm_value nowhere = corm_value_named("city", corm_value_null());
    OK(corm_query_update(db, people, CORM_QUERY(.values = &nowhere, .value_count = 1), CORM_SET({"age", CORM_INT(1)}),
                         &changes, &failure));
    assert_int_equal(changes, 2);
    const corm_value least = corm_value_named("least", corm_value_int64(40));
    OK(corm_query_delete(db, people,
                         CORM_QUERY(.where = CORM_GE(corm_expr_column(people, "age"), corm_expr_parameter("least")),
                                    .values = &least, .value_count = 1),
                         &changes, &failure));
    assert_int_equal(changes, 3);
    GIVES(CORM_E_MISUSE, corm_query_update(db, people, NULL, CORM_SET({"agee", CORM_INT(1)}), NULL, &failure));
    FAILURE_SAYS("did you mean age?");
    GIVES(CORM_E_MISUSE, corm_query_update(db, people, NULL, NULL, 0, NULL, &failure));
    GIVES(CORM_E_MISUSE,
          corm_query_update(db, people, CORM_QUERY(.limit = 1), CORM_SET({"age", CORM_INT(1)}), NULL, &failure));
    GIVES(CORM_E_MISUSE,
          corm_query_delete(db, people, CORM_QUERY(.where = CORM_INT(1), .order_by = "id"), NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_query_delete(db, people, CORM_QUERY(.sql = "SELECT 1"), NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 3);
    OK(corm_query_delete(db, people, NULL, &changes, &failure));
    assert_int_equal(changes, 3);
}

static void joins_along_a_path(void **state) {
    (void)state;
    corm_statement *select = corm_statement_create(CORM_SELECT, people, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(people, "name"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column_of("word", tags, "word"));
    corm_statement_join_relation(select, CORM_JOIN_INNER, NULL, "pets.tags", "word");
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column_of("word", tags, "word"));
    corm_result *result;
    OK(corm_result_open_statement(db, select, CORM_NO_VALUES, &result, &failure));
    assert_string_equal(rows_of(result), "Ada loud; Ada old; Dan old");
    corm_statement_free(select);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ROWS_TEST(rows_of_several_records),
        ROWS_TEST(rows_one_by_one),
        ROWS_TEST(one_table_twice),
        ROWS_TEST(rows_of_sql),
        ROWS_TEST(rows_that_do_not_fit),
        ROWS_TEST(rows_have_no_table),
        ROWS_TEST(fields_of_a_model),
        ROWS_TEST(a_record_that_owns_its_texts),
        ROWS_TEST(writes_by_a_query),
        ROWS_TEST(joins_along_a_path),
        ROWS_TEST(a_cursor_goes_on_after_a_row_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
