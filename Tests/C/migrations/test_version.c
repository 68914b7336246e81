/* Files whose schema has a number: up and down by integer versions. */
#include "migrations.h"

#include <string.h>

#define STEP(number, ...) {.struct_size = sizeof(corm_version_step), .version = number, __VA_ARGS__}
static const corm_version_step steps[] = {
    STEP(3, .up_sql = "INSERT INTO a VALUES (3)", .down_sql = "DELETE FROM a WHERE x = 3"),
    STEP(1, .up_sql = "CREATE TABLE a (x)", .down_sql = "DROP TABLE a"),
    STEP(2, .up_sql = "INSERT INTO a VALUES (2)", .down_sql = "DELETE FROM a WHERE x = 2"),
    STEP(0, .up_sql = "CREATE TABLE a (x); INSERT INTO a VALUES (0)"),
};

static int32_t version(void) {
    int32_t found = -1;
    OK(corm_migration_version(db, &found, &failure));
    assert_int_equal(found, select_int("PRAGMA user_version"));
    return found;
}
#define SET(list, count, to) corm_migration_set_version(db, list, count, to, NULL, &failure)

static void versions_that_cannot_be(void **state) {
    (void)state;
    GIVES(CORM_E_MIGRATION, SET(steps, 3, 4));
    GIVES(CORM_E_MIGRATION, SET(steps, 1, -1));
    says("version 1");
    const corm_version_step twice[] = {steps[1], steps[1]};
    GIVES(CORM_E_MIGRATION, SET(twice, 2, -1));
    const corm_version_step setups[] = {steps[1], steps[3], steps[3]};
    GIVES(CORM_E_MIGRATION, SET(setups, 3, -1));
    const corm_version_step negative[] = {steps[1], STEP(-1, .up_sql = "SELECT 1")};
    GIVES(CORM_E_MIGRATION, SET(negative, 2, -1));
    const corm_version_step nothing[] = {STEP(1, .down_sql = "DROP TABLE a")};
    GIVES(CORM_E_MIGRATION, SET(nothing, 1, -1));
    GIVES(CORM_E_MISUSE, SET(NULL, 1, -1));
    GIVES(CORM_E_MISUSE, SET(steps, SIZE_MAX, -1));
    GIVES(CORM_E_MISUSE, corm_migration_set_version(NULL, steps, 3, -1, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_version(db, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_version(NULL, &(int32_t){0}, &failure));
    OK(SET(NULL, 0, -1));
    assert_int_equal(version(), 0);
    assert_false(is_there("a"));
}

/* Structs with a member more than this library's, as a later header may have it: it must be zero. */
static void steps_of_another_header(void **state) {
    (void)state;
    struct {
        corm_version_step step;
        void *more;
    } later[2] = {{{.struct_size = sizeof later[0], .version = 1, .up_sql = "CREATE TABLE a (x)"}, NULL},
                  {{.struct_size = sizeof later[0], .version = 2, .up_sql = "CREATE TABLE b (x)"}, &later}};
    GIVES(CORM_E_MISUSE, SET(&later[0].step, 2, -1));
    assert_int_equal(version(), 0);
    later[1].more = NULL;
    OK(SET(&later[0].step, 2, -1));
    assert_int_equal(version(), 2);
    corm_version_step mixed[] = {steps[1], steps[2]};
    mixed[1].struct_size -= 8;
    GIVES(CORM_E_MISUSE, SET(mixed, 2, -1));
    assert_int_equal(version(), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(versions_that_cannot_be),
        TEST_EMPTY(steps_of_another_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
