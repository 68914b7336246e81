/* Relations in statements: paths, any and none, aggregates, joins; and relations that cannot be. */
#include "relations.h"

static corm_expr *along(corm_model *model, const char *relation, const char *property) {
    return corm_relation_column(model, NULL, &relation, 1, property);
}

static void a_path_may_be_written_with_points(void **state) {
    (void)state;
    corm_statement *select = with_column(select_from(nodes), corm_expr_column(nodes, "parent.parent.name"));
    SELECTS(where(select, binary(CORM_OP_EQUAL, corm_expr_column(nodes, "parent.name"), text("left"))),
            "SELECT \"node.parent.parent\".\"name\" FROM \"node\" LEFT JOIN \"node\" AS \"node.parent\" "
            "ON \"node.parent\".\"id\" = \"node\".\"parent_id\" LEFT JOIN \"node\" AS \"node.parent.parent\" "
            "ON \"node.parent.parent\".\"id\" = \"node.parent\".\"parent_id\" WHERE \"node.parent\".\"name\" = ?",
            "'left'", "root");
    corm_statement *aliased = corm_statement_create(CORM_SELECT, pets, "p");
    with_column(aliased, corm_expr_column_of("p", pets, "owner.name"));
    SELECTS(where(aliased, binary(CORM_OP_EQUAL, corm_expr_column_of("p", pets, "id"), number(3))),
            "SELECT \"p.owner\".\"name\" FROM \"pet\" AS \"p\" LEFT JOIN \"person\" AS \"p.owner\" "
            "ON \"p.owner\".\"id\" = \"p\".\"owner_id\" WHERE \"p\".\"id\" = ?",
            "3", "Dan");
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean parent?", corm_expr_column(nodes, "parnt.name"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean name?", corm_expr_column(nodes, "parent.nmae"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "leads to many", corm_expr_column(nodes, "children.name"));
}

static void joins_along_relations(void **state) {
    (void)state;
    corm_statement *select =
        with_column(with_column(select_from(people), column("name")), corm_expr_column(tags, "word"));
    corm_statement_join_relation(select, CORM_JOIN_INNER, NULL, "pets", NULL);
    corm_statement_join_relation(select, CORM_JOIN_LEFT, "pet", "tags", NULL);
    SELECTS(ordered_by(ordered_by(select, pet_column("id")), corm_expr_column(tags, "id")),
            "SELECT \"person\".\"name\", \"tag\".\"word\" FROM \"person\" JOIN \"pet\" ON \"person\".\"id\" = "
            "\"pet\".\"owner_id\" "
            "LEFT JOIN \"pet_tag\" AS \"pet.tags\" ON \"pet\".\"id\" = \"pet.tags\".\"pet_id\" "
            "LEFT JOIN \"tag\" ON \"tag\".\"id\" = \"pet.tags\".\"tag_id\" ORDER BY \"pet\".\"id\", \"tag\".\"id\"",
            "", "Ada loud; Ada old; Ada NULL; Dan old; eve NULL");
    corm_statement *self = corm_statement_create(CORM_SELECT, nodes, "n");
    corm_statement_join_relation(self, CORM_JOIN_INNER, "n", "parent", "p");
    with_column(with_column(self, corm_expr_column_of("n", nodes, "name")), corm_expr_column_of("p", nodes, "name"));
    SELECTS(ordered_by(self, corm_expr_column_of("n", nodes, "id")),
            "SELECT \"n\".\"name\", \"p\".\"name\" FROM \"node\" AS \"n\" JOIN \"node\" AS \"p\" ON \"p\".\"id\" = "
            "\"n\".\"parent_id\" "
            "ORDER BY \"n\".\"id\"",
            "", "left root; right root; leaf left");
    corm_statement *wrong = select_from(people);
    corm_statement_join_relation(wrong, CORM_JOIN_INNER, "pet", "tags", NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "does not read from \"pet\"", wrong);
}

static void changes_along_relations(void **state) {
    (void)state;
    corm_statement *update = corm_statement_create(CORM_UPDATE, pets, NULL);
    corm_statement_set(update, "weight", binary(CORM_OP_ADD, pet_column("weight"), number(1)));
    CHANGES(where(update, binary(CORM_OP_EQUAL, along(pets, "owner", "city"), text("London"))),
            "UPDATE \"pet\" SET \"weight\" = \"weight\" + ? WHERE \"id\" IN (SELECT \"pet\".\"id\" FROM \"pet\" "
            "LEFT JOIN \"person\" AS \"pet.owner\" ON \"pet.owner\".\"id\" = \"pet\".\"owner_id\" "
            "WHERE \"pet.owner\".\"city\" = ?)",
            "1, 'London'", 2, "SELECT weight FROM pet ORDER BY id", "11; 5; 7; NULL; 4");
    CHANGES(where(corm_statement_create(CORM_DELETE, people, NULL),
                  unary(CORM_OP_NOT, corm_relation_exists(people, NULL, "pets", NULL))),
            "DELETE FROM \"person\" WHERE NOT EXISTS (SELECT 1 FROM \"pet\" WHERE \"person\".\"id\" = "
            "\"pet\".\"owner_id\")",
            "", 3, "SELECT id FROM person", "1; 4; 5");
    corm_statement *wrong = corm_statement_create(CORM_UPDATE, pets, NULL);
    corm_statement_set(wrong, "name", along(pets, "owner", "name"));
    STATEMENT_FAILS(CORM_E_MISUSE, "Pet.owner", wrong);
}

static void relations_that_are_not_there(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean owner?", along(pets, "onwer", "name"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean name?", along(pets, "owner", "nmae"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "leads to many", along(people, "pets", "name"));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean pets?", corm_relation_exists(people, NULL, "pet", number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "Tag has no relation",
                     corm_relation_aggregate(tags, NULL, "pets", "count", NULL, number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_relation_exists(NULL, NULL, "pets", number(1)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "NULL", corm_relation_column(pets, NULL, NULL, 1, "name"));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        RELATION_TEST(a_path_may_be_written_with_points), RELATION_TEST(joins_along_relations),
        RELATION_TEST(changes_along_relations),           RELATION_TEST(relations_that_are_not_there),
        RELATION_TEST(definitions_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
