/* Bundles in a folder: generated from models, sealed, squashed, and what a changed folder gives. */
#include "migrations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder(void) { return path_to("migrations"); }

/* Opens the folder, which must be sealed. */
static corm_bundle *opened(void) {
    corm_bundle *bundle;
    OK(corm_bundle_create(folder(), &bundle, &failure));
    return bundle;
}

static void apply_all(void) {
    corm_bundle *bundle = opened();
    OK(corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    corm_bundle_free(bundle);
}
static void revert_all(void) {
    corm_bundle *bundle = opened();
    OK(corm_bundle_revert(db, bundle, NULL, LOSSY, &failure));
    corm_bundle_free(bundle);
}
#define GENERATE(name, ...) corm_bundle_generate(folder(), name, MODELS(__VA_ARGS__), NULL, NULL, &failure)

static void by_hand(void) {
    make_file("migrations/0001_a/up.sql", "CREATE TABLE a (x);");
    make_file("migrations/0001_a/down.sql", "DROP TABLE a;");
    make_file("migrations/0002_b/up.sql", "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2)");
    make_file("migrations/0002_b/down.sql", "DELETE FROM a; ALTER TABLE a DROP COLUMN y");
    make_file("migrations/0003_c/up.sql", "CREATE INDEX i ON a (y)");
    make_file("migrations/0003_c/down.sql", "DROP INDEX i");
    OK(corm_bundle_seal(folder(), &failure));
}

static void steps_are_generated_from_models(void **state) {
    (void)state;
    corm_plan *plan;
    OK(corm_bundle_generate(folder(), "create_pets", MODELS(pets_with_names()), NULL, &plan, &failure));
    assert_int_equal(corm_plan_step_count(plan), 1);
    corm_plan_free(plan);
    assert_true(file_exists("migrations/0001_create_pets/models.sql"));
    assert_non_null(strstr(file_text("migrations/manifest.sha256"), "  0001_create_pets/up.sql\n"));
    corm_model *older = pets_with((corm_column_def)COLUMN("age", CORM_INT64, .not_null = true, .default_sql = "1"));
    OK(GENERATE("ages", older));
    OK(corm_bundle_generate(folder(), "nothing", MODELS(older), NULL, &plan, &failure));
    assert_int_equal(corm_plan_step_count(plan), 0);
    corm_plan_free(plan);
    assert_false(file_exists("migrations/0003_nothing"));
    apply_all();
    assert_non_null(strstr(made_by("pet"), "age"));
    in_step(MODELS(older));
    revert_all();
    assert_false(is_there("pet"));
}

static void to_another_files_schema(void **state) {
    (void)state;
    corm_schema *schema;
    run("CREATE TABLE t (a CHECK (a > 0)); CREATE INDEX i ON t (a DESC) WHERE a > 1; CREATE VIEW v AS SELECT a FROM t");
    OK(corm_schema_read(db, &schema, &failure));
    run("DROP VIEW v; DROP TABLE t");
    OK(corm_bundle_generate_to(folder(), "start", schema, NULL, NULL, &failure));
    corm_schema_free(schema);
    apply_all();
    assert_non_null(strstr(made_by("i"), "WHERE a > 1"));
    revert_all();
    assert_false(is_there("t") || is_there("v"));
}

static void a_step_needs_the_decisions_that_sync_needs(void **state) {
    (void)state;
    OK(GENERATE("one", pets_with((corm_column_def)COLUMN("age", CORM_TEXT))));
    GIVES(CORM_E_MIGRATION, GENERATE("two", pets_with_names()));
    says("allow_drop \"age\"");
    GIVES(CORM_E_MIGRATION, GENERATE("two", pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    says("convert_sql");
    assert_false(file_exists("migrations/0002_two"));
    OK(GENERATE("two", pets_with((corm_column_def)COLUMN("age", CORM_INT64, .convert_sql = "CAST(age AS INTEGER)"))));
}

static void the_way_back_of_a_dropped_column_is_no_drift(void **state) {
    (void)state;
    corm_model *narrow =
        made((corm_model_def){.name = "Pet",
                              COLUMNS(COLUMN("id", CORM_INT64, .primary_key = true), COLUMN("age", CORM_INT64)),
                              .allow_drop = (const char *const[]){"name"},
                              .allow_drop_count = 1});
    OK(GENERATE("one", pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    OK(GENERATE("two", narrow));
    apply_all();
    run("INSERT INTO pet VALUES (1, 5)");
    corm_bundle *bundle = opened();
    OK(corm_bundle_revert(db, bundle, "0001_one", LOSSY, &failure));
    assert_int_equal(select_int("SELECT name IS NULL AND age = 5 FROM pet"), 1);
    corm_plan *plan;
    OK(corm_bundle_drift(db, bundle, &plan, &failure));
    assert_int_equal(corm_plan_step_count(plan), 0);
    corm_plan_free(plan);
    OK(corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    OK(corm_bundle_revert(db, bundle, NULL, LOSSY, &failure));
    corm_bundle_free(bundle);
}

static void files_that_were_changed_are_refused_until_sealed(void **state) {
    (void)state;
    corm_bundle *bundle = NULL;
    by_hand();
    corm_bundle_free(opened());
    make_file("migrations/0002_b/down.sql", "DROP TABLE a; CREATE TABLE a (x);");
    GIVES(CORM_E_MIGRATION_MODIFIED, corm_bundle_create(folder(), &bundle, &failure));
    says("0002_b/down.sql");
    OK(corm_bundle_seal(folder(), &failure));
    corm_bundle_free(opened());
    remove(path_to("migrations/0003_c/down.sql"));
    GIVES(CORM_E_MIGRATION_MISSING, corm_bundle_create(folder(), &bundle, &failure));
    make_file("migrations/0003_c/down.sql", "DROP INDEX i");
    make_file("migrations/0004_d/up.sql", "SELECT 1");
    GIVES(CORM_E_MIGRATION_MODIFIED, corm_bundle_create(folder(), &bundle, &failure));
    says("is not in the manifest");
    remove(path_to("migrations/0004_d/up.sql"));
    GIVES(CORM_E_MIGRATION_MISSING, corm_bundle_create(folder(), &bundle, &failure));
    remove(path_to("migrations/0004_d"));
    make_file("migrations/manifest.sha256", "garbage\n");
    GIVES(CORM_E_MIGRATION_MODIFIED, corm_bundle_create(folder(), &bundle, &failure));
    remove(path_to("migrations/manifest.sha256"));
    GIVES(CORM_E_MIGRATION_MODIFIED, corm_bundle_create(folder(), &bundle, &failure));
    assert_null(bundle);
}

static void seal_runs_what_it_seals(void **state) {
    (void)state;
    by_hand();
    char sealed[4096];
    strcpy(sealed, file_text("migrations/manifest.sha256"));
    assert_string_equal(file_text("migrations/0002_b/schema.sql"), "CREATE TABLE a (x, y);\n");
    make_file("migrations/0004_d/up.sql", "INSERT INTO nothing VALUES (1)");
    GIVES(CORM_E_SQL, corm_bundle_seal(folder(), &failure));
    says("0004_d");
    assert_string_equal(file_text("migrations/manifest.sha256"), sealed);
    make_file("migrations/0004_d/up.sql", "-- outside transaction\nVACUUM;");
    OK(corm_bundle_seal(folder(), &failure));
    apply_all();
    make_file("migrations/0004_d/up.sql", "-- outside transaction\nATTACH 'escaped.db' AS x; CREATE TABLE x.y (z)");
    corm_status status = corm_bundle_seal(folder(), &failure);
    bool escaped = remove("escaped.db") == 0;
    assert_int_equal(status, CORM_E_MIGRATION);
    assert_false(escaped);
}

static void sha256sum_reads_the_manifest(void **state) {
    (void)state;
    char command[600];
    by_hand();
    snprintf(command, sizeof command, "cd '%s' && sha256sum -c --quiet --strict manifest.sha256", folder());
    assert_int_equal(system(command), 0);
}

static void squashed_steps_stand_for_those_they_were(void **state) {
    (void)state;
    by_hand();
    apply_all();
    GIVES(CORM_E_MIGRATION, corm_bundle_squash(folder(), "0001_a", &failure));
    OK(corm_bundle_squash(folder(), "0002_b", &failure));
    assert_false(file_exists("migrations/0001_a"));
    apply_all();
    assert_string_equal(select_text("SELECT group_concat(id) FROM corm_migrations"), "0002_b,0003_c");
    OK(corm_bundle_squash(folder(), NULL, &failure));
    apply_all();
    assert_string_equal(select_text("SELECT group_concat(id) FROM corm_migrations"), "0003_c");
    assert_int_equal(select_int("SELECT y FROM a"), 2);
    revert_all();
    assert_false(is_there("a"));
    apply_all();
    assert_int_equal(select_int("SELECT count(*) FROM a"), 1);
}

static void a_squashed_step_is_taken_back_whole(void **state) {
    (void)state;
    by_hand();
    apply_all();
    OK(corm_bundle_squash(folder(), NULL, &failure));
    revert_all();
    assert_false(is_there("a"));
    assert_int_equal(select_int("SELECT count(*) FROM corm_migrations"), 0);
    apply_all();
    assert_true(is_there("a"));
}

static void a_file_between_squashed_steps_is_told(void **state) {
    (void)state;
    by_hand();
    corm_bundle *bundle = opened();
    OK(corm_bundle_apply(db, bundle, "0002_b", NULL, &failure));
    corm_bundle_free(bundle);
    OK(corm_bundle_squash(folder(), NULL, &failure));
    bundle = opened();
    GIVES(CORM_E_MIGRATION_ORDER, corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    says("of which the file has 0001_a, 0002_b alone");
    corm_bundle_free(bundle);
}

static void a_folder_that_cannot_be_squashed_stays_whole(void **state) {
    (void)state;
    by_hand();
    make_file("migrations/0001_a/.keep", "");
    corm_status status = corm_bundle_squash(folder(), NULL, &failure);
    forget_failure();
    corm_bundle_free(opened());
    assert_int_equal(file_exists("migrations/0001_a/up.sql"), status != CORM_OK);
    apply_all();
}

static void names_and_folders_that_cannot_be(void **state) {
    (void)state;
    corm_bundle *bundle = NULL;
    corm_model *pet = pets_with_names();
    static const char *const names[] = {"", "a b", "../x", "a/b", "ä", "a-b", "a.b"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index += 1)
        GIVES(CORM_E_MIGRATION, GENERATE(names[index], pet));
    GIVES(CORM_E_MISUSE, GENERATE(NULL, pet));
    GIVES(CORM_E_MISUSE, corm_bundle_generate(NULL, "x", MODELS(pet), NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_generate(folder(), "x", NULL, 1, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_generate_to(folder(), "x", NULL, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_seal(NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_bundle_squash(NULL, NULL, &failure));
    GIVES(CORM_E_CANNOT_OPEN, corm_bundle_create(folder(), &bundle, &failure));
    GIVES(CORM_E_CANNOT_OPEN, corm_bundle_create(path_to("test.db"), &bundle, &failure));
    GIVES(CORM_E_CANNOT_OPEN, corm_bundle_seal(folder(), &failure));
    GIVES(CORM_E_CANNOT_OPEN, corm_bundle_squash(folder(), NULL, &failure));
    GIVES(CORM_E_ENCODING, corm_bundle_create("\xff", &bundle, &failure));
    GIVES(CORM_E_CANNOT_OPEN, corm_bundle_generate(path_to("test.db"), "x", MODELS(pet), NULL, NULL, &failure));
    assert_false(file_exists("migrations"));
    assert_null(bundle);
    mkdir(folder(), 0700);
    corm_bundle_free(opened());
    make_file("migrations/9223372036854775807_x/up.sql", "CREATE TABLE x (a)");
    OK(corm_bundle_seal(folder(), &failure));
    OK(GENERATE("after", pet));
    corm_bundle_free(opened());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(steps_are_generated_from_models),
        TEST_EMPTY(to_another_files_schema),
        TEST_EMPTY(a_step_needs_the_decisions_that_sync_needs),
        TEST_EMPTY(the_way_back_of_a_dropped_column_is_no_drift),
        TEST_EMPTY(files_that_were_changed_are_refused_until_sealed),
        TEST_EMPTY(seal_runs_what_it_seals),
        TEST_EMPTY(sha256sum_reads_the_manifest),
        TEST_EMPTY(squashed_steps_stand_for_those_they_were),
        TEST_EMPTY(a_squashed_step_is_taken_back_whole),
        TEST_EMPTY(a_file_between_squashed_steps_is_told),
        TEST_EMPTY(a_folder_that_cannot_be_squashed_stays_whole),
        TEST_EMPTY(names_and_folders_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
