/* Definitions of models that are refused. Those that other languages can write too are in descriptors-refused.json. */
#include "support.h"

#include <string.h>

typedef struct everything {
    int64_t a;
    int32_t b;
    bool c;
    double d;
    float e;
    const char *f;
    corm_text g;
    corm_blob h;
    corm_uuid i;
    corm_optional_int64 j;
    corm_optional_int32 k;
    corm_optional_bool l;
    corm_optional_double m;
    corm_optional_float n;
    corm_optional_uuid o;
    corm_value p;
    corm_datetime q;
} everything;

/* Fields that have the size of one that would do: findings code.md, 1. */
typedef struct lookalikes {
    int64_t key;
    char eight[8];
    char sixteen[16];
    char thirty_two[32];
    int64_t integer;
    double real;
    int8_t small;
    char letter;
    enum { FIRST, SECOND } choice;
    void *pointer;
    const char *text;
    uint64_t natural;
} lookalikes;

/* Tries a model of a key and this column. */
static corm_status try_column(corm_column_def column) {
    corm_column_def columns[] = {CORM_COLUMN(lookalikes, key, CORM_INT64, .primary_key = true), column};
    corm_model_def definition = CORM_MODEL(lookalikes, "Lookalikes", columns);
    corm_model *model = NULL;
    forget_failure();
    corm_status status = corm_model_create(&definition, &model, &failure);
    corm_model_free(model);
    return status;
}

static void a_field_is_told_by_its_type(void **state) {
    (void)state;
#define TRY(...) try_column((corm_column_def)CORM_COLUMN(lookalikes, __VA_ARGS__))
    assert_int_equal(TRY(integer, CORM_JSON), CORM_E_MODEL);
    assert_string_equal(
        corm_error_message(failure),
        "model Lookalikes: column \"integer\" of type json has a field of a C type that cannot carry it");
    assert_string_equal(corm_error_hint(failure), "make the field const char *, corm_text or an array of char");
    assert_int_equal(TRY(eight, CORM_TEXT), CORM_OK);
    assert_int_equal(TRY(sixteen, CORM_DECIMAL), CORM_OK);
    assert_int_equal(TRY(sixteen, CORM_BLOB), CORM_E_MODEL);
    assert_int_equal(TRY(sixteen, CORM_UUID), CORM_E_MODEL);
    assert_int_equal(TRY(thirty_two, CORM_INT64), CORM_E_MODEL);
    assert_int_equal(TRY(integer, CORM_DOUBLE), CORM_E_MODEL);
    assert_int_equal(TRY(integer, CORM_TEXT), CORM_E_MODEL);
    assert_int_equal(TRY(real, CORM_INT64), CORM_E_MODEL);
    assert_int_equal(TRY(small, CORM_BOOL), CORM_E_MODEL);
    assert_int_equal(TRY(pointer, CORM_TEXT), CORM_E_MODEL);
    assert_int_equal(TRY(text, CORM_DATETIME), CORM_E_MODEL);
    assert_int_equal(TRY(small, CORM_INT64), CORM_E_MODEL);
    assert_int_equal(TRY(small, CORM_INT32), CORM_OK);
    assert_int_equal(TRY(letter, CORM_INT32), CORM_E_MODEL);
    assert_int_equal(TRY(choice, CORM_INT32), CORM_OK);
    assert_int_equal(TRY(integer, CORM_DATETIME), CORM_OK);
    assert_int_equal(TRY(real, CORM_DOUBLE), CORM_OK);
    assert_int_equal(TRY(text, CORM_JSON), CORM_OK);
    assert_int_equal(TRY(natural, CORM_INT64), CORM_OK);
    assert_int_equal(TRY(natural, CORM_DATETIME), CORM_E_MODEL);
    assert_int_equal(TRY(integer, CORM_INT64, .is_unsigned = true), CORM_E_MODEL);
    assert_string_equal(corm_error_hint(failure), "make the field uint64_t or corm_optional_int64");
    corm_column_def unsaid = CORM_COLUMN(lookalikes, eight, CORM_TEXT);
    unsaid.field = 0;
    assert_int_equal(try_column(unsaid), CORM_E_MODEL);
    assert_string_equal(columns_of(failure), "eight");
    assert_non_null(strstr(corm_error_hint(failure), "CORM_COLUMN"));
#undef TRY
}

