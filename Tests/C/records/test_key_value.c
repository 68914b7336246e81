/* Key-value stores: entries, wrong arguments, and what becomes of a store whose file changes under it. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static corm_store *store;
static corm_arena *arena;

static int open_store(void **state) {
    arena = corm_arena_create();
    if (set_up(state) != 0)
        return -1;
    OK(corm_store_open(db, "settings", &store, &failure));
    return 0;
}

static int close_store(void **state) {
    corm_store_close(store);
    corm_arena_free(arena);
    return tear_down(state);
}

#define STORE_TEST(function) cmocka_unit_test_setup_teardown(function, open_store, close_store)

static corm_store_entry entry_of(const char *key, corm_value value) {
    return (corm_store_entry){.struct_size = sizeof(corm_store_entry), .key = {key, strlen(key)}, .value = value};
}

static corm_store_entry get(const char *key) {
    corm_store_entry entry = CORM_STORE_ENTRY_INIT;
    OK(corm_store_get(store, key, strlen(key), arena, &entry, &failure));
    return entry;
}

static void an_entry_comes_back(void **state) {
    (void)state;
    corm_store_entry entry = {.struct_size = sizeof(corm_store_entry),
                              .key = {CORM_KEY("the\0me")},
                              .value = corm_value_text_size("da\0rk", 5)};
    assert_int_equal(entry.key.size, 6);
    OK(corm_store_put(store, &entry, &failure));
    corm_store_entry found = CORM_STORE_ENTRY_INIT;
    OK(corm_store_get(store, CORM_KEY("the\0me"), arena, &found, &failure));
    assert_memory_equal(found.key.data, "the\0me", 7);
    assert_int_equal(found.value.type, CORM_VALUE_TEXT);
    assert_int_equal(found.value.as.bytes.size, 5);
    assert_memory_equal(found.value.as.bytes.data, "da\0rk", 6);
    assert_false(found.is_json);
    assert_int_equal(found.expires, 0);
    assert_int_not_equal(found.version, 0);
    assert_true(found.created > 1700000000000 && found.created == found.updated);
    GIVES(CORM_NOT_FOUND, corm_store_get(store, CORM_KEY("theme"), arena, &found, &failure));
    GIVES(CORM_NOT_FOUND, corm_store_get(store, CORM_KEY(""), arena, &found, &failure));
    OK(corm_store_get(store, CORM_KEY("the\0me"), NULL, NULL, &failure));
    OK(corm_store_delete(store, CORM_KEY("the\0me"), &failure));
    GIVES(CORM_NOT_FOUND, corm_store_get(store, CORM_KEY("the\0me"), NULL, NULL, &failure));
}

static void json_is_looked_at(void **state) {
    (void)state;
    const char *wrong[] = {"", "{", "{\"a\":}", "nul", "[1,]", "'x'", "{a:1}"};
    corm_store_entry entry = entry_of("k", corm_value_text("{\"a\":[1]}"));
    entry.is_json = true;
    OK(corm_store_put(store, &entry, &failure));
    assert_true(get("k").is_json);
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index += 1) {
        entry.value = corm_value_text(wrong[index]);
        GIVES(CORM_E_JSON, corm_store_put(store, &entry, &failure));
    }
    entry.value = corm_value_int64(5);
    GIVES(CORM_E_JSON, corm_store_put(store, &entry, &failure));
    entry.value = corm_value_null();
    GIVES(CORM_E_JSON, corm_store_put(store, &entry, &failure));
    assert_int_equal(get("k").value.as.bytes.size, 9);
}

static void wrong_arguments_are_errors(void **state) {
    (void)state;
    corm_store_entry entry = entry_of("k", corm_value_int64(1));
    corm_store_range range = CORM_STORE_RANGE_INIT;
    corm_result *result;
    corm_store *other;
    int64_t number;
    GIVES(CORM_E_MISUSE, corm_store_open(NULL, "x", &other, &failure));
    GIVES(CORM_E_MISUSE, corm_store_open(db, NULL, &other, &failure));
    GIVES(CORM_E_MISUSE, corm_store_open(db, "x", NULL, &failure));
    GIVES(CORM_E_ENCODING, corm_store_open(db, "\xff", &other, &failure));
    GIVES(CORM_E_MISUSE, corm_store_put(store, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_store_put((corm_store *)db, &entry, &failure));
    GIVES(CORM_E_MISUSE, corm_store_get(store, NULL, 0, arena, &entry, &failure));
    GIVES(CORM_E_MISUSE, corm_store_get(store, "k", (size_t)-1, arena, &entry, &failure));
    GIVES(CORM_E_MISUSE, corm_store_get(store, "k", 1, NULL, &entry, &failure));
    GIVES(CORM_E_MISUSE, corm_store_get(store, "k", 1, arena, NULL, &failure));
    GIVES(CORM_E_ENCODING, corm_store_get(store, "\xc3", 1, arena, &entry, &failure));
    GIVES(CORM_E_MISUSE, corm_store_put_many(store, NULL, 2, &failure));
    OK(corm_store_put_many(store, NULL, 0, &failure));
    entry.key = (corm_text){"a\xff", 2};
    GIVES(CORM_E_ENCODING, corm_store_put(store, &entry, &failure));
    entry = entry_of("k", corm_value_text_size("\xff", 1));
    GIVES(CORM_E_ENCODING, corm_store_put(store, &entry, &failure));
    entry.value = corm_value_uint64(UINT64_MAX);
    GIVES(CORM_E_RANGE, corm_store_put(store, &entry, &failure));
    entry.value = (corm_value){.type = 77};
    GIVES(CORM_E_MISUSE, corm_store_put(store, &entry, &failure));
    entry.value = (corm_value){.type = CORM_VALUE_BLOB, .as.bytes = {"x", (size_t)-1}};
    GIVES(CORM_E_TOO_BIG, corm_store_put(store, &entry, &failure));
    entry.value.as.bytes.size = (size_t)3 << 30;
    GIVES(CORM_E_TOO_BIG, corm_store_put(store, &entry, &failure));
    range.struct_size = 1;
    GIVES(CORM_E_MISUSE, corm_store_count(store, &range, &number, &failure));
    range = (corm_store_range)CORM_STORE_RANGE_INIT;
    range.limit = -1;
    GIVES(CORM_E_MISUSE, corm_store_scan(store, &range, &result, &failure));
    range.limit = 1;
    GIVES(CORM_E_MISUSE, corm_store_clear(store, &range, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_store_count(store, &range, &number, &failure));
    range = (corm_store_range)CORM_STORE_RANGE_INIT;
    range.prefix = (corm_text){"\xff", 1};
    GIVES(CORM_E_ENCODING, corm_store_scan(store, &range, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_store_next(NULL, &entry, &failure));
    OK(corm_result_open(db, "SELECT 1", CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_store_next(result, &entry, &failure));
    corm_result_close(result);
    entry = entry_of("k", corm_value_null());
    entry.expires_after = -5;
    GIVES(CORM_E_RANGE, corm_store_put(store, &entry, &failure));
    entry.expires_after = INT64_MAX;
    GIVES(CORM_E_RANGE, corm_store_put(store, &entry, &failure));
    entry.expires_after = 5;
    entry.expires = 5000000;
    GIVES(CORM_E_MISUSE, corm_store_put(store, &entry, &failure));
    GIVES(CORM_E_SCHEMA, corm_store_adopt(store, "x\"; DROP TABLE person; --", NULL, &failure));
    corm_store_close(NULL);
    GIVES(CORM_NOT_FOUND, corm_store_get(store, "k", 1, NULL, NULL, &failure));
}

static void an_entry_that_lives_for_ever_goes_back_as_it_came(void **state) {
    (void)state;
    const int64_t times[] = {10000000000000000, INT64_MAX / 2};
    for (size_t index = 0; index < 2; index += 1) {
        corm_store_entry entry = entry_of("k", corm_value_int64(1));
        entry.expires_after = times[index];
        OK(corm_store_put(store, &entry, &failure));
        corm_store_entry read = CORM_STORE_ENTRY_INIT;
        OK(corm_store_get(store, CORM_KEY("k"), arena, &read, &failure));
        assert_true(read.expires > 0);
        read.value.as.integer += 1;
        OK(corm_store_compare_and_set(store, &read, &failure));
        OK(corm_store_get(store, CORM_KEY("k"), arena, &read, &failure));
        assert_int_equal(read.value.as.integer, 2);
    }
}

static void a_scan_gives_entries(void **state) {
    (void)state;
    corm_store_range range = CORM_STORE_RANGE_INIT;
    corm_store_entry entries[100], entry = CORM_STORE_ENTRY_INIT;
    char keys[100][8];
    corm_result *scan;
    for (int index = 0; index < 100; index += 1) {
        snprintf(keys[index], sizeof keys[index], "k%02d", index);
        entries[index] = entry_of(keys[index], corm_value_int64(index));
    }
    OK(corm_store_put_many(store, entries, 100, &failure));
    range.after = (corm_text){CORM_KEY("k41")};
    range.limit = 3;
    OK(corm_store_scan(store, &range, &scan, &failure));
    for (int index = 42; index < 45; index += 1) {
        GIVES(CORM_ROW, corm_store_next(scan, &entry, &failure));
        assert_memory_equal(entry.key.data, keys[index], 4);
        assert_int_equal(entry.value.as.integer, index);
        assert_int_not_equal(entry.version, 0);
    }
    GIVES(CORM_DONE, corm_store_next(scan, &entry, &failure));
    corm_result_close(scan);
    /* The database closes under a scan, and then the store is of a closed database. */
    OK(corm_store_scan(store, NULL, &scan, &failure));
    GIVES(CORM_ROW, corm_store_next(scan, &entry, &failure));
    OK(corm_database_close(db, &failure));
    GIVES(CORM_E_MISUSE, corm_store_next(scan, &entry, &failure));
    GIVES(CORM_E_MISUSE, corm_store_put(store, &entries[0], &failure));
    corm_result_close(scan);
    corm_store_close(store);
    GIVES(CORM_E_MISUSE, corm_store_put(store, &entries[0], &failure));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    OK(corm_store_open(db, "settings", &store, &failure));
    assert_int_equal(get("k99").value.as.integer, 99);
}

