/* Keys, files and moments that encryption must not fall over. */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char raw_key[] = "x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'";

static corm_cipher_options with_key(const void *key, size_t size) {
    return (corm_cipher_options){.struct_size = sizeof(corm_cipher_options), .key = key, .key_size = size, .rounds = 5};
}

static corm_cipher_options raw(void) { return with_key(raw_key, strlen(raw_key)); }

static corm_status open_as(const char *path, const corm_cipher_options *cipher, int32_t mode,
                           corm_database **database) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.cipher = cipher;
    options.mode = mode;
    options.journal_mode = CORM_JOURNAL_DELETE;
    *database = NULL;
    forget_failure();
    return corm_database_open(path, &options, database, &failure);
}

static corm_status opens(const char *path, const corm_cipher_options *cipher) {
    corm_database *database;
    corm_status status = open_as(path, cipher, CORM_OPEN_CREATE, &database);
    if (status == CORM_OK)
        corm_database_close(database, NULL);
    return status;
}

static void make_file(const char *path, const corm_cipher_options *cipher) {
    corm_database *database;
    assert_int_equal(open_as(path, cipher, CORM_OPEN_CREATE, &database), CORM_OK);
    OK(corm_database_execute_script(
        database,
        "CREATE TABLE t (a); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "LIMIT 300) INSERT INTO t SELECT randomblob(300) FROM n",
        &failure));
    OK(corm_database_close(database, &failure));
}

static bool close_it(const corm_progress *progress, void *context) {
    (void)progress;
    corm_error *error = NULL;
    assert_int_equal(corm_database_close(context, &error), CORM_E_MISUSE);
    corm_error_free(error);
    return true;
}

static void a_close_in_the_middle_of_a_copy_is_refused(void **state) {
    (void)state;
    const corm_cipher_options good = raw(), next = with_key("next", 4);
    const char *path = path_to("closed.db");
    make_file(path, &good);
    corm_database *database;
    assert_int_equal(open_as(path, &good, CORM_OPEN_CREATE, &database), CORM_OK);
    OK(corm_database_backup(database, path_to("copy.db"), &next, close_it, database, &failure));
    OK(corm_database_close(database, &failure));
    assert_int_equal(opens(path_to("copy.db"), &next), CORM_OK);
    assert_int_equal(opens(path, &good), CORM_OK);
}

static void a_full_disk_leaves_the_file_as_it_was(void **state) {
    (void)state;
    const corm_cipher_options good = raw(), next = with_key("next", 4);
    const char *path = path_to("full.db");
    make_file(path, &good);
    struct rlimit before, small = {.rlim_cur = 20000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    corm_status statuses[] = {corm_cipher_rekey(path, &good, &next, NULL, NULL, NULL),
                              corm_cipher_decrypt(path, &good, NULL, NULL, NULL)};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    for (size_t index = 0; index < 2; index++)
        assert_true(statuses[index] == CORM_E_FULL || statuses[index] == CORM_E_IO);
    corm_database *database;
    assert_int_equal(open_as(path, &good, CORM_OPEN_CREATE, &database), CORM_OK);
    size_t bad = 1;
    OK(corm_cipher_check(database, NULL, 0, &bad, &failure));
    assert_int_equal(bad, 0);
    OK(corm_database_close(database, &failure));
}

static void spoil(const char *path, long at) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fwrite("torn", 1, 4, file), 4);
    fclose(file);
}

static size_t bad_pages(const char *path, const corm_cipher_options *cipher, int32_t mode) {
    corm_open_options options = {.struct_size = sizeof options, .cipher = cipher, .mode = mode};
    corm_database *database;
    size_t bad = 99;
    OK(corm_database_open(path, &options, &database, &failure));
    OK(corm_cipher_check(database, NULL, 0, &bad, &failure));
    OK(corm_database_close(database, &failure));
    return bad;
}

/* finding reliability.md A4: what a crash in a checkpoint leaves, which the log heals, was called damaged. */
static void a_page_that_the_log_has_is_healthy(void **state) {
    (void)state;
    const corm_cipher_options key = raw();
    const char *path = path_to("torn.db");
    corm_open_options options = {.struct_size = sizeof options, .cipher = &key, .journal_mode = CORM_JOURNAL_WAL};
    struct stat info;
    make_file(path, &key);
    pid_t child = fork();
    if (child == 0) {
        corm_database *database = NULL;
        corm_database_open(path, &options, &database, NULL);
        corm_database_execute(database, "INSERT INTO t SELECT randomblob(300) FROM t", NULL, 0, NULL, NULL);
        corm_database_checkpoint(database, CORM_CHECKPOINT_TRUNCATE, NULL, NULL, NULL);
        corm_database_execute(database, "UPDATE t SET a = randomblob(300) WHERE rowid < 400", NULL, 0, NULL, NULL);
        corm_database_execute(database, "DELETE FROM t WHERE rowid > 580", NULL, 0, NULL, NULL);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(stat(path, &info), 0);
    spoil(path, 4096 * 3 + 50);
    assert_int_equal(truncate(path, info.st_size - 1000), 0);
    assert_int_equal(bad_pages(path, &key, CORM_OPEN_READ_ONLY), 0);
    /* What the log does not have is told still: rows 400 to 580 were not written since. */
    spoil(path, info.st_size - 4096 * 7 + 50);
    assert_int_equal(bad_pages(path, &key, CORM_OPEN_READ_ONLY), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_close_in_the_middle_of_a_copy_is_refused),
        TEST(a_full_disk_leaves_the_file_as_it_was),
        TEST(a_page_that_the_log_has_is_healthy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