/* A plain unsigned field need not be called so: what does not fit is never stored as a negative number. */
static void an_unsigned_field_is_one_by_its_type(void **state) {
    (void)state;
    corm_column_def columns[] = {
        CORM_COLUMN(lookalikes, key, CORM_INT64, .primary_key = true),
        CORM_COLUMN(lookalikes, natural, CORM_INT64),
    };
    corm_model_def definition = CORM_MODEL(lookalikes, "Lookalikes", columns);
    corm_model *model = NULL;
    corm_database *database = NULL;
    lookalikes one = {.key = 1, .natural = UINT64_MAX};
    OK(corm_model_create(&definition, &model, &failure));
    OK(corm_database_open(":memory:", NULL, &database, &failure));
    OK(corm_model_create_tables(database, CORM_MODELS(model), &failure));
    GIVES(CORM_E_RANGE, corm_record_insert(database, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    one.natural = INT64_MAX;
    OK(corm_record_insert(database, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    OK(corm_database_close(database, &failure));
    corm_model_free(model);
}

/* Options of an older and of a newer header, and bytes kept for later ones: findings code.md, 3, and c.md, 7. */
static void options_say_how_long_they_are(void **state) {
    (void)state;
    struct {
        corm_open_options known;
        int64_t added[2];
    } newer = {.known = {.struct_size = sizeof newer}};
    corm_database *database = NULL;
    OK(corm_database_open(":memory:", &newer.known, &database, &failure));
    OK(corm_database_close(database, &failure));
    newer.added[1] = 1;
    GIVES(CORM_E_MISUSE, corm_database_open(":memory:", &newer.known, &database, &failure));
    newer = (__typeof__(newer)){.known = {.struct_size = offsetof(corm_open_options, auto_sync), .auto_sync = true}};
    OK(corm_database_open(":memory:", &newer.known, &database, &failure));
    OK(corm_database_close(database, &failure));
    newer.known = (corm_open_options){.struct_size = sizeof newer.known, .reserved = {1}};
    GIVES(CORM_E_MISUSE, corm_database_open(":memory:", &newer.known, &database, &failure));
    corm_json_options json = {.struct_size = sizeof json, .reserved = {1}};
    corm_json_reader *reader = NULL;
    corm_column_def columns[] = {CORM_COLUMN(lookalikes, key, CORM_INT64, .primary_key = true)};
    corm_model_def definition = CORM_MODEL(lookalikes, "Lookalikes", columns);
    corm_model *model = NULL;
    OK(corm_model_create(&definition, &model, &failure));
    GIVES(CORM_E_MISUSE, corm_json_reader_create(model, &json, &reader, &failure));
    corm_model_free(model);
    for (size_t index = 0; index < 4; index++) {
        static const uint32_t wrong[] = {0, 4, 4096, UINT32_MAX};
        newer.known = (corm_open_options){.struct_size = wrong[index]};
        GIVES(CORM_E_MISUSE, corm_database_open(":memory:", &newer.known, &database, &failure));
    }
}

/* Tries a model of one key and one column of this field. */
static corm_status try_field(corm_type type, int32_t field, size_t offset, size_t size) {
    corm_column_def columns[] = {
        CORM_COLUMN(everything, a, CORM_INT64, .primary_key = true),
        {.name = "tried", .offset = offset, .size = size, .field = field, .type = type, .length = 5},
    };
    corm_model_def definition = CORM_MODEL(everything, "Tried", columns);
    corm_model *model = NULL;
    forget_failure();
    corm_status status = corm_model_create(&definition, &model, &failure);
    if (status == CORM_OK)
        corm_model_free(model);
    return status;
}

static void a_field_must_be_of_a_size_its_type_can_have(void **state) {
    (void)state;
#define SIZE(field) sizeof(((everything *)0)->field)
    static const size_t allowed[13][5] = {
        {0},
        {8, SIZE(j), SIZE(p)},
        {4, 2, 1, SIZE(k), SIZE(p)},
        {1, SIZE(l), SIZE(p)},
        {8, SIZE(m), SIZE(p)},
        {4, SIZE(n), SIZE(p)},
        {8, 16, SIZE(p)},
        {8, 16, SIZE(p)},
        {16, SIZE(p)},
        {8, SIZE(j), SIZE(p)},
        {16, SIZE(o), SIZE(p)},
        {8, 16, SIZE(p)},
        {8, 16, SIZE(p)},
    };
    static const int32_t fields[13][2] = {
        {0},
        {CORM_FIELD_INTEGER, CORM_FIELD_OPTIONAL_INT64},
        {CORM_FIELD_INTEGER, CORM_FIELD_OPTIONAL_INT32},
        {CORM_FIELD_BOOL, CORM_FIELD_OPTIONAL_BOOL},
        {CORM_FIELD_DOUBLE, CORM_FIELD_OPTIONAL_DOUBLE},
        {CORM_FIELD_FLOAT, CORM_FIELD_OPTIONAL_FLOAT},
        {CORM_FIELD_CHARACTERS, CORM_FIELD_TEXT},
        {CORM_FIELD_CHARACTERS, CORM_FIELD_TEXT},
        {CORM_FIELD_BLOB},
        {CORM_FIELD_INTEGER, CORM_FIELD_OPTIONAL_INT64},
        {CORM_FIELD_UUID, CORM_FIELD_OPTIONAL_UUID},
        {CORM_FIELD_CHARACTERS, CORM_FIELD_TEXT},
        {CORM_FIELD_CHARACTERS, CORM_FIELD_TEXT},
    };
    for (corm_type type = CORM_INT64; type <= CORM_JSON; type += 1) {
        for (size_t size = 0; size <= 40; size += 1) {
            bool good = false;
            for (int index = 0; index < 5; index += 1)
                good = good || (size != 0 && size == allowed[type][index]);
            int32_t field = size == SIZE(p) ? CORM_FIELD_VALUE : fields[type][size <= allowed[type][0] ? 0 : 1];
            corm_status status = try_field(type, field, offsetof(everything, i), size);
            if (status != (good ? CORM_OK : CORM_E_MODEL)) {
                print_error("type %d of size %zu gives %s\n", type, size, corm_status_name(status));
                fail();
            }
            if (!good)
                assert_string_equal(columns_of(failure), "tried");
        }
    }
}

static void a_field_must_lie_in_the_record(void **state) {
    (void)state;
    assert_int_equal(try_field(CORM_INT64, CORM_FIELD_INTEGER, sizeof(everything) - 8, 8), CORM_OK);
    assert_int_equal(try_field(CORM_INT64, CORM_FIELD_INTEGER, sizeof(everything) - 7, 8), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_INT64, CORM_FIELD_INTEGER, sizeof(everything), 8), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_BLOB, CORM_FIELD_BLOB, sizeof(everything) - 8, 16), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_INT64, CORM_FIELD_INTEGER, SIZE_MAX - 3, 8), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_INT64, CORM_FIELD_INTEGER, SIZE_MAX, 8), CORM_E_MODEL);
    assert_non_null(strstr(corm_error_message(failure), "tried"));
    assert_non_null(corm_error_hint(failure));
    assert_int_equal(try_field(0, CORM_FIELD_INTEGER, 0, 8), CORM_E_MODEL);
    assert_int_equal(try_field(13, CORM_FIELD_INTEGER, 0, 8), CORM_E_MODEL);
    assert_int_equal(try_field(-1, CORM_FIELD_INTEGER, 0, 8), CORM_E_MODEL);
}