static void an_entry_that_was_read_is_written_back(void **state) {
    (void)state;
    corm_store_entry entry = entry_of("hits", corm_value_int64(1));
    entry.expires_after = 60000;
    OK(corm_store_compare_and_set(store, &entry, &failure));
    GIVES(CORM_CHANGED, corm_store_compare_and_set(store, &entry, &failure));
    entry = get("hits");
    corm_store_entry mine = entry;
    mine.value.as.integer += 1;
    OK(corm_store_compare_and_set(store, &mine, &failure));
    GIVES(CORM_CHANGED, corm_store_compare_and_set(store, &entry, &failure));
    mine = get("hits");
    assert_int_equal(mine.value.as.integer, 2);
    assert_int_equal(mine.expires, entry.expires);
    assert_int_equal(mine.created, entry.created);
}

static void increment(int count) {
    corm_store_entry entry = CORM_STORE_ENTRY_INIT;
    for (int index = 0; index < count; index += 1) {
        corm_status status;
        do {
            corm_arena_clear(arena);
            status = corm_store_get(store, CORM_KEY("hits"), arena, &entry, NULL);
            if (status == CORM_NOT_FOUND)
                entry = entry_of("hits", corm_value_int64(0));
            entry.value.as.integer += 1;
            status = status < 0 ? status : corm_store_compare_and_set(store, &entry, NULL);
        } while (status == CORM_CHANGED || status == CORM_E_BUSY);
        if (status != CORM_OK)
            _exit(1);
    }
}

static void no_increment_of_two_processes_is_lost(void **state) {
    (void)state;
    pid_t children[2];
    OK(corm_database_close(db, &failure));
    for (int index = 0; index < 2; index += 1) {
        children[index] = fork();
        if (children[index] == 0) {
            if (corm_database_open(path_to("test.db"), NULL, &db, NULL) != CORM_OK ||
                corm_store_open(db, "settings", &store, NULL) != CORM_OK)
                _exit(1);
            increment(200);
            corm_database_close(db, NULL);
            _exit(0);
        }
    }
    for (int index = 0; index < 2; index += 1) {
        int status = -1;
        waitpid(children[index], &status, 0);
        assert_int_equal(status, 0);
    }
    corm_store_close(store);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    OK(corm_store_open(db, "settings", &store, &failure));
    assert_int_equal(get("hits").value.as.integer, 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STORE_TEST(an_entry_comes_back),
        STORE_TEST(json_is_looked_at),
        STORE_TEST(wrong_arguments_are_errors),
        STORE_TEST(an_entry_that_lives_for_ever_goes_back_as_it_came),
        STORE_TEST(a_scan_gives_entries),
        STORE_TEST(an_entry_that_was_read_is_written_back),
        STORE_TEST(no_increment_of_two_processes_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
