/* Caches of rows beside results and threads; what they answer is in Tests/Conformance/cache.json. */
#include "listeners.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static corm_cache_statistics statistics(void) {
    corm_cache_statistics found = CORM_CACHE_STATISTICS_INIT;
    OK(corm_database_cache_statistics(db, people, &found, &failure));
    return found;
}

static void nothing_has_no_cache(void **state) {
    (void)state;
    GIVES(CORM_E_MISUSE, corm_database_set_cache(db, NULL, 1, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_database_set_cache(NULL, people, 1, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_database_cache_statistics(db, people, NULL, &failure));
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
            assert_int_equal(corm_record_update(db, people, &found, NULL, arena, NULL), CORM_OK);
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
    /* A find beside a thread that writes reads the file, and counts as neither: with one processor perhaps all of them. */
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
        TEST(nothing_has_no_cache),
        TEST(threads_share_a_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