/* The definition of a person, changed by the statements given, is refused with this status. */
#define SPOILT(status, ...)                                                                                            \
    do {                                                                                                               \
        memcpy(c, person_columns, sizeof c);                                                                           \
        d = person_def;                                                                                                \
        d.columns = c;                                                                                                 \
        __VA_ARGS__;                                                                                                   \
        GIVES(status, corm_model_create(&d, &model, &failure));                                                        \
        assert_null(model);                                                                                            \
    } while (0)

static void definitions_that_cannot_work(void **state) {
    (void)state;
    static const char *const null[] = {NULL};
    static const corm_key_def bad_kind = {.kind = 9, .columns = "name"};
    static const corm_key_def no_columns = {.kind = CORM_KEY_INDEX};
    static const corm_key_def bad_list = {.kind = CORM_KEY_INDEX, .columns = "name,,age"};
    static const corm_reference_def no_table = {.columns = "name"};
    corm_column_def c[5];
    corm_model_def d;
    corm_model *model = NULL;
    SPOILT(CORM_E_MODEL, d.name = NULL);
    SPOILT(CORM_E_MODEL, d.name = "");
    SPOILT(CORM_E_MODEL, d.column_count = 0);
    SPOILT(CORM_E_MODEL, c[1].name = NULL);
    SPOILT(CORM_E_MODEL, c[1].name = "");
    SPOILT(CORM_E_MODEL, c[1].name = c[2].name);
    SPOILT(CORM_E_MODEL, c[1].references_table = "t"; c[1].on_delete = 9);
    SPOILT(CORM_E_MODEL, d.keys = &bad_kind; d.key_count = 1);
    SPOILT(CORM_E_MODEL, d.references = &no_table; d.reference_count = 1);
    SPOILT(CORM_E_MISUSE, d.checks = null; d.check_count = 1);
    SPOILT(CORM_E_MISUSE, d.column_order = " ");
    SPOILT(CORM_E_MISUSE, d.keys = &bad_list; d.key_count = 1);
    SPOILT(CORM_E_MODEL, d.keys = &no_columns; d.key_count = 1);
    SPOILT(CORM_E_MISUSE, d.columns = NULL);
    SPOILT(CORM_E_MISUSE, d.key_count = 1);
    SPOILT(CORM_E_MISUSE, d.check_count = 1);
    SPOILT(CORM_E_MISUSE, d.reference_count = 1);
    SPOILT(CORM_E_ENCODING, d.name = "\xc3(");
    SPOILT(CORM_E_ENCODING, d.table = "\xff");
    SPOILT(CORM_E_ENCODING, c[1].name = "\xff");
    SPOILT(CORM_E_ENCODING, c[1].default_sql = "'\xff'");
}

