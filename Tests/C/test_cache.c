/* Caches of rows: what is answered from memory, within which limits, and that nothing of it is stale. */
#include "listeners.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static corm_cache_statistics statistics(void) {
    corm_cache_statistics found = CORM_CACHE_STATISTICS_INIT;
    OK(corm_database_cache_statistics(db, people, &found, &failure));
    return found;
}

static const char *name_of(int64_t id) {
    static char name[64];
    corm_arena *arena = corm_arena_create();
    corm_value key = corm_value_int64(id);
    person found;
    OK(corm_record_find(db, people, &key, 1, &found, arena, &failure));
    snprintf(name, sizeof name, "%s", found.name);
    corm_arena_free(arena);
    return name;
}

static void rows_are_found_again_within_limits(void **state) {
    (void)state;
    insert_people(20);
    assert_int_equal(statistics().hits + statistics().misses, 0);
    OK(corm_database_set_cache(db, people, 5, 1000000, &failure));
    static const char *const names[] = {"p1", "p2", "p3", "p4", "p5"};
    for (int round = 0; round < 3; round += 1)
        for (int id = 1; id <= 5; id += 1)
            assert_string_equal(name_of(id), names[id - 1]);
    assert_int_equal(statistics().misses, 5);
    assert_int_equal(statistics().hits, 10);
    name_of(6);
    assert_int_equal(statistics().count, 5);
    name_of(5);
    assert_int_equal(statistics().hits, 11);
    name_of(1);
    assert_int_equal(statistics().hits, 11);
    OK(corm_database_set_cache(db, people, 1000, 1, &failure));
    name_of(1);
    name_of(1);
    assert_int_equal(statistics().hits + statistics().count + statistics().bytes, 0);
    OK(corm_database_set_cache(db, people, 0, 0, &failure));
    name_of(1);
    assert_int_equal(statistics().misses, 0);
}

static void what_changes_goes(void **state) {
    (void)state;
    insert_people(3);
    OK(corm_database_set_cache(db, people, 100, 1000000, &failure));
    corm_database *other;
    OK(corm_database_open(path_to("test.db"), NULL, &other, &failure));
    static const char *const changes[] = {
        "UPDATE person SET name = 'a' WHERE id = 1",
        "REPLACE INTO person(id, name) VALUES (1, 'b')",
        "DELETE FROM person; INSERT INTO person(id, name) VALUES (1, 'c')",
        "UPDATE person SET id = 50 WHERE id = 1; INSERT INTO person(id, name) VALUES (1, 'd')",
        "ALTER TABLE person ADD COLUMN more; UPDATE person SET name = 'e'",
        ("BEGIN; DROP TABLE person; CREATE TABLE person(id INTEGER PRIMARY KEY, name, city, age, height); "
         "INSERT INTO person VALUES (1, 'f', NULL, 1, 1.0); COMMIT")};
    for (size_t index = 0; index < sizeof changes / sizeof *changes; index += 1) {
        char expected[2] = {(char)('a' + index), 0};
        name_of(1);
        corm_status status = corm_database_execute_script(index % 2 ? other : db, changes[index], &failure);
        assert_int_equal(status, CORM_OK);
        assert_string_equal(name_of(1), expected);
        assert_string_equal(name_of(1), expected);
    }
    /* A savepoint that is rolled back, a transaction, and a state that a result holds. */
    run("BEGIN; UPDATE person SET name = 'x'");
    assert_string_equal(name_of(1), "x");
    run("ROLLBACK");
    assert_string_equal(name_of(1), "f");
    corm_result *result;
    OK(corm_result_open(db, "SELECT 1 FROM person UNION ALL SELECT 2", NULL, 0, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    OK(corm_database_execute(other, "UPDATE person SET name = 'g'", NULL, 0, NULL, &failure));
    name_of(1);
    corm_result_close(result);
    assert_string_equal(name_of(1), "g");
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    OK(corm_database_execute(other, "UPDATE person SET name = 'h'", NULL, 0, NULL, &failure));
    assert_string_equal(name_of(1), "h");
    OK(corm_database_close(other, &failure));
    run("PRAGMA journal_mode = DELETE; UPDATE person SET name = 'i'");
    assert_string_equal(name_of(1), "i");
    assert_true(statistics().hits > 5);
}

static void wrong_caches_are_refused(void **state) {
    (void)state;
    GIVES(CORM_E_MISUSE, corm_database_set_cache(db, people, 1, 0, &failure));
    GIVES(CORM_E_MISUSE, corm_database_set_cache(db, people, 0, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_database_set_cache(db, people, -1, -1, &failure));
    GIVES(CORM_E_MISUSE, corm_database_set_cache(db, NULL, 1, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_database_set_cache(NULL, people, 1, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_database_cache_statistics(db, people, NULL, &failure));
    run("DROP TABLE person; CREATE TABLE person(id INT, name TEXT PRIMARY KEY, city, age, height)");
    GIVES(CORM_E_MISUSE, corm_database_set_cache(db, people, 1, 1000, &failure));
    run("DROP TABLE person");
    GIVES(CORM_E_SCHEMA, corm_database_set_cache(db, people, 1, 1000, &failure));
}

static void *find_and_change(void *unused) {
    (void)unused;
    for (int64_t round = 0; round < 300; round += 1) {
        corm_value key = corm_value_int64(round % 10 + 1);
        corm_arena *arena = corm_arena_create();
        person found;
        assert_int_equal(corm_record_find(db, people, &key, 1, &found, arena, NULL), CORM_OK);
        if (round % 7 == 0) {
            found.age.value += 1;
            assert_int_equal(corm_record_update(db, people, &found, NULL, 0, arena, NULL), CORM_OK);
        }
        corm_arena_free(arena);
    }
    return NULL;
}

static void threads_share_a_cache(void **state) {
    (void)state;
    insert_people(10);
    OK(corm_database_set_cache(db, people, 8, 1000000, &failure));
    pthread_t threads[4];
    for (int index = 0; index < 4; index += 1)
        assert_int_equal(pthread_create(&threads[index], NULL, find_and_change, NULL), 0);
    for (int index = 0; index < 4; index += 1)
        pthread_join(threads[index], NULL);
    /* A find beside a thread that writes reads the file, and counts as neither. */
    assert_true(statistics().hits > 0);
    assert_true(statistics().hits + statistics().misses <= 1200);
    corm_value key = corm_value_int64(1);
    corm_arena *arena = corm_arena_create();
    person found;
    OK(corm_record_find(db, people, &key, 1, &found, arena, &failure));
    int64_t hits = statistics().hits;
    OK(corm_record_find(db, people, &key, 1, &found, arena, &failure));
    assert_int_equal(statistics().hits, hits + 1);
    corm_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(rows_are_found_again_within_limits),
        TEST(what_changes_goes),
        TEST(wrong_caches_are_refused),
        TEST(threads_share_a_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
