/* A record and its related records saved in one transaction. */
#include "relations.h"

#include <string.h>

static void the_one_that_is_referred_to_goes_first(void **state) {
    (void)state;
    pet fido = {.name = "Fido"};
    person max = {.name = "Max", .height = 1.6};
    OK(corm_relation_save(db, pets, "owner", &fido, &max, 1, CORM_REMOVED_KEEP, NULL, &failure));
    assert_int_equal(max.id, 7);
    assert_true(fido.owner_id.has_value);
    assert_int_equal(fido.owner_id.value, 7);
    assert_int_equal(select_int("SELECT owner_id FROM pet WHERE name = 'Fido'"), 7);
    fido.name = "Fido II";
    OK(corm_relation_save(db, pets, "owner", &fido, NULL, 0, CORM_REMOVED_KEEP, NULL, &failure));
    assert_int_equal(select_int("SELECT owner_id FROM pet WHERE name = 'Fido II'"), 7);
}

static void a_circle_of_one(void **state) {
    (void)state;
    node own = {.name = "own"};
    OK(corm_relation_save(db, nodes, "parent", &own, &own, 1, CORM_REMOVED_KEEP, NULL, &failure));
    assert_int_equal(own.id, 5);
    assert_int_equal(own.parent_id.value, 5);
    assert_int_equal(select_int("SELECT parent_id FROM node WHERE name = 'own'"), 5);
    assert_int_equal(select_int("SELECT count(*) FROM node"), 5);
}

static void nothing_stays_of_a_failure(void **state) {
    (void)state;
    person zoe = {.name = "Zoe", .height = 1.7};
    pet beasts[] = {{.name = "Kit"}, {.name = NULL}, {.name = "Kat"}};
    GIVES(CORM_E_NOT_NULL, corm_relation_save(db, people, "pets", &zoe, beasts, 3, CORM_REMOVED_KEEP, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), 1);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 6);
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 5);
    assert_int_equal(corm_transaction_depth(db), 0);
    assert_int_equal(zoe.id, 0);
    assert_int_equal(beasts[0].id, 0);
    person young = {.name = "young", .age = {true, -1}};
    GIVES(CORM_E_CHECK, corm_relation_save(db, people, "pets", &young, beasts, 1, CORM_REMOVED_KEEP, NULL, &failure));
    assert_int_equal(corm_error_record_index(failure), -1);
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    beasts[1].name = "Kut";
    OK(corm_relation_save(db, people, "pets", &zoe, beasts, 3, CORM_REMOVED_KEEP, NULL, &failure));
    OK(corm_transaction_rollback(db, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM pet"), 5);
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
        RELATION_TEST(the_one_that_is_referred_to_goes_first),
        RELATION_TEST(a_circle_of_one),
        RELATION_TEST(nothing_stays_of_a_failure),
        RELATION_TEST(saves_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
