/* Models of some rows of a table: fields of the discriminator, whatever C left in them. */
#include "support.h"

#include <string.h>

typedef enum kind { DOG = 3, CAT = 4 } kind;
#define KINDS CORM_CHOICES({"dog", DOG}, {"cat", CAT})

typedef struct animal {
    int64_t id;
    kind kind;
    const char *name;
    corm_optional_int64 lives;
} animal;

typedef struct cat {
    int64_t id;
    kind kind;
    const char *name;
    int64_t lives;
} cat;

/* The same rows, whose discriminator is a text. */
typedef struct text_cat {
    int64_t id;
    const char *kind;
    char name[8];
} text_cat;

static const corm_column_def animal_columns[] = {
    CORM_COLUMN(animal, id, CORM_INT64, .primary_key = true), CORM_COLUMN(animal, kind, CORM_TEXT, KINDS),
    CORM_COLUMN(animal, name, CORM_TEXT, .not_null = true), CORM_COLUMN(animal, lives, CORM_INT64)};
static const corm_column_def cat_columns[] = {CORM_COLUMN(cat, id, CORM_INT64, .primary_key = true),
                                              CORM_COLUMN(cat, kind, CORM_TEXT, .discriminator = "cat", KINDS),
                                              CORM_COLUMN(cat, name, CORM_TEXT, .not_null = true),
                                              CORM_COLUMN(cat, lives, CORM_INT64)};
static const corm_column_def text_cat_columns[] = {
    CORM_COLUMN(text_cat, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(text_cat, kind, CORM_TEXT, .not_null = true, .discriminator = "cat"),
    CORM_COLUMN(text_cat, name, CORM_TEXT)};
static const corm_model_def defs[] = {CORM_MODEL(animal, "Animal", animal_columns),
                                      CORM_MODEL(cat, "Cat", cat_columns, .table = "animal"),
                                      CORM_MODEL(text_cat, "TextCat", text_cat_columns, .table = "animal")};
static corm_model *models[3];

static int set_up_animals(void **state) {
    set_up(state);
    for (int i = 0; i < 3; i++)
        OK(corm_model_create(&defs[i], &models[i], &failure));
    OK(corm_model_create_tables(db, models, 3, &failure));
    return 0;
}

static int tear_down_animals(void **state) {
    for (int i = 0; i < 3; i++)
        corm_model_free(models[i]);
    return tear_down(state);
}

static void a_field_that_holds_no_choice_or_null_is_written_as_the_discriminator(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    cat tom = {.name = "Tom", .lives = 9}, read = {0};
    text_cat tim = {.name = "Tim"};
    animal rex = {.kind = DOG, .name = "Rex"};
    OK(corm_record_insert(db, models[1], &tom, CORM_CONFLICT_ABORT, arena, &failure));
    assert_true(tom.kind == CAT && tom.id == 1);
    OK(corm_record_insert(db, models[2], &tim, CORM_CONFLICT_ABORT, arena, &failure));
    assert_string_equal(tim.kind, "cat");
    OK(corm_record_insert(db, models[0], &rex, CORM_CONFLICT_ABORT, arena, &failure));
    tom.kind = DOG;
    tom.lives = 8;
    OK(corm_record_update(db, models[1], &tom, NULL, arena, &failure));
    assert_string_equal(select_text("SELECT group_concat(kind || name || ifnull(lives, '-')) FROM animal"),
                        "catTom8,catTim-,dogRex-");
    OK(corm_record_find(db, models[1], CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    assert_true(read.kind == CAT && read.lives == 8);
    GIVES(CORM_NOT_FOUND, corm_record_find(db, models[1], CORM_VALUES(corm_value_int64(3)), &read, arena, &failure));
    /* A cat has lives, and this row has none. */
    GIVES(CORM_E_NULL_VALUE, corm_record_find(db, models[1], CORM_VALUES(corm_value_int64(2)), &read, arena, &failure));
    corm_arena_free(arena);
}

static void a_discriminator_that_nobody_knows_is_told_by_the_row(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    animal read;
    OK(corm_database_execute(db, "INSERT INTO animal (kind, name) VALUES ('cow', 'Elsa')", CORM_NO_VALUES, NULL,
                             &failure));
    GIVES(CORM_E_TYPE, corm_record_find(db, models[0], CORM_VALUES(corm_value_int64(1)), &read, arena, &failure));
    corm_arena_free(arena);
}

#define ANIMALS(function) cmocka_unit_test_setup_teardown(function, set_up_animals, tear_down_animals)

int main(void) {
    const struct CMUnitTest tests[] = {
        ANIMALS(a_field_that_holds_no_choice_or_null_is_written_as_the_discriminator),
        ANIMALS(a_discriminator_that_nobody_knows_is_told_by_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
