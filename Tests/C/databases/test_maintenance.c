/* Looking after a file: backup, vacuum, optimize, checkpoint. */
#include "support.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fill(void) {
    OK(corm_database_execute(db,
                             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) "
                             "INSERT INTO person (name, height) SELECT hex(randomblob(100)), 1.0 FROM n",
                             CORM_NO_VALUES, NULL, &failure));
}

static int64_t size_of(const char *name) {
    struct stat info;
    return stat(path_to(name), &info) == 0 ? (int64_t)info.st_size : -1;
}

static int64_t told;

/* Another thread of the handle could write now; this one writes through a handle of its own. */
static bool write_meanwhile(const corm_progress *progress, void *context) {
    corm_database *other;
    if (told == 0) {
        OK(corm_database_open(path_to("test.db"), NULL, &other, &failure));
        OK(corm_database_execute(other, "INSERT INTO person (name, height) VALUES ('late', 1.0)", CORM_NO_VALUES, NULL,
                                 &failure));
        OK(corm_database_close(other, &failure));
        assert_string_equal(progress->step, "copying");
        assert_true(progress->done > 0 && progress->done < progress->total);
        assert_ptr_equal(context, &told);
    }
    told += 1;
    return true;
}

static bool stop(const corm_progress *progress, void *context) {
    (void)progress;
    (void)context;
    return false;
}

static void a_backup_is_one_state(void **state) {
    (void)state;
    corm_database *copy;
    corm_result *result;
    corm_value value;
    fill();
    told = 0;
    OK(corm_database_backup(db, path_to("copy.db"), NULL, write_meanwhile, &told, &failure));
    assert_true(told > 0);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 20001);
    OK(corm_database_open(path_to("copy.db"), NULL, &copy, &failure));
    OK(corm_result_open(copy, "SELECT count(*) FROM person", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_result_get(result, 0, &value, &failure));
    assert_int_equal(value.as.integer, 20000);
    corm_result_close(result);
    OK(corm_database_close(copy, &failure));
    GIVES(CORM_E_CANNOT_OPEN, corm_database_backup(db, path_to("copy.db"), NULL, NULL, NULL, &failure));
    unlink(path_to("copy.db"));
    GIVES(CORM_E_INTERRUPTED, corm_database_backup(db, path_to("copy.db"), NULL, stop, NULL, &failure));
    assert_int_equal(size_of("copy.db"), -1);
    assert_int_equal(size_of("copy.db-corm-new"), -1);
    GIVES(CORM_E_MISUSE, corm_database_backup(db, NULL, NULL, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_backup(NULL, path_to("copy.db"), NULL, NULL, NULL, &failure));
    GIVES(CORM_E_CANNOT_OPEN, corm_database_backup(db, path_to("none/copy.db"), NULL, NULL, NULL, &failure));
}

static void wrong_arguments(void **state) {
    (void)state;
    GIVES(CORM_E_MISUSE, corm_database_checkpoint(db, 4, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_checkpoint(db, -1, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_optimize(NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_vacuum(NULL, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_backup_is_one_state),
        TEST(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
