/* Files that are missing, unreadable, locked, damaged or no database. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static corm_database *other;

static corm_status open_mode(const char *path, int32_t mode) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.mode = mode;
    other = NULL;
    return corm_database_open(path, &options, &other, &failure);
}

static void paths_that_are_no_paths(void **state) {
    (void)state;
    char *longest = malloc(100001);
    memset(longest, 'x', 100000);
    longest[100000] = 0;
    GIVES(CORM_E_MISUSE, open_mode("", CORM_OPEN_CREATE));
    GIVES(CORM_E_CANNOT_OPEN, open_mode(longest, CORM_OPEN_CREATE));
    GIVES(CORM_E_ENCODING, open_mode("/tmp/\xff\xfe.db", CORM_OPEN_CREATE));
    free(longest);
}

/* Rights mean nothing to root, so root becomes nobody for a while. */
static void drop_rights(void) {
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
}
static void regain_rights(void) {
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
}

static void a_file_without_the_rights(void **state) {
    (void)state;
    insert_people(1);
    OK(corm_database_execute(db, "PRAGMA journal_mode = DELETE", CORM_NO_VALUES, NULL, &failure));
    chmod(path_to("."), 0755);
    chmod(path_to("test.db"), 0000);
    drop_rights();
    GIVES(CORM_E_CANNOT_OPEN, open_mode(path_to("test.db"), CORM_OPEN_READ_ONLY));
    GIVES(CORM_E_CANNOT_OPEN, open_mode(path_to("test.db"), CORM_OPEN_CREATE));
    regain_rights();
    chmod(path_to("test.db"), 0444);
    chmod(path_to("."), 0555);
    drop_rights();
    OK(open_mode(path_to("test.db"), CORM_OPEN_READ_ONLY));
    person one = {.name = "x"};
    int64_t count;
    GIVES(CORM_E_READ_ONLY, corm_record_insert(other, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_non_null(corm_error_hint(failure));
    OK(corm_query_count(other, people, NULL, &count, &failure));
    assert_int_equal(count, 1);
    OK(corm_database_close(other, &failure));
    GIVES(CORM_E_READ_ONLY, open_mode(path_to("test.db"), CORM_OPEN_READ_WRITE));
    regain_rights();
    chmod(path_to("."), 0700);
    chmod(path_to("test.db"), 0644);
}

static int64_t time_of_busy(int32_t timeout) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.busy_timeout = timeout;
    OK(corm_database_open(path_to("test.db"), &options, &other, &failure));
    person one = {.name = "x"};
    int64_t start = milliseconds();
    GIVES(CORM_E_BUSY, corm_record_insert(other, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_non_null(corm_error_hint(failure));
    int64_t waited = milliseconds() - start;
    GIVES(CORM_E_BUSY, corm_transaction_begin(other, CORM_TRANSACTION_IMMEDIATE, &failure));
    assert_int_equal(corm_transaction_depth(other), 0);
    OK(corm_database_close(other, &failure));
    return waited;
}

static void a_locked_file(void **state) {
    (void)state;
    OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
    assert_true(time_of_busy(-1) >= 0 && time_of_busy(-1) <= 2000);
    assert_true(time_of_busy(400) >= 350 && time_of_busy(400) <= 4000);
    OK(corm_transaction_rollback(db, &failure));
    int64_t start = milliseconds();
    OK(open_mode(path_to("test.db"), CORM_OPEN_READ_WRITE));
    person one = {.name = "x"};
    OK(corm_record_insert(other, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    OK(corm_database_close(other, &failure));
    assert_true(milliseconds() - start >= 0 && milliseconds() - start <= 4000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(paths_that_are_no_paths),
        TEST(a_file_without_the_rights),
        TEST(a_locked_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
