/* Edge values of every type through a typed struct, by each way that records come back. */
#include "edge_values.h"
#include "support.h"

static corm_arena *arena;
static corm_model *model;
static edge_value rows[EDGE_VALUE_COUNT];

static int set_up_edges(void **state) {
    set_up(state);
    arena = corm_arena_create();
    edge_values(rows, arena);
    OK(corm_model_create(&edge_value_def, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    return 0;
}

static int tear_down_edges(void **state) {
    corm_model_free(model);
    corm_arena_free(arena);
    return tear_down(state);
}

static void check(const edge_value *found) {
    for (int row = 0; row < EDGE_VALUE_COUNT; row += 1) {
        if (rows[row].id != found->id)
            continue;
        const char *difference = edge_value_difference(&rows[row], found);
        if (difference != NULL)
            print_error("row %d differs in %s\n", row, difference);
        assert_null(difference);
        return;
    }
    fail();
}

static void insert_all(void) {
    for (int row = 0; row < EDGE_VALUE_COUNT; row += 1) {
        OK(corm_record_insert(db, model, &rows[row], CORM_CONFLICT_ABORT, NULL, &failure));
    }
}

static void fetched(void **state) {
    (void)state;
    corm_records *records;
    insert_all();
    OK(corm_query_fetch(db, model, NULL, &records, &failure));
    assert_int_equal(corm_records_count(records), EDGE_VALUE_COUNT);
    const edge_value *found = corm_records_data(records);
    for (int row = 0; row < EDGE_VALUE_COUNT; row += 1)
        check(&found[row]);
    corm_records_free(records);
}

static void streamed(void **state) {
    (void)state;
    corm_cursor *cursor;
    edge_value found;
    int count = 0;
    insert_all();
    OK(corm_cursor_open(db, model, NULL, &cursor, &failure));
    for (; corm_cursor_next(cursor, &found, &failure) == CORM_ROW; count += 1)
        check(&found);
    assert_int_equal(count, EDGE_VALUE_COUNT);
    corm_cursor_close(cursor);
}

static void found_saved_updated_and_refreshed(void **state) {
    (void)state;
    for (int row = 0; row < EDGE_VALUE_COUNT; row += 1) {
        edge_value found = {0};
        edge_value blank = {
            .id = rows[row].id, .label = {"", 0}, .code = "", .data = {"", 0}, .price = "1", .extra = "1"};
        OK(corm_record_save(db, model, &blank, NULL, &failure));
        OK(corm_record_update(db, model, &rows[row], NULL, NULL, &failure));
        OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(rows[row].id)), &found, arena, &failure));
        check(&found);
        OK(corm_record_save(db, model, &blank, NULL, &failure));
        OK(corm_record_save(db, model, &rows[row], NULL, &failure));
        found = (edge_value){.id = rows[row].id};
        OK(corm_record_refresh(db, model, &found, arena, &failure));
        check(&found);
    }
}

static void written_to_a_file_and_read_from_it(void **state) {
    (void)state;
    assert_true(edge_values_write(path_to("edge.db")));
    assert_true(edge_values_read(path_to("edge.db")));
    assert_false(edge_values_write(path_to("edge.db")));
    corm_database *other;
    OK(corm_database_open(path_to("edge.db"), NULL, &other, &failure));
    OK(corm_database_execute(other, "UPDATE edge_values SET optional_label = optional_label || 'x' WHERE id = 3",
                             CORM_NO_VALUES, NULL, &failure));
    OK(corm_database_close(other, &failure));
    assert_false(edge_values_read(path_to("edge.db")));
}

#define EDGES(function) cmocka_unit_test_setup_teardown(function, set_up_edges, tear_down_edges)

int main(void) {
    const struct CMUnitTest tests[] = {
        EDGES(fetched),
        EDGES(streamed),
        EDGES(found_saved_updated_and_refreshed),
        EDGES(written_to_a_file_and_read_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
