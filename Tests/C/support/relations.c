#include "relations.h"

static const corm_column_def tag_columns[] = {CORM_COLUMN(tag, id, CORM_INT64, .primary_key = true),
                                              CORM_COLUMN(tag, word, CORM_TEXT, .not_null = true)};
static const corm_column_def pet_tag_columns[] = {
    CORM_COLUMN(pet_tag, pet_id, CORM_INT64, .primary_key = true, .references_table = "pet"),
    CORM_COLUMN(pet_tag, tag_id, CORM_INT64, .primary_key = true, .references_table = "tag")};
static const corm_column_def node_columns[] = {CORM_COLUMN(node, id, CORM_INT64, .primary_key = true),
                                               CORM_COLUMN(node, parent_id, CORM_INT64, .references_table = "node"),
                                               CORM_COLUMN(node, name, CORM_TEXT, .not_null = true)};
static const corm_model_def tag_def = CORM_MODEL(tag, "Tag", tag_columns);
static const corm_model_def pet_tag_def = CORM_MODEL(pet_tag, "PetTag", pet_tag_columns);
static const corm_model_def node_def = CORM_MODEL(node, "Node", node_columns);
corm_model *tags;
corm_model *pet_tags;
corm_model *nodes;

corm_status add_relation(corm_model *model, const char *relation, int32_t kind, corm_model *target,
                         corm_model *junction) {
    corm_relation_def definition = {
        .struct_size = sizeof definition, .name = relation, .kind = kind, .target = target, .junction = junction};
    return corm_relation_add(model, &definition, &failure);
}

int set_up_relations(void **state) {
    set_up_statements(state);
    OK(corm_model_create(&tag_def, &tags, &failure));
    OK(corm_model_create(&pet_tag_def, &pet_tags, &failure));
    OK(corm_model_create(&node_def, &nodes, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(pets, tags, pet_tags, nodes, people), &failure));
    OK(add_relation(pets, "owner", CORM_TO_ONE, people, NULL));
    OK(add_relation(people, "pets", CORM_TO_MANY, pets, NULL));
    OK(add_relation(pets, "tags", CORM_MANY_TO_MANY, tags, pet_tags));
    OK(add_relation(nodes, "parent", CORM_TO_ONE, nodes, NULL));
    OK(add_relation(nodes, "children", CORM_TO_MANY, nodes, NULL));
    OK(corm_database_execute_script(db,
                                    "INSERT INTO tag VALUES (1, 'loud'), (2, 'old'), (3, 'new');"
                                    "INSERT INTO pet_tag VALUES (1, 1), (1, 2), (3, 2), (4, 1);"
                                    "INSERT INTO node VALUES (1, NULL, 'root'), (2, 1, 'left'), (3, 1, 'right'),"
                                    "(4, 2, 'leaf');",
                                    &failure));
    return 0;
}

int tear_down_relations(void **state) {
    corm_model_free(tags);
    corm_model_free(pet_tags);
    corm_model_free(nodes);
    return tear_down_statements(state);
}
