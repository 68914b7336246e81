/* What a struct holds after a write of it that was rolled back: what it held before. */
#include "support.h"

#include <string.h>

/* The foreign key is looked at by the commit; several is a text where number is above 1. */
static const char tables[] =
    "CREATE TABLE letter (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person (id) DEFERRABLE INITIALLY DEFERRED,"
    " version INTEGER NOT NULL, created DATETIME NOT NULL, label TEXT UNIQUE DEFAULT 'made', number INTEGER NOT NULL,"
    " several INTEGER GENERATED ALWAYS AS (CASE WHEN number > 1 THEN 'many' ELSE number END) VIRTUAL)";

typedef struct letter {
    int64_t id;
    corm_optional_int64 owner;
    int64_t version;
    corm_datetime created;
    const char *label;
    int64_t number;
    corm_optional_int64 several;
} letter;

static const corm_column_def columns[] = {
    CORM_COLUMN(letter, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(letter, owner, CORM_INT64),
    CORM_COLUMN(letter, version, CORM_INT64, .version = true),
    CORM_COLUMN(letter, created, CORM_DATETIME, .stamp = CORM_STAMP_CREATED),
    CORM_COLUMN(letter, label, CORM_TEXT, .unique = true, .default_sql = "'made'"),
    CORM_COLUMN(letter, number, CORM_INT64),
    CORM_COLUMN(letter, several, CORM_INT64, .computed_sql = "CASE WHEN number > 1 THEN 'many' ELSE number END"),
};

static corm_status nothing(corm_database *database, void *record, corm_arena *memory, void *context,
                           corm_error **error) {
    (void)database, (void)record, (void)memory, (void)context, (void)error;
    return CORM_OK;
}

static const corm_record_hooks hooks = {.struct_size = sizeof(corm_record_hooks), .after_save = nothing};
static const corm_model_def plain_def = CORM_MODEL(letter, "Letter", columns);
static const corm_model_def hooked_def = CORM_MODEL(letter, "Letter", columns, .hooks = &hooks);

static corm_arena *arena;

static int set_up_letters(void **state) {
    int done = set_up(state);
    arena = corm_arena_create();
    run_script(tables);
    return done;
}

static int tear_down_letters(void **state) {
    corm_arena_free(arena);
    return tear_down(state);
}

#define LETTER_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_letters, tear_down_letters)

/* Each write of a letter fails and leaves it as it is; the retry without what it failed for is none of an old version. */
static void try_each(corm_model *letters, corm_status expected, letter wrong, letter right, bool whole) {
    const corm_upsert_options by_label = {.struct_size = sizeof by_label, .on = "label"};
    const corm_upsert_options keeping = {.struct_size = sizeof keeping, .on = "label", .keep_row = true};
    letter one = wrong;
#define FAILS(call)                                                                                                    \
    do {                                                                                                               \
        GIVES(expected, call);                                                                                         \
        if (!whole)                                                                                                    \
            one.label = wrong.label;                                                                                   \
        assert_memory_equal(&one, &wrong, sizeof one);                                                                 \
    } while (false)
    FAILS(corm_record_insert(db, letters, &one, CORM_CONFLICT_ABORT, arena, &failure));
    FAILS(corm_record_save(db, letters, &one, arena, &failure));
    FAILS(corm_record_upsert(db, letters, &one, 1, &by_label, arena, NULL, &failure));
    FAILS(corm_record_upsert(db, letters, &one, 1, &keeping, arena, NULL, &failure));
    /* Its key is that of another now. */
    letter other = {.number = 1, .label = "another"};
    OK(corm_record_insert(db, letters, &other, CORM_CONFLICT_ABORT, arena, &failure));
    one = right;
    OK(corm_record_save(db, letters, &one, arena, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM letter WHERE version = 1"), 2);
    wrong.id = one.id;
    wrong.version = one.version;
    wrong.created = one.created;
    wrong.label = one.label;
    wrong.several = one.several;
    letter written = one;
    one = wrong;
    FAILS(corm_record_update(db, letters, &one, NULL, arena, &failure));
    FAILS(corm_record_update(db, letters, &one, "owner, number", arena, &failure));
    FAILS(corm_record_save(db, letters, &one, arena, &failure));
    FAILS(corm_record_upsert(db, letters, &one, 1, &by_label, arena, NULL, &failure));
    one = written;
    OK(corm_record_update(db, letters, &one, NULL, arena, &failure));
    assert_int_equal(one.version, 2);
}

static void a_commit_that_fails(void **state) {
    (void)state;
    const corm_model_def *definitions[] = {&plain_def, &hooked_def};
    for (int index = 0; index < 2; index += 1) {
        corm_model *letters = NULL;
        OK(corm_model_create(definitions[index], &letters, &failure));
        try_each(letters, CORM_E_FOREIGN_KEY, (letter){.number = 1, .owner = {true, 99}}, (letter){.number = 1},
                 index == 0);
        run_script("DELETE FROM letter");
        corm_model_free(letters);
    }
}

static void what_comes_back_does_not_fit(void **state) {
    (void)state;
    const corm_model_def *definitions[] = {&plain_def, &hooked_def};
    for (int index = 0; index < 2; index += 1) {
        corm_model *letters = NULL;
        OK(corm_model_create(definitions[index], &letters, &failure));
        try_each(letters, CORM_E_TYPE, (letter){.number = 2}, (letter){.number = 1}, index == 0);
        run_script("DELETE FROM letter");
        corm_model_free(letters);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        LETTER_TEST(a_commit_that_fails),
        LETTER_TEST(what_comes_back_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
