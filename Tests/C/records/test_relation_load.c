/* Loads of related records that cannot be; the others are in Tests/Conformance/relations-loaded.json. */
#include "relations.h"

#include <stdio.h>
#include <string.h>

static void loads_that_cannot_be(void **state) {
    (void)state;
    person one = {.id = 1, .name = "Ada"};
    corm_related *related = NULL;
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "petz", &one, 1, NULL, &related, &failure));
    FAILURE_SAYS("did you mean pets?");
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, NULL, &one, 1, NULL, &related, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", NULL, 1, NULL, &related, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", &one, 1, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(NULL, people, "pets", &one, 1, NULL, &related, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(db, NULL, "pets", &one, 1, NULL, &related, &failure));
    corm_load_options options = {.struct_size = sizeof options, .order_by = "nmae"};
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", &one, 1, &options, &related, &failure));
    FAILURE_SAYS("did you mean name?");
    options = (corm_load_options){0};
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", &one, 1, &options, &related, &failure));
    OK(corm_database_execute(db, "DROP TABLE pet_tag", CORM_NO_VALUES, NULL, &failure));
    pet rex = {.id = 1};
    GIVES(CORM_E_SCHEMA, corm_relation_load(db, pets, "tags", &rex, 1, NULL, &related, &failure));
    assert_null(related);
    OK(corm_relation_load(db, people, "pets", NULL, 0, NULL, &related, &failure));
    assert_int_equal(related_count(related, 0), 0);
    corm_related_free(related);
    corm_related_free((corm_related *)people);
    assert_int_equal(related_count((corm_related *)db, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RELATION_TEST(loads_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
