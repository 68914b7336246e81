/* One model for many tables: one for each target, and the same table in an attached file. */
#include "migrations.h"

#include <string.h>

static corm_model *variant;

static int open_people(void **state) {
    set_up(state);
    return 0;
}
static int free_variant(void **state) {
    corm_model_free(variant);
    variant = NULL;
    return tear_down(state);
}
#define TEST_VARIANT(function) cmocka_unit_test_setup_teardown(function, open_people, free_variant)

static void suffixed(const char *suffix) {
    OK(corm_model_create_variant(people, CORM_VARIANT(.suffix = suffix), &variant, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(variant), &failure));
}
static int64_t count_of(const corm_model *model) {
    int64_t count = -1;
    OK(corm_query_count(db, model, NULL, &count, &failure));
    return count;
}

static void the_model_may_go_first(void **state) {
    (void)state;
    corm_model *model = NULL;
    OK(corm_model_create(&person_def, &model, &failure));
    OK(corm_model_create_variant(model, CORM_VARIANT(.suffix = "7"), &variant, &failure));
    corm_model_free(model);
    OK(corm_model_create_tables(db, CORM_MODELS(variant), &failure));
    assert_int_equal(count_of(variant), 0);
}

static void suffixes_that_tables_could_share(void **state) {
    (void)state;
    char long_one[202];
    memset(long_one, 'x', 201);
    long_one[201] = 0;
    const char *const refused[] = {"", "Ida", "a\n", long_one};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        GIVES(CORM_E_MODEL, corm_model_create_variant(people, CORM_VARIANT(.suffix = refused[i]), &variant, &failure));
        assert_null(variant);
    }
    GIVES(CORM_E_MISUSE, corm_model_create_variant(people, CORM_VARIANT(.suffix = NULL), &variant, &failure));
    says("own table");
    GIVES(CORM_E_MISUSE, corm_model_create_variant(people, NULL, &variant, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_variant(NULL, CORM_VARIANT(.suffix = "a"), &variant, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_variant(people, CORM_VARIANT(.suffix = "a"), NULL, &failure));
    suffixed("x\"; drop table person; --");
    assert_true(is_there("person") && is_there("person_x\"; drop table person; --"));
}

static void all_rows_of_a_scope(void **state) {
    (void)state;
    corm_model_def definition = person_def;
    definition.scope = "name <> 'Ida'";
    corm_model *scoped = NULL;
    OK(corm_model_create(&definition, &scoped, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(scoped), &failure));
    OK(corm_database_execute(db, "INSERT INTO person (name, height) VALUES ('Ida', 1), ('Ada', 2)", NULL, 0, NULL,
                             &failure));
    assert_int_equal(count_of(scoped), 1);
    OK(corm_model_create_variant(scoped, CORM_VARIANT(.unscoped = true), &variant, &failure));
    corm_model_free(scoped);
    assert_int_equal(count_of(variant), 2);
}

static void a_suffixed_table_of_an_attached_file(void **state) {
    (void)state;
    corm_model *there = NULL;
    corm_database *other = NULL;
    OK(corm_database_open(path_to("old.db"), NULL, &other, &failure));
    OK(corm_model_create_variant(people, CORM_VARIANT(.suffix = "7"), &there, &failure));
    OK(corm_model_create_tables(other, CORM_MODELS(there), &failure));
    OK(corm_database_attach(db, path_to("old.db"), "old", NULL, &failure));
    OK(corm_model_create_variant(people, CORM_VARIANT(.suffix = "7", .attached_as = "old"), &variant, &failure));
    person one = {.name = "far away"};
    OK(corm_record_insert(db, variant, &one, 0, NULL, &failure));
    assert_int_equal(count_of(variant), 1);
    corm_model *none = NULL;
    GIVES(CORM_E_MISUSE, corm_model_create_variant(variant, CORM_VARIANT(.attached_as = "x"), &none, &failure));
    corm_model_free(there);
    OK(corm_database_close(other, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_VARIANT(the_model_may_go_first),
        TEST_VARIANT(suffixes_that_tables_could_share),
        TEST_VARIANT(all_rows_of_a_scope),
        TEST_VARIANT(a_suffixed_table_of_an_attached_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
