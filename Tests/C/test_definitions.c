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

/* Tries a model of one key and one column of this field. */
static corm_status try_field(corm_type type, size_t offset, size_t size) {
    corm_column_def columns[] = {
        CORM_COLUMN(everything, a, CORM_INT64, .primary_key = true),
        {.name = "tried", .type = type, .length = 5, .offset = offset, .size = size},
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
    static const size_t allowed[13][4] = {
        {0},
        {8, SIZE(j), SIZE(p)},
        {4, SIZE(k), SIZE(p)},
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
    for (corm_type type = CORM_INT64; type <= CORM_JSON; type += 1) {
        for (size_t size = 0; size <= 40; size += 1) {
            bool good = false;
            for (int index = 0; index < 4; index += 1)
                good = good || (size != 0 && size == allowed[type][index]);
            corm_status status = try_field(type, offsetof(everything, i), size);
            if (status != (good ? CORM_OK : CORM_E_MODEL)) {
                print_error("type %d of size %zu gives %s\n", type, size, corm_status_name(status));
                fail();
            }
            if (!good)
                assert_string_equal(corm_error_columns(failure), "tried");
        }
    }
}

static void a_field_must_lie_in_the_record(void **state) {
    (void)state;
    assert_int_equal(try_field(CORM_INT64, sizeof(everything) - 8, 8), CORM_OK);
    assert_int_equal(try_field(CORM_INT64, sizeof(everything) - 7, 8), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_INT64, sizeof(everything), 8), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_BLOB, sizeof(everything) - 8, 16), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_INT64, SIZE_MAX - 3, 8), CORM_E_MODEL);
    assert_int_equal(try_field(CORM_INT64, SIZE_MAX, 8), CORM_E_MODEL);
    assert_non_null(strstr(corm_error_message(failure), "tried"));
    assert_non_null(corm_error_hint(failure));
    assert_int_equal(try_field(0, 0, 8), CORM_E_MODEL);
    assert_int_equal(try_field(13, 0, 8), CORM_E_MODEL);
    assert_int_equal(try_field(-1, 0, 8), CORM_E_MODEL);
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
    static const char *const name[] = {"name"};
    static const char *const null[] = {NULL};
    static const corm_key_def bad_kind = {.kind = 9, .columns = name, .column_count = 1};
    static const corm_key_def null_list = {.kind = CORM_KEY_INDEX, .column_count = 1};
    static const corm_key_def null_item = {.kind = CORM_KEY_INDEX, .columns = null, .column_count = 1};
    static const corm_reference_def no_table = {.columns = name, .column_count = 1};
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
    SPOILT(CORM_E_MISUSE, d.column_order = null; d.column_order_count = 1);
    SPOILT(CORM_E_MISUSE, d.keys = &null_item; d.key_count = 1);
    SPOILT(CORM_E_MISUSE, d.keys = &null_list; d.key_count = 1);
    SPOILT(CORM_E_MISUSE, d.columns = NULL);
    SPOILT(CORM_E_MISUSE, d.key_count = 1);
    SPOILT(CORM_E_MISUSE, d.check_count = 1);
    SPOILT(CORM_E_MISUSE, d.column_order_count = 1);
    SPOILT(CORM_E_MISUSE, d.reference_count = 1);
    SPOILT(CORM_E_ENCODING, d.name = "\xc3(");
    SPOILT(CORM_E_ENCODING, d.table = "\xff");
    SPOILT(CORM_E_ENCODING, c[1].name = "\xff");
    SPOILT(CORM_E_ENCODING, c[1].default_sql = "'\xff'");
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
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_field_must_be_of_a_size_its_type_can_have),
        TEST(a_field_must_lie_in_the_record),
        TEST(definitions_that_cannot_work),
        TEST(sizes_of_another_header_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
