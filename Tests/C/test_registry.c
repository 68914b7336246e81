/* Databases by name: opened once, held, closed when too many are open; what is wrong with names; a fleet migrated. */
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
/* How many rows a SELECT gives. */
static int rows(corm_database *used, const char *sql) {
    corm_result *result = NULL;
    OK(corm_result_open(used, sql, CORM_NO_VALUES, &result, &failure));
    int count = 0;
    while (corm_result_next(result, NULL) == CORM_ROW)
        count++;
    corm_result_close(result);
    return count;
}
static bool has_file(const char *name) { return access(path_to(name), F_OK) == 0; }

static void a_name_leads_to_a_file_of_the_folder(void **state) {
    (void)state;
    run_in("ida", "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    assert_true(has_file("ida.user"));
    corm_database *first = use("ida"), *second = use("ida");
    assert_true(first != second);
    assert_int_equal(corm_registry_open_count(registry), 1);
    OK(corm_database_execute(second, "INSERT INTO t VALUES (2)", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(corm_database_last_insert_id(first), 2);
    give_back(first);
    GIVES(CORM_E_MISUSE, corm_database_close(first, &failure));
    OK(corm_database_execute(second, "INSERT INTO t VALUES (3)", CORM_NO_VALUES, NULL, &failure));
    give_back(second);
}

static void names_are_listed(void **state) {
    (void)state;
    run_in("b", "SELECT 1");
    run_in("a", "SELECT 1");
    OK(corm_registry_register(registry, "log", path_to("log.db"), NULL, &failure));
    const char *const *names = NULL;
    size_t count = 0;
    corm_arena *arena = corm_arena_create();
    OK(corm_registry_names(registry, arena, &names, &count, &failure));
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    assert_string_equal(names[2], "log");
    corm_arena_free(arena);
}

static void current_and_default(void **state) {
    (void)state;
    corm_database *used = NULL;
    assert_null(corm_registry_current(registry));
    GIVES(CORM_E_MISUSE, corm_registry_use(registry, NULL, &used, &failure));
    says("none is current");
    OK(corm_registry_set_default(registry, "main", &failure));
    assert_string_equal(corm_registry_current(registry), "main");
    OK(corm_registry_set_current(registry, "ida", &failure));
    assert_string_equal(corm_registry_default(registry), "main");
    give_back(use(NULL));
    assert_true(has_file("ida.user") && !has_file("main.user"));
    GIVES(CORM_E_MISUSE, corm_registry_set_current(registry, "../ida", &failure));
    assert_string_equal(corm_registry_current(registry), "ida");
    OK(corm_registry_set_current(registry, NULL, &failure));
    assert_string_equal(corm_registry_current(registry), "main");
}

static void names_that_no_file_may_have(void **state) {
    (void)state;
    char long_name[5001];
    memset(long_name, 'x', 5000);
    long_name[5000] = 0;
    const char *const refused[] = {"", "..", "../x", "/etc/passwd", "a/b", "a\\b", "x\n", ".x", long_name, "\x7f"};
    corm_database *used = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        GIVES(CORM_E_MISUSE, corm_registry_use(registry, refused[i], &used, &failure));
        assert_null(used);
    }
    GIVES(CORM_E_ENCODING, corm_registry_use(registry, "\xff", &used, &failure));
    corm_registry *other = NULL;
    GIVES(CORM_E_MISUSE, corm_registry_open("users/x.db", 0, NULL, &other, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_open("{name}/x.db", 0, NULL, &other, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_open(NULL, -1, NULL, &other, &failure));
    assert_null(other);
}

static void what_may_be_registered(void **state) {
    (void)state;
    OK(corm_registry_register(registry, "main", path_to("x.user"), NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, "main", path_to("y.db"), NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, "other", path_to("x.user"), NULL, &failure));
    says("\"main\"");
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, "memory", ":memory:", NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, "", path_to("y.db"), NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_register(registry, NULL, path_to("y.db"), NULL, &failure));
    corm_database *used = NULL;
    GIVES(CORM_E_MISUSE, corm_registry_use(registry, "x", &used, &failure));
    corm_registry *plain = NULL;
    OK(corm_registry_open(NULL, 0, NULL, &plain, &failure));
    OK(corm_registry_register(plain, "people", path_to("p.db"), NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_use(plain, "poeple", &used, &failure));
    says("did you mean people?");
    OK(corm_registry_close(plain, &failure));
}

static void what_is_held_stays_open(void **state) {
    (void)state;
    corm_database *held = use("held"), *used = NULL;
    OK(corm_database_execute_script(held, "CREATE TABLE t (x)", &failure));
    OK(corm_transaction_begin(held, CORM_TRANSACTION_IMMEDIATE, &failure));
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "u%d", i);
        give_back(use(name));
    }
    assert_int_equal(corm_registry_open_count(registry), 2);
    corm_database *second = use("second");
    GIVES(CORM_E_BUSY, corm_registry_use(registry, "third", &used, &failure));
    says("all 2 databases");
    GIVES(CORM_E_MISUSE, corm_registry_close(registry, &failure));
    says("\"held\", \"second\"");
    give_back(second);
    OK(corm_transaction_commit(held, &failure));
    give_back(held);
}

static void giving_back_rolls_back(void **state) {
    (void)state;
    run_in("a", "CREATE TABLE t (x)");
    corm_database *outer = use("a"), *inner = use("a");
    OK(corm_transaction_begin(inner, CORM_TRANSACTION_IMMEDIATE, &failure));
    OK(corm_database_execute(inner, "INSERT INTO t VALUES (1)", CORM_NO_VALUES, NULL, &failure));
    give_back(inner);
    assert_int_equal(corm_transaction_depth(outer), 0);
    assert_int_equal(rows(outer, "SELECT 1 FROM t"), 0);
    give_back(outer);
}

static void a_removed_file_is_made_anew(void **state) {
    (void)state;
    run_in("a", "CREATE TABLE t (x)");
    remove(path_to("a.user"));
    remove(path_to("a.user-wal"));
    remove(path_to("a.user-shm"));
    run_in("a", "CREATE TABLE t (x)");
    OK(corm_registry_close_file(registry, "a", &failure));
    assert_int_equal(corm_registry_open_count(registry), 0);
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
        CHECK(corm_registry_open_count(registry) <= 2);
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

static bool told(const corm_registry_migration *migration, void *context) {
    char *seen = context;
    size_t used = strlen(seen);
    snprintf(seen + used, 400 - used, "%s %lld/%lld %lld%s; ", migration->name, (long long)migration->index,
             (long long)migration->count, (long long)migration->steps,
             migration->error ? corm_status_name(corm_error_code(migration->error)) : "");
    return migration->index < 2;
}
static corm_status mark(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    /* The registry's hold is not the step's to end. */
    if (corm_database_close(database, NULL) != CORM_E_MISUSE)
        return CORM_E_CALLBACK;
    return STATUS(corm_database_execute_script(database, "INSERT INTO t VALUES (9)", NULL) == CORM_OK);
}
static void a_fleet_is_migrated(void **state) {
    (void)state;
    run_in("a", "SELECT 1");
    run_in("c", "SELECT 1");
    write_file(path_to("b.user"), "no database, but long enough to be looked at in any case", 56);
    corm_bundle *bundle = NULL;
    OK(corm_bundle_create(NULL, &bundle, &failure));
    const corm_bundle_step make = {.struct_size = sizeof make, .id = "1", .up_sql = "CREATE TABLE t (x)"};
    const corm_bundle_step fill = {.struct_size = sizeof fill, .id = "2", .up = mark};
    OK(corm_bundle_add(bundle, &make, &failure));
    OK(corm_bundle_add(bundle, &fill, &failure));
    char seen[400] = "";
    size_t failed = 9;
    GIVES(CORM_E_INTERRUPTED,
          corm_registry_migrate(registry, bundle, NULL, 0, NULL, false, told, seen, &failed, &failure));
    says("after 3 of 3");
    assert_string_equal(seen, "a 0/3 2; b 1/3 0CORM_E_NOT_A_DATABASE; c 2/3 2; ");
    assert_int_equal(failed, 1);
    OK(corm_registry_migrate(registry, bundle, NULL, 0, NULL, false, NULL, NULL, &failed, &failure));
    const char *const some[] = {"a", "d", "../e"};
    seen[0] = 0;
    GIVES(CORM_E_INTERRUPTED,
          corm_registry_migrate(registry, bundle, some, 3, "1", false, told, seen, &failed, &failure));
    assert_string_equal(seen, "a 0/3 0; d 1/3 1; ../e 2/3 0CORM_E_MISUSE; ");
    const corm_bundle_step drop = {.struct_size = sizeof drop, .id = "3", .up_sql = "DROP TABLE t"};
    OK(corm_bundle_add(bundle, &drop, &failure));
    OK(corm_registry_migrate(registry, bundle, (const char *const[]){"a"}, 1, NULL, false, NULL, NULL, &failed,
                             &failure));
    assert_int_equal(failed, 1);
    OK(corm_registry_migrate(registry, bundle, (const char *const[]){"a"}, 1, NULL, true, NULL, NULL, &failed,
                             &failure));
    assert_int_equal(failed, 0);
    GIVES(CORM_E_MIGRATION,
          corm_registry_migrate(registry, bundle, NULL, 0, "7", false, NULL, NULL, &failed, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_migrate(registry, bundle, NULL, 0, NULL, false, NULL, NULL, NULL, &failure));
    corm_bundle_free(bundle);
}

static void databases_are_attached_by_name(void **state) {
    (void)state;
    run_in("archive", "CREATE TABLE t (x); INSERT INTO t VALUES (7)");
    corm_database *used = use("a");
    OK(corm_registry_attach(used, registry, "archive", "old", &failure));
    assert_int_equal(rows(used, "SELECT x FROM old.t"), 1);
    GIVES(CORM_E_MISUSE, corm_registry_attach(used, registry, "../x", "x", &failure));
    give_back(used);
    /* It is not the next one's. */
    used = use("a");
    GIVES(CORM_E_SQL, corm_database_execute(used, "SELECT x FROM old.t", CORM_NO_VALUES, NULL, &failure));
    give_back(used);
}

static void handles_that_are_none(void **state) {
    (void)state;
    corm_database *used = NULL;
    corm_registry *closed = NULL;
    OK(corm_registry_open(NULL, 0, NULL, &closed, &failure));
    OK(corm_registry_close(closed, &failure));
    corm_registry *const bad[] = {NULL, closed, (corm_registry *)db};
    for (size_t i = 0; i < 3; i++) {
        GIVES(CORM_E_MISUSE, corm_registry_use(bad[i], "a", &used, &failure));
        GIVES(CORM_E_MISUSE, corm_registry_register(bad[i], "a", "b", NULL, &failure));
        GIVES(CORM_E_MISUSE, corm_registry_close_file(bad[i], "a", &failure));
        assert_null(corm_registry_current(bad[i]));
        assert_int_equal(corm_registry_open_count(bad[i]), 0);
    }
    OK(corm_registry_close(NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_close(closed, &failure));
    GIVES(CORM_E_MISUSE, corm_registry_use(registry, "a", NULL, &failure));
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
        TEST_REGISTRY(a_name_leads_to_a_file_of_the_folder),
        TEST_REGISTRY(names_are_listed),
        TEST_REGISTRY(current_and_default),
        TEST_REGISTRY(names_that_no_file_may_have),
        TEST_REGISTRY(what_may_be_registered),
        TEST_REGISTRY(what_is_held_stays_open),
        TEST_REGISTRY(giving_back_rolls_back),
        TEST_REGISTRY(a_removed_file_is_made_anew),
        TEST_REGISTRY(threads_share_two_places),
        TEST_REGISTRY(a_fleet_is_migrated),
        TEST_REGISTRY(databases_are_attached_by_name),
        TEST_REGISTRY(handles_that_are_none),
        TEST_REGISTRY(a_child_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
