/* Opening while SQLite's allocations fail, one after the other. */
#define _GNU_SOURCE
#include "support.h"

#include <dlfcn.h>
#include <unistd.h>

/* sqlite3_mem_methods */
typedef struct methods {
    void *(*allocate)(int);
    void (*release)(void *);
    void *(*resize)(void *, int);
    int (*size)(void *);
    int (*round)(int);
    int (*begin)(void *);
    void (*end)(void *);
    void *data;
} methods;

static methods real;
/* How many allocations succeed before all fail; negative: all succeed. */
static int left = -1;

static bool fails(void) {
    if (left < 0)
        return false;
    if (left == 0)
        return true;
    left -= 1;
    return false;
}

static void *allocate(int size) { return fails() ? NULL : real.allocate(size); }
static void *resize(void *memory, int size) { return fails() ? NULL : real.resize(memory, size); }

/* finding reliability.md A5: 104 of the first 106 crashed. */
static void opening_without_memory(void **state) {
    (void)state;
    int failed = 0;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    for (int kind = 0; kind < 2; kind += 1) {
        for (int count = 0; count < many(200); count += 1) {
            corm_database *other = NULL;
            corm_error *error = NULL;
            left = count;
            corm_status status =
                corm_database_open(kind == 0 ? path_to("small.db") : ":memory:", &options, &other, &error);
            left = -1;
            if (status == CORM_OK) {
                OK(corm_database_close(other, &failure));
                break;
            }
            failed += 1;
            assert_null(other);
            assert_int_equal(corm_error_code(error), status);
            if (status != CORM_E_NO_MEMORY && status != CORM_E_CANNOT_OPEN && status != CORM_E_SQL)
                fail_msg("allocation %d: %s", count, corm_error_message(error));
            corm_error_free(error);
        }
    }
    assert_true(failed > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(opening_without_memory)};
    /* Before SQLite's first use. */
    int (*configure)(int, ...) = (int (*)(int, ...))dlsym(RTLD_DEFAULT, "sqlite3_config");
    int (*start)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "sqlite3_initialize");
    int (*stop)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "sqlite3_shutdown");
    if (configure == NULL || start() != 0 || stop() != 0 || configure(5, &real) != 0)
        return 1;
    methods failing = real;
    failing.allocate = allocate;
    failing.resize = resize;
    if (configure(4, &failing) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