static void says(const char *part) {
    if (strstr(corm_error_message(failure), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", corm_error_message(failure), part);
}

static void sizes_of_another_header_are_refused(void **state) {
    (void)state;
    corm_model *model;
    corm_model_def definition = person_def;
    GIVES(CORM_E_MISUSE, corm_model_create(NULL, &model, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create(&definition, NULL, &failure));
    definition.struct_size = 0;
    GIVES(CORM_E_MISUSE, corm_model_create(&definition, &model, &failure));
    definition = person_def;
    definition.column_def_size = 3;
    GIVES(CORM_E_MISUSE, corm_model_create(&definition, &model, &failure));
    says("size of columns is given as 3");
    /* One that would cut a member in two. */
    definition = person_def;
    definition.struct_size = 20;
    GIVES(CORM_E_MISUSE, corm_model_create(&definition, &model, &failure));
    says("is given as 20");
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_database *database = NULL;
    options.struct_size = 12;
    options.template_path = "t.db";
    GIVES(CORM_E_MISUSE, corm_database_open(":memory:", &options, &database, &failure));
    says("is given as 12");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_field_is_told_by_its_type),         TEST(an_unsigned_field_is_one_by_its_type),
        TEST(options_say_how_long_they_are),       TEST(a_field_must_be_of_a_size_its_type_can_have),
        TEST(a_field_must_lie_in_the_record),      TEST(definitions_that_cannot_work),
        TEST(sizes_of_another_header_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
