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
        TEST_EMPTY(seal_runs_what_it_seals),
        TEST_EMPTY(sha256sum_reads_the_manifest),
        TEST_EMPTY(a_folder_that_cannot_be_squashed_stays_whole),
        TEST_EMPTY(names_and_folders_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
