/* Relations that cannot be; statements along those that can are in Tests/Conformance/relations-in-statements.json. */
#include "relations.h"

#include <string.h>

static void relations_that_are_not_there(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean owner?", corm_expr_column(pets, "onwer.name"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean name?", corm_expr_column(pets, "owner.nmae"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "leads to many", corm_expr_column(people, "pets.name"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean pets?", corm_relation_exists(people, NULL, "pet", number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "Tag has no relation",
                     corm_relation_aggregate(tags, NULL, "pets", "count", NULL, number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_relation_exists(NULL, NULL, "pets", number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean pets?", corm_relation_is(people, NULL, "pet", NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean pets?", corm_relation_is(people, NULL, "pet", &failure));
    EXPRESSION_FAILS(CORM_E_MISUSE, "compared with none", corm_relation_is(people, NULL, "pets", NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "detour", corm_relation_is(pets, NULL, "owner.pets", NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_relation_is(pets, NULL, NULL, NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_relation_is(NULL, NULL, "owner", NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "", corm_relation_is(pets, NULL, "", NULL));
    EXPRESSION_FAILS(CORM_E_MISUSE, "no relation \"\"", corm_expr_column(pets, ".name"));
    corm_statement *wrong = select_from(people);
    corm_statement_join_relation(wrong, CORM_JOIN_INNER, "pet", "tags", NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "does not read from \"pet\"", wrong);
    wrong = corm_statement_create(CORM_UPDATE, pets, NULL);
    corm_statement_set(wrong, "name", corm_expr_column(pets, "owner.name"));
    STATEMENT_FAILS(CORM_E_MISUSE, "Pet.owner", wrong);
}

static void definitions_that_cannot_be(void **state) {
    (void)state;
#define REFUSED(part, call)                                                                                            \
    GIVES(CORM_E_MODEL, call);                                                                                         \
    FAILURE_SAYS(part)
    REFUSED("name", add_relation(pets, "owner", CORM_TO_ONE, people, NULL));
    REFUSED("name", add_relation(pets, "weight", CORM_TO_ONE, people, NULL));
    REFUSED("no foreign key", add_relation(people, "tags", CORM_TO_MANY, tags, NULL));
    REFUSED("junction", add_relation(people, "tags", CORM_MANY_TO_MANY, tags, NULL));
    REFUSED("no foreign key", add_relation(people, "tags", CORM_MANY_TO_MANY, tags, pet_tags));
    REFUSED("kind", add_relation(people, "tags", 4, tags, NULL));
    GIVES(CORM_E_MISUSE, add_relation(people, "tags", CORM_TO_MANY, NULL, NULL));
    GIVES(CORM_E_MISUSE, add_relation(people, NULL, CORM_TO_MANY, pets, NULL));
    GIVES(CORM_E_MISUSE, add_relation(NULL, "x", CORM_TO_MANY, pets, NULL));
    GIVES(CORM_E_MISUSE, corm_relation_add(people, NULL, &failure));
}

static void relations_are_walked_along(void **state) {
    (void)state;
    const corm_model_info *info = corm_model_info_get(pets);
    assert_int_equal(info->relation_count, 2);
    assert_string_equal(info->relations[0]->name, "owner");
    assert_int_equal(info->relations[0]->kind, CORM_TO_ONE);
    assert_true(info->relations[0]->target == people);
    assert_string_equal(info->relations[1]->name, "tags");
    assert_int_equal(info->relations[1]->kind, CORM_MANY_TO_MANY);
    assert_true(info->relations[1]->target == tags);
    assert_ptr_equal(info, corm_model_info_get(pets));
    assert_int_equal(corm_model_info_get(tags)->relation_count, 0);
    assert_int_equal(corm_model_info_get(NULL)->relation_count, 0);
    OK(add_relation(tags, "links", CORM_TO_MANY, pet_tags, NULL));
    assert_string_equal(corm_model_info_get(tags)->relations[0]->name, "links");
    corm_model_free(tags);
    assert_string_equal(corm_model_info_get(pets)->relations[1]->name, "tags");
    assert_null(corm_model_info_get(pets)->relations[1]->target);
    assert_true(info->relations[1]->target != NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RELATION_TEST(relations_that_are_not_there),
        RELATION_TEST(definitions_that_cannot_be),
        RELATION_TEST(relations_are_walked_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
