/* Saves of related records, as far as they are C's own; the others are in Tests/Conformance/relations-saved.json. */
#include "relations.h"

#include <string.h>

static void a_circle_of_one(void **state) {
    (void)state;
    node own = {.name = "own"};
    OK(corm_relation_save(db, nodes, "parent", &own, &own, 1, CORM_REMOVED_KEEP, NULL, &failure));
    assert_int_equal(own.id, 5);
    assert_int_equal(own.parent_id.value, 5);
    assert_int_equal(select_int("SELECT parent_id FROM node WHERE name = 'own'"), 5);
    assert_int_equal(select_int("SELECT count(*) FROM node"), 5);
}

static void saves_that_cannot_be(void **state) {
    (void)state;
    person zoe = {.name = "Zoe"};
    pet kit = {.name = "Kit"};
    person owners[2] = {{.name = "a"}, {.name = "b"}};
    GIVES(CORM_E_MISUSE, corm_relation_save(db, people, "petz", &zoe, &kit, 1, CORM_REMOVED_KEEP, NULL, &failure));
    FAILURE_SAYS("did you mean pets?");
    GIVES(CORM_E_MISUSE, corm_relation_save(db, people, NULL, &zoe, &kit, 1, CORM_REMOVED_KEEP, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_save(db, people, "pets", NULL, &kit, 1, CORM_REMOVED_KEEP, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_save(db, people, "pets", &zoe, NULL, 1, CORM_REMOVED_KEEP, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_save(db, people, "pets", &zoe, &kit, 1, 2, NULL, &failure));
    FAILURE_SAYS("CORM_REMOVED_");
    GIVES(CORM_E_MISUSE, corm_relation_save(db, pets, "owner", &kit, owners, 2, CORM_REMOVED_KEEP, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_save(db, pets, "owner", &kit, owners, 1, CORM_REMOVED_DELETE, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_save(NULL, people, "pets", &zoe, &kit, 1, CORM_REMOVED_KEEP, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_save(db, NULL, "pets", &zoe, &kit, 1, CORM_REMOVED_KEEP, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RELATION_TEST(a_circle_of_one),
        RELATION_TEST(saves_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
