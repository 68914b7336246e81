/* Plans from one schema to another: what they say, what they ask, and how they are carried out. */
#include "migrations.h"

#include <string.h>

static corm_schema *parsed(const char *sql) {
    corm_schema *schema;
    OK(corm_schema_parse(sql, &schema, &failure));
    return schema;
}

/* A plan between two texts. */
static corm_plan *planned(corm_database *database, const char *from, const char *to,
                          const corm_migration_options *options) {
    corm_schema *before = parsed(from);
    corm_schema *after = parsed(to);
    corm_plan *plan;
    OK(corm_plan_create(database, before, after, options, &plan, &failure));
    corm_schema_free(before);
    corm_schema_free(after);
    return plan;
}

static corm_plan_step step_of(corm_plan *plan, size_t index) {
    assert_non_null(corm_plan_step_get(plan, index));
    return *corm_plan_step_get(plan, index);
}

static void a_plan_without_a_file(void **state) {
    (void)state;
    corm_plan *plan = planned(NULL, "CREATE TABLE t (a)", "CREATE TABLE t (a, b DEFAULT 1); CREATE TABLE u (c)", NULL);
    const corm_plan_info *info = corm_plan_info_get(plan);
    assert_int_equal(info->step_count, 2);
    assert_int_equal(info->risk, CORM_RISK_SAFE);
    assert_int_equal(info->problem_count, 0);
    corm_plan_step add = step_of(plan, 0);
    assert_string_equal(add.sql, "ALTER TABLE \"t\" ADD COLUMN b DEFAULT 1;\n");
    assert_int_equal(add.rows, -1);
    assert_null(add.problems);
    assert_non_null(strstr(add.summary, "t.b"));
    assert_string_equal(step_of(plan, 1).sql, "CREATE TABLE u (c);\n");
    assert_string_equal(info->sql, "ALTER TABLE \"t\" ADD COLUMN b DEFAULT 1;\nCREATE TABLE u (c);\n");
    assert_non_null(strstr(info->text, "1. "));
    assert_non_null(strstr(info->text, "(safe)"));
    static const char begin[] = "{\"risk\": \"safe\", \"steps\": [{\"summary\": ";
    assert_int_equal(strncmp(info->json, begin, sizeof begin - 1), 0);
    corm_plan_free(plan);
}

static void nothing_to_do(void **state) {
    (void)state;
    corm_plan *plan = planned(NULL, "CREATE TABLE t (a, b)", "create table T (\"a\", b -- b\n)", NULL);
    const corm_plan_info *info = corm_plan_info_get(plan);
    assert_int_equal(info->step_count, 0);
    assert_string_equal(info->sql, "");
    assert_string_equal(info->text, "nothing to do\n");
    OK(corm_plan_apply(db, plan, NULL, &failure));
    corm_plan_free(plan);
}

static void a_file_that_has_changed_since(void **state) {
    (void)state;
    run_script("CREATE TABLE t (a TEXT)");
    corm_plan *plan = planned(db, "CREATE TABLE t (a TEXT)", "CREATE TABLE t (a INTEGER)", NULL);
    assert_int_equal(corm_plan_info_get(plan)->problem_count, 0);
    run_script("INSERT INTO t VALUES ('007')");
    GIVES(CORM_E_MIGRATION, corm_plan_apply(db, plan, NULL, &failure));
    says("written since the plan was made");
    says("\"t.a\"");
    assert_string_equal(select_text("SELECT a FROM t"), "007");
    run_script("DELETE FROM t; ALTER TABLE t ADD COLUMN b");
    GIVES(CORM_E_MIGRATION_DRIFT, corm_plan_apply(db, plan, NULL, &failure));
    assert_non_null(strstr(made_by("t"), "TEXT"));
    corm_plan_free(plan);
}

static void what_cannot_be_right(void **state) {
    (void)state;
    corm_schema *schema = parsed("CREATE TABLE t (a)");
    corm_plan *plan = planned(NULL, "", "CREATE TABLE t (a)", NULL);
    corm_plan *gone = planned(NULL, "", "", NULL);
    corm_plan *none = NULL;
    corm_plan_free(gone);
    corm_plan_free(gone);
    corm_plan_free(NULL);
    GIVES(CORM_E_MISUSE, corm_plan_create((corm_database *)schema, schema, schema, NULL, &none, &failure));
    GIVES(CORM_E_MISUSE, corm_plan_create(NULL, schema, NULL, NULL, &none, &failure));
    GIVES(CORM_E_MISUSE, corm_plan_create(NULL, schema, schema, NULL, NULL, &failure));
    assert_null(corm_plan_step_get(plan, 1));
    assert_null(corm_plan_step_get(plan, SIZE_MAX));
    GIVES(CORM_E_MISUSE, corm_plan_apply(NULL, plan, NULL, &failure));
    corm_plan *const bad[] = {NULL, gone, (corm_plan *)schema, (corm_plan *)db};
    for (size_t index = 0; index < sizeof bad / sizeof bad[0]; index += 1) {
        assert_null(corm_plan_step_get(bad[index], 0));
        GIVES(CORM_E_MISUSE, corm_plan_apply(db, bad[index], NULL, &failure));
        const corm_plan_info *info = corm_plan_info_get(bad[index]);
        assert_int_equal(info->step_count, 0);
        assert_int_equal(info->problem_count, 0);
        assert_null(info->text);
        assert_null(info->sql);
        assert_null(info->json);
        assert_int_equal(info->risk, CORM_RISK_LOSSY);
    }
    assert_null(none);
    assert_int_equal(corm_plan_info_get(plan)->step_count, 1);
    corm_plan_free(plan);
    corm_schema_free(schema);
}

static void options_of_an_older_header(void **state) {
    (void)state;
    corm_model *pet = pets_with_names();
    corm_migration_options options = {.struct_size = offsetof(corm_migration_options, snapshot),
                                      .snapshot = "is not read"};
    OK(SYNC_WITH(&options, pet));
    options.struct_size = 0;
    GIVES(CORM_E_MISUSE, SYNC_WITH(&options, pet));
    options.struct_size = sizeof options + 4096;
    GIVES(CORM_E_MISUSE, SYNC_WITH(&options, pet));
    const corm_migration_options none = {.struct_size = sizeof none, .allow_drop = ""};
    GIVES(CORM_E_MISUSE, SYNC_WITH(&none, pet));
    GIVES(CORM_E_MISUSE, corm_migration_sync(NULL, MODELS(pet), NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_sync(db, NULL, 1, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_sync(db, MODELS((corm_model *)db), NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_plan(db, MODELS(pet), NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_restore(db, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_restore(NULL, "x", NULL, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(a_plan_without_a_file),         TEST_EMPTY(nothing_to_do),
        TEST_EMPTY(a_file_that_has_changed_since), TEST_EMPTY(what_cannot_be_right),
        TEST_EMPTY(options_of_an_older_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
