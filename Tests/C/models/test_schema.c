/* Schemas as handles; what they are read from and how they compare is in Tests/Conformance/schemas.json. */
#include "migrations.h"

#include <string.h>

static corm_schema *parsed(const char *sql) {
    corm_schema *schema;
    OK(corm_schema_parse(sql, &schema, &failure));
    return schema;
}

static void handles_that_are_none(void **state) {
    (void)state;
    corm_schema *schema = NULL;
    corm_schema *gone = parsed("CREATE TABLE t (a)");
    assert_int_equal(strspn(corm_schema_info_get(gone)->hash, "0123456789abcdef"), 64);
    assert_int_equal(strlen(corm_schema_info_get(gone)->hash), 64);
    corm_schema_free(gone);
    corm_schema_free(gone);
    corm_schema_free(NULL);
    corm_schema *const none[] = {NULL, gone, (corm_schema *)db, (corm_schema *)people, (corm_schema *)(uintptr_t)12345};
    for (size_t index = 0; index < sizeof none / sizeof none[0]; index += 1) {
        assert_null(corm_schema_info_get(none[index])->sql);
        assert_null(corm_schema_info_get(none[index])->hash);
        corm_schema_free(none[index]);
        corm_plan *plan = NULL;
        GIVES(CORM_E_MISUSE, corm_plan_create(NULL, none[index], none[index], NULL, &plan, &failure));
        assert_null(plan);
    }
    GIVES(CORM_E_MISUSE, corm_schema_read(NULL, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_read((corm_database *)people, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_read(db, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_parse(NULL, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_parse("", NULL, &failure));
    GIVES(CORM_E_ENCODING, corm_schema_parse("CREATE TABLE \xff (a)", &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create(NULL, 1, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create(MODELS(people, NULL), &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create((corm_model *const[]){people}, SIZE_MAX, &schema, &failure));
    GIVES(CORM_E_MISUSE, corm_schema_create(MODELS(people), NULL, &failure));
    assert_int_equal(corm_schema_parse(NULL, &schema, NULL), CORM_E_MISUSE);
    assert_null(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(handles_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
