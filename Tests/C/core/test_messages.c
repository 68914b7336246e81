/* What errors say: one line, what is wrong where, and what to do (finding c.md 6, 9, 10). */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void says(const char *part) {
    if (strstr(corm_error_message(failure), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", corm_error_message(failure), part);
}

static void hints(const char *part) {
    const char *hint = corm_error_hint(failure);
    if (hint == NULL || strstr(hint, part) == NULL)
        fail_msg("\"%s\" does not hint \"%s\"", hint, part);
}

static void a_message_is_one_line(void **state) {
    (void)state;
    char *long_sql = malloc(100001);
    memset(long_sql, 'x', 100000);
    long_sql[100000] = 0;
    const char *const wrong[] = {"SELECT 'abc\ndef", "SELECT \"a\x1b]0;pwn\x07\"", "SELECT 'a\x7f\r\t", long_sql};
    for (size_t index = 0; index < 4; index += 1) {
        GIVES(CORM_E_SQL, corm_database_execute(db, wrong[index], CORM_NO_VALUES, NULL, &failure));
        const char *message = corm_error_message(failure);
        assert_true(strlen(message) < 2100);
        for (const char *at = message; *at; at += 1)
            assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    }
    free(long_sql);
}

static void relations_that_are_not_there(void **state) {
    (void)state;
    person one = {.id = 1};
    corm_related *related;
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "friends", &one, 1, NULL, &related, &failure));
    hints("the model has no relations");
}

static corm_status commit_in_step(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    GIVES(CORM_E_TRANSACTION, corm_database_execute(database, "COMMIT", CORM_NO_VALUES, NULL, &failure));
    says("COMMIT");
    GIVES(CORM_E_MIGRATION,
          corm_database_execute(database, "PRAGMA writable_schema = 1", CORM_NO_VALUES, NULL, &failure));
    says("PRAGMA writable_schema is refused");
    GIVES(CORM_E_TRANSACTION,
          corm_database_execute(database, "ATTACH ':memory:' AS other", CORM_NO_VALUES, NULL, &failure));
    says("a step of a migration has its transaction");
    hints("leave ATTACH out");
    forget_failure();
    return CORM_OK;
}

static void a_step_ends_no_transaction(void **state) {
    (void)state;
    corm_bundle *bundle;
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "1", .up = commit_in_step};
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    corm_bundle_free(bundle);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_one_line),
        TEST(relations_that_are_not_there),
        TEST(a_step_ends_no_transaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
