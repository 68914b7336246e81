/* What tests of relations share: besides persons and their pets, tags of pets and a tree of nodes. */
#ifndef RELATIONS_H
#define RELATIONS_H

#include "statements.h"

typedef struct tag {
    int64_t id;
    const char *word;
} tag;
typedef struct pet_tag {
    int64_t pet_id;
    int64_t tag_id;
} pet_tag;
typedef struct node {
    int64_t id;
    corm_optional_int64 parent_id;
    const char *name;
} node;

extern corm_model *tags;
extern corm_model *pet_tags;
extern corm_model *nodes;

/*
 * As set_up_statements, with these rows; the relations are pets.owner, people.pets, pets.tags, nodes.parent and
 * nodes.children.
 *     tag         pet_tag         node
 *     1  loud     1 1, 1 2        1  NULL root
 *     2  old      3 2             2  1    left
 *     3  new      4 1             3  1    right
 *                                 4  2    leaf
 */
int set_up_relations(void **state);
int tear_down_relations(void **state);
#define RELATION_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_relations, tear_down_relations)

/* corm_relation_add without columns named; its error goes into `failure`. */
corm_status add_relation(corm_model *model, const char *relation, int32_t kind, corm_model *target,
                         corm_model *junction);

#endif
