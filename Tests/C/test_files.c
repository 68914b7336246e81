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

static void a_missing_file(void **state) {
    (void)state;
    GIVES(CORM_E_CANNOT_OPEN, open_mode(path_to("none.db"), CORM_OPEN_READ_WRITE));
    assert_non_null(strstr(corm_error_message(failure), "none.db"));
    GIVES(CORM_E_CANNOT_OPEN, open_mode(path_to("none.db"), CORM_OPEN_READ_ONLY));
    assert_null(other);
    assert_int_not_equal(access(path_to("none.db"), F_OK), 0);
    GIVES(CORM_E_CANNOT_OPEN, open_mode(path_to("no/such/folder/none.db"), CORM_OPEN_CREATE));
    GIVES(CORM_E_CANNOT_OPEN, open_mode("/dev/null/none.db", CORM_OPEN_CREATE));
    OK(open_mode(path_to("none.db"), CORM_OPEN_CREATE));
    OK(corm_database_close(other, &failure));
}

static void a_folder(void **state) {
    (void)state;
    mkdir(path_to("folder"), 0700);
    for (int32_t mode = CORM_OPEN_CREATE; mode <= CORM_OPEN_READ_ONLY; mode += 1) {
        GIVES(CORM_E_CANNOT_OPEN, open_mode(path_to("folder"), mode));
        assert_non_null(strstr(corm_error_message(failure), "folder"));
    }
    GIVES(CORM_E_CANNOT_OPEN, open_mode("/", CORM_OPEN_READ_ONLY));
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

static void paths_are_not_read_as_uris_or_options(void **state) {
    (void)state;
    static const char *const names[] = {"a ? mode=memory &.db", "100%41.db", "naïve 日本 🦤.db",
                                        "it's \"quoted\".db",   "-x.db",     "new\nline.db"};
    for (size_t index = 0; index < 6; index += 1) {
        OK(open_mode(path_to(names[index]), CORM_OPEN_CREATE));
        OK(corm_database_execute(other, "CREATE TABLE t (a)", CORM_NO_VALUES, NULL, &failure));
        OK(corm_database_close(other, &failure));
        assert_int_equal(access(path_to(names[index]), F_OK), 0);
    }
}

static void a_file_that_is_no_database(void **state) {
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text);
    write_file(path_to("text.db"), text, sizeof text);
    for (int32_t mode = CORM_OPEN_CREATE; mode <= CORM_OPEN_READ_ONLY; mode += 1) {
        GIVES(CORM_E_NOT_A_DATABASE, open_mode(path_to("text.db"), mode));
        assert_non_null(corm_error_hint(failure));
    }
    write_file(path_to("short.db"), "hello", 5);
    GIVES(CORM_E_NOT_A_DATABASE, open_mode(path_to("short.db"), CORM_OPEN_READ_WRITE));
    struct stat info;
    assert_int_equal(stat(path_to("short.db"), &info), 0);
    assert_int_equal(info.st_size, 5);
    write_file(path_to("empty.db"), "", 0);
    OK(open_mode(path_to("empty.db"), CORM_OPEN_READ_WRITE));
    OK(corm_database_execute(other, "CREATE TABLE t (a)", CORM_NO_VALUES, NULL, &failure));
    OK(corm_database_close(other, &failure));
}

static void a_damaged_file(void **state) {
    (void)state;
    insert_people(2000);
    OK(corm_database_close(db, &failure));
    db = NULL;
    char garbage[4096];
    memset(garbage, 0xa5, sizeof garbage);
    FILE *file = fopen(path_to("test.db"), "r+b");
    for (long page = 1; page < 8; page += 1) {
        fseek(file, page * 4096, SEEK_SET);
        fwrite(garbage, 1, sizeof garbage, file);
    }
    fclose(file);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    int64_t count;
    corm_records *records = NULL;
    GIVES(status_of_damage(), corm_query_fetch(db, people, NULL, &records, &failure));
    assert_non_null(corm_error_hint(failure));
    assert_null(records);
    GIVES(status_of_damage(), corm_query_count(db, people, NULL, &count, &failure));
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

static void a_full_file(void **state) {
    (void)state;
    static char long_name[3000];
    person many[50] = {{0}};
    memset(long_name, 'x', sizeof long_name - 1);
    for (int index = 0; index < 50; index += 1)
        many[index].name = long_name;
    insert_people(1);
    OK(corm_database_execute(db, "PRAGMA max_page_count = 20", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_FULL, corm_record_insert_many(db, people, many, 50, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_non_null(corm_error_hint(failure));
    assert_int_equal(corm_transaction_depth(db), 0);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 1);
    OK(corm_database_execute(db, "DELETE FROM person", CORM_NO_VALUES, NULL, &failure));
    insert_people(1);
}

static void a_template_is_copied_once(void **state) {
    (void)state;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    char template_path[512];
    strcpy(template_path, path_to("template.db"));
    options.template_path = template_path;
    GIVES(CORM_E_CANNOT_OPEN, corm_database_open(path_to("new.db"), &options, &other, &failure));
    assert_non_null(strstr(corm_error_message(failure), "template.db"));
    assert_int_not_equal(access(path_to("new.db"), F_OK), 0);

    OK(open_mode(path_to("template.db"), CORM_OPEN_CREATE));
    OK(corm_database_execute_script(other, "CREATE TABLE t (a); INSERT INTO t VALUES (42)", &failure));
    OK(corm_database_close(other, &failure));
    for (int time = 0; time < 2; time += 1) {
        OK(corm_database_open(path_to("new.db"), &options, &other, &failure));
        int64_t changes;
        OK(corm_database_execute(other, "UPDATE t SET a = a + 1 WHERE a >= 42", CORM_NO_VALUES, &changes, &failure));
        assert_int_equal(changes, 1);
        OK(corm_database_close(other, &failure));
    }
    OK(corm_database_open(path_to("new.db"), NULL, &other, &failure));
    corm_query query = {.struct_size = sizeof query, .sql = "SELECT 1 FROM t WHERE a = 44"};
    int64_t count;
    OK(corm_query_count(other, NULL, &query, &count, &failure));
    assert_int_equal(count, 1);
    OK(corm_database_close(other, &failure));

    write_file(path_to("text.db"),
               "no database at all, but longer than a header of one hundred bytes, so that it is read...........", 96);
    options.template_path = path_to("text.db");
    GIVES(CORM_E_NOT_A_DATABASE, corm_database_open(path_to("newer.db"), &options, &other, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_missing_file),
        TEST(a_folder),
        TEST(paths_that_are_no_paths),
        TEST(paths_are_not_read_as_uris_or_options),
        TEST(a_file_that_is_no_database),
        TEST(a_damaged_file),
        TEST(a_file_without_the_rights),
        TEST(a_locked_file),
        TEST(a_full_file),
        TEST(a_template_is_copied_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
