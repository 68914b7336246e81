/* Databases by name: handles, threads and forks; what is the same in every language is in Tests/Conformance/registry.json. */
#include "migrations.h"
#include "threads.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static corm_registry *registry;

static corm_open_options quick(void) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.busy_timeout = 200;
    return options;
}
static int open_registry(void **state) {
    set_up_empty(state);
    corm_open_options options = quick();
    OK(corm_registry_open(path_to("{name}.user"), 2, &options, &registry, &failure));
    return 0;
}
static int close_registry(void **state) {
    OK(corm_registry_close(registry, &failure));
    registry = NULL;
    return tear_down_migrations(state);
}
#define TEST_REGISTRY(function) cmocka_unit_test_setup_teardown(function, open_registry, close_registry)

static corm_database *use(const char *name) {
    corm_database *used = NULL;
    OK(corm_registry_use(registry, name, &used, &failure));
    assert_non_null(used);
    return used;
}
static void give_back(corm_database *used) { OK(corm_database_close(used, &failure)); }
static void run_in(const char *name, const char *sql) {
    corm_database *used = use(name);
    OK(corm_database_execute_script(used, sql, &failure));
    give_back(used);
}
static void what_only_c_can_say(void **state) {
    (void)state;
    corm_database *used = NULL;
    GIVES(CORM_E_ENCODING, corm_registry_use(registry, "\xff", &used, &failure));
    assert_null(used);
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, NULL, path_to("y.db"), NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, "memory", ":memory:", NULL, &failure));
    run_in("a", "SELECT 1");
    const char *const *names = NULL;
    size_t count = 0;
    corm_arena *arena = corm_arena_create();
    OK(corm_registry_names(registry, arena, &names, &count, &failure));
    assert_int_equal(count, 1);
    assert_string_equal(names[0], "a");
    corm_arena_free(arena);
}

static size_t open_count(void) {
    corm_registry_info info = CORM_REGISTRY_INFO_INIT;
    CHECK(corm_registry_info_read(registry, &info, NULL) == CORM_OK);
    return info.open_count;
}

static void each_hold_is_given_back_once(void **state) {
    (void)state;
    corm_database *first = use("ida"), *second = use("ida");
    assert_true(first != second);
    give_back(first);
    GIVES(CORM_E_MISUSE, corm_database_close(first, &failure));
    OK(corm_database_execute_script(second, "CREATE TABLE t (x)", &failure));
    give_back(second);
}

static void a_removed_file_is_made_anew(void **state) {
    (void)state;
    run_in("a", "CREATE TABLE t (x)");
    remove(path_to("a.user"));
    remove(path_to("a.user-wal"));
    remove(path_to("a.user-shm"));
    run_in("a", "CREATE TABLE t (x)");
    OK(corm_registry_close_file(registry, "a", &failure));
    assert_int_equal(open_count(), 0);
}

/* Threads, of which each wants another file than the rest, of which two may be open. */
static void *take_turns(void *context) {
    (void)context;
    static int64_t numbers;
    int64_t mine = __atomic_add_fetch(&numbers, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 30; i++) {
        char name[8];
        snprintf(name, sizeof name, "u%d", (int)((mine + i) % 4));
        corm_database *used = NULL;
        corm_status status = corm_registry_use(registry, name, &used, NULL);
        CHECK(status == CORM_OK || status == CORM_E_BUSY);
        if (status != CORM_OK)
            continue;
        status = corm_database_execute_script(used, "CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (1)", NULL);
        CHECK(status == CORM_OK || status == CORM_E_BUSY);
        CHECK(open_count() <= 2);
        CHECK(corm_database_close(used, NULL) == CORM_OK);
    }
    return NULL;
}
static void threads_share_two_places(void **state) {
    (void)state;
    mistakes = 0;
    start_threads(take_turns, 6);
    join_threads();
    assert_int_equal(mistakes, 0);
}

static corm_status mark(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    /* The registry's hold is not the step's to end. */
    if (corm_database_close(database, NULL) != CORM_E_MISUSE)
        return CORM_E_CALLBACK;
    return STATUS(corm_database_execute_script(database, "INSERT INTO t VALUES (9)", NULL) == CORM_OK);
}
static void a_step_has_no_hold_of_its_own(void **state) {
    (void)state;
    run_in("a", "CREATE TABLE t (x)");
    corm_bundle *bundle = NULL;
    OK(corm_bundle_create(NULL, &bundle, &failure));
    const corm_bundle_step fill = {.struct_size = sizeof fill, .id = "1", .up = mark};
    OK(corm_bundle_add(bundle, &fill, &failure));
    size_t failed = 9;
    OK(corm_registry_migrate(registry, bundle, NULL, 0, NULL, false, NULL, NULL, &failed, &failure));
    assert_int_equal(failed, 0);
    GIVES(CORM_E_MISUSE, corm_registry_migrate(registry, bundle, NULL, 0, NULL, false, NULL, NULL, NULL, &failure));
    corm_bundle_free(bundle);
}

static void handles_that_are_none(void **state) {
    (void)state;
    corm_database *used = NULL;
    corm_registry *closed = NULL;
    OK(corm_registry_open(NULL, 0, NULL, &closed, &failure));
    OK(corm_registry_close(closed, &failure));
    corm_registry *const bad[] = {NULL, closed, (corm_registry *)db};
    corm_registry_info info = CORM_REGISTRY_INFO_INIT;
    for (size_t i = 0; i < 3; i++) {
        GIVES(CORM_E_MISUSE, corm_registry_use(bad[i], "a", &used, &failure));
        GIVES(CORM_E_MISUSE, corm_registry_register(bad[i], "a", "b", NULL, &failure));
        GIVES(CORM_E_MISUSE, corm_registry_close_file(bad[i], "a", &failure));
        GIVES(CORM_E_MISUSE, corm_registry_info_read(bad[i], &info, &failure));
    }
    OK(corm_registry_close(NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_close(closed, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_use(registry, "a", NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_info_read(registry, NULL, &failure));
    info.reserved = 1;
    GIVES(CORM_E_MISUSE, corm_registry_info_read(registry, &info, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_open(NULL, 0, NULL, NULL, &failure));
}

static void a_child_has_none(void **state) {
    (void)state;
    run_in("a", "SELECT 1");
    pid_t child = fork();
    if (child == 0) {
        corm_database *used = NULL;
        bool good = corm_registry_use(registry, "a", &used, NULL) == CORM_E_MISUSE &&
                    corm_registry_close(registry, NULL) == CORM_OK;
        _exit(good ? 0 : 1);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    run_in("a", "CREATE TABLE t (x)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_REGISTRY(what_only_c_can_say),
        TEST_REGISTRY(each_hold_is_given_back_once),
        TEST_REGISTRY(a_removed_file_is_made_anew),
        TEST_REGISTRY(threads_share_two_places),
        TEST_REGISTRY(a_step_has_no_hold_of_its_own),
        TEST_REGISTRY(handles_that_are_none),
        TEST_REGISTRY(a_child_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
