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

static void indexes_and_own_references_have_the_suffix(void **state) {
    (void)state;
    static const corm_column_def columns[] = {
        COLUMN("id", CORM_INT64, .primary_key = true),
        COLUMN("parent", CORM_INT64, .references_table = "node", .indexed = true),
        COLUMN("person", CORM_INT64, .references_table = "person"),
    };
    corm_model *node =
        made((corm_model_def){.name = "Node",
                              .columns = columns,
                              .column_count = 3,
                              KEYS({.kind = CORM_KEY_UNIQUE, .columns = "parent, person", .name = "pair"})});
    OK(corm_model_create_variant(node, CORM_VARIANT(.suffix = "a b"), &variant, &failure));
    const char *sql = corm_model_info_get(variant)->create_sql;
    assert_non_null(strstr(sql, "REFERENCES \"node_a b\""));
    assert_non_null(strstr(sql, "REFERENCES \"person\""));
    assert_non_null(strstr(sql, "\"node_a b_parent_index\""));
    assert_non_null(strstr(sql, "\"pair_a b\""));
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
    corm_model_free(there);
    OK(corm_database_close(other, &failure));
}

static void records_of_an_attached_file(void **state) {
    (void)state;
    corm_database *other = NULL;
    OK(corm_database_open(path_to("old.db"), NULL, &other, &failure));
    OK(corm_model_create_tables(other, CORM_MODELS(people), &failure));
    OK(corm_model_create_variant(people, CORM_VARIANT(.attached_as = "old"), &variant, &failure));
    GIVES(CORM_E_SCHEMA, corm_query_count(db, variant, NULL, &(int64_t){0}, &failure));
    OK(corm_database_attach(db, path_to("old.db"), "old", NULL, &failure));
    person one = {.name = "old one"};
    OK(corm_record_insert(db, variant, &one, 0, NULL, &failure));
    OK(corm_record_update(db, variant, &one, NULL, NULL, &failure));
    insert_people(1);
    assert_int_equal(count_of(variant), 1);
    corm_statement *both = corm_statement_create(CORM_SELECT, people, NULL);
    corm_statement_join(
        both, CORM_JOIN_INNER, CORM_SOURCE(.model = variant),
        corm_expr_binary(CORM_OP_EQUAL, corm_expr_column(people, "id"), corm_expr_column(variant, "id")));
    corm_statement_add(both, CORM_CLAUSE_WHERE, CORM_EQ(corm_expr_column(variant, "name"), CORM_STR("old one")));
    corm_query query = {.struct_size = sizeof query, .statement = both};
    corm_records *found = NULL;
    OK(corm_query_fetch(db, people, &query, &found, &failure));
    assert_int_equal(corm_records_count(found), 1);
    assert_string_equal(((person *)corm_records_data(found))->name, "p1");
    corm_records_free(found);
    corm_statement_free(both);
    OK(corm_record_delete(db, variant, &one, &failure));
    assert_int_equal(count_of(variant), 0);
    assert_int_equal(count_of(people), 1);
    GIVES(CORM_E_MISUSE, corm_model_create_tables(db, CORM_MODELS(variant), &failure));
    says("attached file \"old\"");
    corm_model *none = NULL;
    GIVES(CORM_E_MODEL, corm_model_create_variant(people, CORM_VARIANT(.attached_as = "main"), &none, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_variant(variant, CORM_VARIANT(.attached_as = "x"), &none, &failure));
    OK(corm_database_close(other, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_VARIANT(the_model_may_go_first),           TEST_VARIANT(indexes_and_own_references_have_the_suffix),
        TEST_VARIANT(suffixes_that_tables_could_share), TEST_VARIANT(a_suffixed_table_of_an_attached_file),
        TEST_VARIANT(records_of_an_attached_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
