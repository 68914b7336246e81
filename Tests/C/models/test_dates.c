/* Dates, times of day and durations in structs: what they hold, and what is refused. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct shift {
    int64_t id;
    corm_date day;
    corm_time begins;
    corm_duration takes;
    corm_optional_int32 paid;
    corm_optional_int64 pause;
    corm_optional_int64 extra;
    corm_value any;
} shift;

static const corm_column_def shift_columns[] = {
    CORM_COLUMN(shift, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(shift, day, CORM_DATE),
    CORM_COLUMN(shift, begins, CORM_TIME),
    CORM_COLUMN(shift, takes, CORM_DURATION),
    CORM_COLUMN(shift, paid, CORM_DATE),
    CORM_COLUMN(shift, pause, CORM_TIME),
    CORM_COLUMN(shift, extra, CORM_DURATION),
    CORM_COLUMN(shift, any, CORM_DATE),
};
static const corm_model_def shift_def = CORM_MODEL(shift, "Shift", shift_columns);
static corm_model *model;

static int set_up_shifts(void **state) {
    set_up(state);
    OK(corm_model_create(&shift_def, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    return 0;
}

static int tear_down_shifts(void **state) {
    corm_model_free(model);
    return tear_down(state);
}

static void structs_hold_days_and_microseconds(void **state) {
    (void)state;
    shift record = {.day = 20484,
                    .begins = 30600250000,
                    .takes = -1,
                    .paid = {true, -719162},
                    .extra = {true, INT64_MAX},
                    .any = corm_value_date(20485)};
    shift read = {0};
    corm_arena *arena = corm_arena_create();
    OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, arena, &failure));
    assert_string_equal(
        select_text("SELECT day || ' ' || begins || ' ' || takes || ' ' || paid || ' ' || \"any\" FROM shift"),
        "2026-01-31 08:30:00.250000 -1 0001-01-01 2026-02-01");
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    assert_int_equal(read.day, 20484);
    assert_int_equal(read.begins, 30600250000);
    assert_int_equal(read.takes, -1);
    assert_true(read.paid.has_value && read.paid.value == -719162);
    assert_false(read.pause.has_value);
    assert_true(read.extra.has_value && read.extra.value == INT64_MAX);
    assert_true(read.any.type == CORM_VALUE_INTEGER && read.any.as.integer == 20485);
    corm_arena_free(arena);
}

static void what_is_no_such_value_is_refused(void **state) {
    (void)state;
    const struct {
        corm_status status;
        const char *column;
        shift record;
    } cases[] = {
        {CORM_E_RANGE, "day", {.day = 2932897}},
        {CORM_E_RANGE, "day", {.day = INT32_MIN}},
        {CORM_E_RANGE, "begins", {.begins = 86400000000}},
        {CORM_E_RANGE, "begins", {.begins = -1}},
        {CORM_E_RANGE, "pause", {.pause = {true, INT64_MAX}}},
        {CORM_E_TYPE, "any", {.any = corm_value_time(0)}},
        {CORM_E_TYPE, "any", {.any = corm_value_datetime(0)}},
        {CORM_E_RANGE, "any", {.any = corm_value_date(2932897)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shift record = cases[i].record;
        GIVES(cases[i].status, corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
        assert_string_equal(columns_of(failure), cases[i].column);
    }
    assert_int_equal(select_int("SELECT count(*) FROM shift"), 0);
}

static void values_of_sql_take_the_form(void **state) {
    (void)state;
    OK(corm_database_execute(db, "INSERT INTO shift (day, begins, takes) VALUES (?, ?, ?)",
                             CORM_VALUES(corm_value_date(0), corm_value_time(1), corm_value_int64(2)), NULL, &failure));
    assert_string_equal(select_text("SELECT day || begins || takes FROM shift"), "1970-01-0100:00:00.0000012");
    GIVES(CORM_E_RANGE, corm_database_execute(db, "SELECT ?", CORM_VALUES(corm_value_time(-1)), NULL, &failure));
    corm_query query = CORM_QUERY_INIT;
    const corm_value day = corm_value_named("day", corm_value_date(0));
    int64_t count = 0;
    query.values = &day;
    query.value_count = 1;
    OK(corm_query_count(db, model, &query, &count, &failure));
    assert_int_equal(count, 1);
}

typedef struct wrong {
    int64_t day;
} wrong;

static void a_field_that_cannot_carry_it_is_no_model(void **state) {
    (void)state;
    const corm_column_def columns[] = {CORM_COLUMN(wrong, day, CORM_DATE)};
    const corm_model_def definition = CORM_MODEL(wrong, "Wrong", columns);
    corm_model *made = NULL;
    GIVES(CORM_E_MODEL, corm_model_create(&definition, &made, &failure));
    assert_non_null(strstr(corm_error_hint(failure), "corm_date or corm_optional_int32"));
}

#define SHIFTS(function) cmocka_unit_test_setup_teardown(function, set_up_shifts, tear_down_shifts)

int main(void) {
    const struct CMUnitTest tests[] = {
        SHIFTS(structs_hold_days_and_microseconds),
        SHIFTS(what_is_no_such_value_is_refused),
        SHIFTS(values_of_sql_take_the_form),
        SHIFTS(a_field_that_cannot_carry_it_is_no_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
