/* Enums whose names are in the file, and checks of the values that there are. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef enum side { PORT = 3, STARBOARD = -4 } side;
typedef enum rank { LOW = 1, HIGH = 2 } rank;

typedef struct berth {
    int64_t id;
    side side;
    int8_t tiny;
    uint16_t natural;
    corm_optional_int32 other;
    rank rank;
    corm_text word;
} berth;

static const corm_column_def berth_columns[] = {
    CORM_COLUMN(berth, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(berth, side, CORM_TEXT, .check_choices = true,
                CORM_CHOICES({"port", PORT}, {"it's starboard", STARBOARD})),
    CORM_COLUMN(berth, tiny, CORM_TEXT, CORM_CHOICES({"none", 0}, {"less", -1})),
    CORM_COLUMN(berth, natural, CORM_VARCHAR, .length = 5, CORM_CHOICES({"zero", 0}, {"most", 65535})),
    CORM_COLUMN(berth, other, CORM_TEXT, CORM_CHOICES({"port", PORT}, {"starboard", STARBOARD})),
    CORM_COLUMN(berth, rank, CORM_INT32, .check_choices = true, .check_sql = "rank > 0",
                CORM_CHOICES({"low", LOW}, {"high", HIGH})),
    CORM_COLUMN(berth, word, CORM_TEXT, .check_choices = true, CORM_CHOICES({"a", 0}, {"b", 0})),
};
static const corm_model_def berth_def = CORM_MODEL(berth, "Berth", berth_columns);
static corm_model *model;

static int set_up_berths(void **state) {
    set_up(state);
    OK(corm_model_create(&berth_def, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    return 0;
}

static int tear_down_berths(void **state) {
    corm_model_free(model);
    return tear_down(state);
}

static void the_file_holds_names_and_the_struct_values(void **state) {
    (void)state;
    berth record = {.side = STARBOARD, .tiny = -1, .natural = 65535, .other = {true, STARBOARD}, .rank = HIGH};
    berth plain = {.side = PORT, .rank = LOW};
    berth read = {0};
    corm_arena *arena = corm_arena_create();
    OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, arena, &failure));
    OK(corm_record_insert(db, model, &plain, CORM_CONFLICT_ABORT, arena, &failure));
    assert_string_equal(
        select_text("SELECT group_concat(side || tiny || \"natural\" || ifnull(other, '-') || rank) FROM berth"),
        "it's starboardlessmoststarboard2,portnonezero-1");
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    assert_true(read.side == STARBOARD && read.tiny == -1 && read.natural == 65535 && read.rank == HIGH);
    assert_true(read.other.has_value && read.other.value == STARBOARD);
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(2)), &read, arena, &failure));
    assert_true(read.side == PORT && read.tiny == 0 && read.natural == 0 && !read.other.has_value);
    corm_arena_free(arena);
}

static void what_has_no_name_is_refused(void **state) {
    (void)state;
    const struct {
        corm_status status;
        const char *column;
        berth record;
    } cases[] = {
        {CORM_E_TYPE, "side", {.side = (side)0, .rank = LOW}},
        {CORM_E_TYPE, "tiny", {.side = PORT, .tiny = 5, .rank = LOW}},
        {CORM_E_TYPE, "natural", {.side = PORT, .natural = 1, .rank = LOW}},
        {CORM_E_TYPE, "other", {.side = PORT, .other = {true, 0}, .rank = LOW}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        berth record = cases[i].record;
        GIVES(cases[i].status, corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
        assert_string_equal(columns_of(failure), cases[i].column);
    }
    berth record = {.side = PORT, .rank = (rank)3};
    GIVES(CORM_E_CHECK, corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_CHECK, corm_database_execute(
                            db, "INSERT INTO berth (side, tiny, \"natural\", rank) VALUES ('Port', 'none', 'zero', 1)",
                            NULL, 0, NULL, &failure));
    GIVES(CORM_E_CHECK,
          corm_database_execute(
              db, "INSERT INTO berth (side, tiny, \"natural\", rank, word) VALUES ('port', '', '', 1, 'c')", NULL, 0,
              NULL, &failure));
    OK(corm_database_execute(db, "INSERT INTO berth (side, tiny, \"natural\", rank) VALUES ('port', 'much', 'zero', 1)",
                             NULL, 0, NULL, &failure));
    berth read = {0};
    corm_arena *arena = corm_arena_create();
    GIVES(CORM_E_TYPE, corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    assert_string_equal(columns_of(failure), "tiny");
    assert_non_null(strstr(corm_error_message(failure), "(in the row with the key 1)"));
    corm_arena_free(arena);
}

static void choices_that_cannot_work_are_no_model(void **state) {
    (void)state;
    const corm_column_def nameless[] = {CORM_COLUMN(berth, side, CORM_TEXT, CORM_CHOICES({NULL, PORT}))};
    const corm_column_def none[] = {CORM_COLUMN(berth, rank, CORM_INT32, .check_choices = true)};
    const corm_column_def plain[] = {CORM_COLUMN(berth, side, CORM_TEXT)};
    const corm_model_def definitions[] = {CORM_MODEL(berth, "A", nameless), CORM_MODEL(berth, "B", none),
                                          CORM_MODEL(berth, "C", plain)};
    for (size_t i = 0; i < 3; i++) {
        corm_model *made = NULL;
        GIVES(CORM_E_MODEL, corm_model_create(&definitions[i], &made, &failure));
    }
}

#define BERTHS(function) cmocka_unit_test_setup_teardown(function, set_up_berths, tear_down_berths)

int main(void) {
    const struct CMUnitTest tests[] = {
        BERTHS(the_file_holds_names_and_the_struct_values),
        BERTHS(what_has_no_name_is_refused),
        BERTHS(choices_that_cannot_work_are_no_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
