/* Names of files: what opening takes for a URI, what lies beside a file that is to be made, and what errors of opening say. */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static void says(const char *part) {
    if (strstr(corm_error_message(failure), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", corm_error_message(failure), part);
}

/* "file:" and the path of a name in the test's folder. */
static const char *uri_of(const char *name) {
    static char uri[600];
    snprintf(uri, sizeof uri, "file:%s", path_to(name));
    return uri;
}

static int64_t integer_in(const char *path, const char *sql) {
    corm_database *other;
    corm_result *result;
    corm_value value;
    OK(corm_database_open(path, NULL, &other, &failure));
    OK(corm_result_open(other, sql, CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_result_get(result, 0, &value, &failure));
    int64_t integer = value.as.integer;
    corm_result_close(result);
    OK(corm_database_close(other, &failure));
    return integer;
}

/* finding c.md 1: it said CORM_OK and left an empty file. */
static void a_file_is_made_by_its_path(void **state) {
    (void)state;
    corm_migration_options snapshot = {.struct_size = sizeof snapshot, .snapshot = "file:before.db"};
    corm_cipher_options plain = CORM_CIPHER_OPTIONS_INIT;
    corm_registry *registry;
    corm_database *other;
    char here[512];
    insert_people(3);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(path_to("")), 0);
    GIVES(CORM_E_MISUSE, corm_database_backup(db, "file:copy.db", NULL, NULL, NULL, &failure));
    says("\"file:copy.db\" is a URI");
    plain.key = "k";
    plain.key_size = 1;
    GIVES(CORM_E_MISUSE, corm_database_backup(db, "file:copy.db", &plain, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_cipher_rekey("file:test.db", NULL, &plain, NULL, NULL, &failure));
    OK(corm_database_execute(db, "ALTER TABLE person DROP COLUMN city", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_migration_sync(db, CORM_MODELS(people), &snapshot, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_open("file:{name}.db", 0, NULL, &registry, &failure));
    OK(corm_registry_open(NULL, 0, NULL, &registry, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, "one", "file:one.db", NULL, &failure));
    OK(corm_registry_close(registry, &failure));
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.template_path = "test.db";
    GIVES(CORM_E_MISUSE, corm_database_open("file:new.db", &options, &other, &failure));
    assert_false(exists("file:copy.db") || exists("file:copy.db-corm-new") || exists("copy.db-corm-new"));
    assert_false(exists("copy.db") || exists("before.db") || exists("file:before.db") || exists("new.db"));
    OK(corm_database_backup(db, "./file:copy.db", NULL, NULL, NULL, &failure));
    assert_true(exists("file:copy.db"));
    assert_int_equal(integer_in("./file:copy.db", "SELECT count(*) FROM person"), 3);
    assert_int_equal(chdir(here), 0);
}

static void opening_takes_a_uri(void **state) {
    (void)state;
    corm_database *other;
    if (getenv("CORMORANT_TEST_KEY") != NULL)
        return;
    insert_people(2);
    assert_int_equal(integer_in(uri_of("test.db"), "SELECT count(*) FROM person"), 2);
    corm_open_options reading = CORM_OPEN_OPTIONS_INIT;
    reading.mode = CORM_OPEN_READ_ONLY;
    OK(corm_database_open(uri_of("test.db?mode=ro"), &reading, &other, &failure));
    GIVES(CORM_E_READ_ONLY, corm_database_execute(other, "DELETE FROM person", CORM_NO_VALUES, NULL, &failure));
    OK(corm_database_close(other, &failure));
    OK(corm_database_attach(db, uri_of("other.db"), "other", NULL, &failure));
    OK(corm_database_execute(db, "CREATE TABLE other.t (a)", CORM_NO_VALUES, NULL, &failure));
    assert_true(exists(path_to("other.db")));
}

/* finding swift.md 5.7, and kin: a snapshot of one was empty. */
static void memory_that_is_named_by_a_uri(void **state) {
    (void)state;
    corm_database *one, *two;
    corm_result *result;
    if (getenv("CORMORANT_TEST_KEY") != NULL)
        return;
    OK(corm_database_open("file:shared?mode=memory&cache=shared", NULL, &one, &failure));
    OK(corm_database_execute(one, "CREATE TABLE person (id INTEGER PRIMARY KEY)", CORM_NO_VALUES, NULL, &failure));
    OK(corm_database_open("file:shared?mode=memory&cache=shared", NULL, &two, &failure));
    OK(corm_result_open(two, "SELECT 1 FROM person", CORM_NO_VALUES, &result, &failure));
    corm_result_close(result);
    corm_migration_options options = {.struct_size = sizeof options, .snapshot = path_to("before.db")};
    GIVES(CORM_E_MISUSE, corm_migration_sync(one, CORM_MODELS(people), &options, NULL, &failure));
    assert_false(exists(path_to("before.db")));
    OK(corm_database_backup(one, path_to("copy.db"), NULL, NULL, NULL, &failure));
    assert_int_equal(integer_in(path_to("copy.db"), "SELECT count(*) FROM person"), 0);
    OK(corm_database_close(two, &failure));
    OK(corm_database_close(one, &failure));
}

/* What a killed process leaves: the file of that name goes, and its log stays. */
static void leave_stale(const char *name, const char *journal_mode) {
    pid_t child = fork();
    if (child == 0) {
        corm_open_options options = CORM_OPEN_OPTIONS_INIT;
        corm_database *other = NULL;
        corm_error *error = NULL;
        options.journal_mode = strcmp(journal_mode, "-wal") == 0 ? CORM_JOURNAL_WAL : CORM_JOURNAL_PERSIST;
        corm_database_open(path_to(name), &options, &other, &error);
        corm_database_execute(other, "CREATE TABLE person (name)", NULL, 0, NULL, &error);
        corm_database_execute(other, "INSERT INTO person VALUES ('STALE')", NULL, 0, NULL, &error);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(unlink(path_to(name)), 0);
}

/* finding reliability.md A1: the copy held the rows of the other. */
static void nothing_is_made_beside_what_another_left(void **state) {
    (void)state;
    static const char *const suffixes[] = {"-wal", "-journal", "-shm"};
    corm_cipher_options other_key = CORM_CIPHER_OPTIONS_INIT;
    corm_database *other;
    char beside[64];
    other_key.key = "another";
    other_key.key_size = 7;
    insert_people(4);
    OK(corm_database_execute(db, "ALTER TABLE person DROP COLUMN city", CORM_NO_VALUES, NULL, &failure));
    for (size_t index = 0; index < 3; index += 1) {
        leave_stale("copy.db", suffixes[index]);
        snprintf(beside, sizeof beside, "copy.db%s", suffixes[index]);
        if (index == 2) {
            unlink(path_to("copy.db-wal"));
            unlink(path_to("copy.db-journal"));
            write_file(path_to(beside), "left", 4);
        }
        assert_true(exists(path_to(beside)));
        GIVES(CORM_E_CANNOT_OPEN, corm_database_backup(db, path_to("copy.db"), NULL, NULL, NULL, &failure));
        says(suffixes[index]);
        says("is left over from another database");
        GIVES(CORM_E_CANNOT_OPEN, corm_database_backup(db, path_to("copy.db"), &other_key, NULL, NULL, &failure));
        says(suffixes[index]);
        corm_migration_options options = {.struct_size = sizeof options, .snapshot = path_to("copy.db")};
        GIVES(CORM_E_CANNOT_OPEN, corm_migration_sync(db, CORM_MODELS(people), &options, NULL, &failure));
        says(suffixes[index]);
        corm_open_options from = CORM_OPEN_OPTIONS_INIT;
        from.template_path = path_to("test.db");
        GIVES(CORM_E_CANNOT_OPEN, corm_database_open(path_to("copy.db"), &from, &other, &failure));
        assert_false(exists(path_to("copy.db")) || exists(path_to("copy.db-corm-new")));
        for (size_t each = 0; each < 3; each += 1) {
            snprintf(beside, sizeof beside, "copy.db%s", suffixes[each]);
            unlink(path_to(beside));
        }
    }
    OK(corm_database_backup(db, path_to("copy.db"), NULL, NULL, NULL, &failure));
    assert_int_equal(integer_in(path_to("copy.db"), "SELECT count(*) FROM person WHERE name <> 'STALE'"), 4);
}

/* What a killed backup left unfinished is written over, with what SQLite has beside it. */
static void an_unfinished_copy_is_not_continued(void **state) {
    (void)state;
    insert_people(4);
    leave_stale("copy.db-corm-new", "-wal");
    assert_true(exists(path_to("copy.db-corm-new-wal")));
    OK(corm_database_execute(db, "ALTER TABLE person DROP COLUMN city", CORM_NO_VALUES, NULL, &failure));
    corm_migration_options options = {.struct_size = sizeof options, .snapshot = path_to("copy.db")};
    OK(corm_migration_sync(db, CORM_MODELS(people), &options, NULL, &failure));
    assert_false(exists(path_to("copy.db-corm-new-wal")) || exists(path_to("copy.db-corm-new-shm")));
    assert_int_equal(integer_in(path_to("copy.db"), "SELECT count(*) FROM person"), 4);
}

/* A copy has no log of its own, until somebody opens it. */
static void a_copy_beside_a_log_of_another_is_not_restored(void **state) {
    (void)state;
    insert_people(4);
    OK(corm_database_backup(db, path_to("good.db"), NULL, NULL, NULL, &failure));
    leave_stale("copy.db", "-wal");
    assert_int_equal(rename(path_to("good.db"), path_to("copy.db")), 0);
    if (getenv("CORMORANT_TEST_KEY") != NULL)
        return;
    GIVES(CORM_E_CANNOT_OPEN, corm_migration_restore(db, path_to("copy.db"), NULL, &failure));
    says("copy.db-wal\" is left over from another database");
    corm_cipher_options key = CORM_CIPHER_OPTIONS_INIT;
    key.key = "k";
    key.key_size = 1;
    GIVES(CORM_E_CANNOT_OPEN, corm_cipher_rekey(path_to("copy.db"), NULL, &key, NULL, NULL, &failure));
    says("copy.db-wal\" is left over from another database");
    assert_int_equal(unlink(path_to("copy.db-wal")), 0);
    unlink(path_to("copy.db-shm"));
    OK(corm_migration_restore(db, path_to("copy.db"), NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_made_by_its_path),          TEST(opening_takes_a_uri),
        TEST(memory_that_is_named_by_a_uri),       TEST(nothing_is_made_beside_what_another_left),
        TEST(an_unfinished_copy_is_not_continued), TEST(a_copy_beside_a_log_of_another_is_not_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
