/*
 * What a key-value store costs beside the same by hand: get by key, and puts in batches of 1,000. One program, A B A B, so
 * that both meet the same machine. By hand is what one writes without the library: a table of key and value, and one of
 * the store's own columns. Prints one JSON object: medians of ratios.
 */
#include <cormorant.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 11
#ifndef KEYS
#define KEYS 50000
#endif
#define BATCH 1000
#define VALUE_SIZE 100

static corm_error *error;
static char keys[KEYS][24];
static char value[VALUE_SIZE];

static void check(corm_status status) {
    if (status < 0) {
        fprintf(stderr, "key_value: %s\n", error ? corm_error_message(error) : corm_status_name(status));
        exit(1);
    }
}

static void must(sqlite3 *raw, int status) {
    if (status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW) {
        fprintf(stderr, "key_value: %s\n", sqlite3_errmsg(raw));
        exit(1);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

typedef struct by_hand {
    sqlite3 *raw;
    sqlite3_stmt *get, *put, *begin, *commit;
} by_hand;

static by_hand open_by_hand(const char *path, const char *create, const char *get, const char *put) {
    by_hand b;
    must(NULL, sqlite3_open(path, &b.raw));
    must(b.raw, sqlite3_exec(b.raw, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL, NULL));
    must(b.raw, sqlite3_exec(b.raw, create, NULL, NULL, NULL));
    must(b.raw, sqlite3_prepare_v3(b.raw, get, -1, SQLITE_PREPARE_PERSISTENT, &b.get, NULL));
    must(b.raw, sqlite3_prepare_v3(b.raw, put, -1, SQLITE_PREPARE_PERSISTENT, &b.put, NULL));
    must(b.raw, sqlite3_prepare_v3(b.raw, "BEGIN IMMEDIATE", -1, 0, &b.begin, NULL));
    must(b.raw, sqlite3_prepare_v3(b.raw, "COMMIT", -1, 0, &b.commit, NULL));
    return b;
}

static void step(by_hand *b, sqlite3_stmt *statement) {
    must(b->raw, sqlite3_step(statement));
    sqlite3_reset(statement);
}

static double put_by_hand(by_hand *b, const int *order) {
    double start = seconds();
    for (int first = 0; first < KEYS; first += BATCH) {
        step(b, b->begin);
        for (int i = first; i < first + BATCH; i++) {
            const char *key = keys[order[i]];
            sqlite3_bind_text(b->put, 1, key, (int)strlen(key), SQLITE_STATIC);
            sqlite3_bind_text(b->put, 2, value, VALUE_SIZE, SQLITE_STATIC);
            step(b, b->put);
        }
        step(b, b->commit);
    }
    return seconds() - start;
}

/* The value is copied out, as it must be to outlive the statement. */
static double get_by_hand(by_hand *b, const int *order, char *copy) {
    double start = seconds();
    for (int i = 0; i < KEYS; i++) {
        const char *key = keys[order[i]];
        sqlite3_bind_text(b->get, 1, key, (int)strlen(key), SQLITE_STATIC);
        must(b->raw, sqlite3_step(b->get));
        memcpy(copy, sqlite3_column_text(b->get, 0), (size_t)sqlite3_column_bytes(b->get, 0));
        sqlite3_reset(b->get);
    }
    return seconds() - start;
}

static double put_by_store(corm_store *store, const int *order) {
    static corm_store_entry entries[BATCH];
    double start = seconds();
    for (int first = 0; first < KEYS; first += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            const char *key = keys[order[first + i]];
            entries[i] = (corm_store_entry){.struct_size = sizeof(corm_store_entry),
                                            .key = {key, strlen(key)},
                                            .value = corm_value_text_size(value, VALUE_SIZE)};
        }
        check(corm_store_put_many(store, entries, BATCH, &error));
    }
    return seconds() - start;
}

static double get_by_store(corm_store *store, const int *order, corm_arena *arena) {
    corm_store_entry entry = CORM_STORE_ENTRY_INIT;
    double start = seconds();
    for (int i = 0; i < KEYS; i++) {
        const char *key = keys[order[i]];
        corm_arena_clear(arena);
        check(corm_store_get(store, key, strlen(key), arena, &entry, &error));
    }
    return seconds() - start;
}

static void shuffle(int *order) {
    for (int i = KEYS - 1; i > 0; i--) {
        int other = rand() % (i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Arguments: three paths of files that are not there. */
int main(int count, char **paths) {
    static int order[KEYS];
    double puts[2][ROUNDS], gets[ROUNDS];
    corm_database *db;
    corm_store *store;
    corm_arena *arena = corm_arena_create();
    char *copy = malloc(VALUE_SIZE);
    if (count != 4)
        return 1;
    memset(value, 'v', sizeof value);
    for (int i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "user:%08x:name", (unsigned)rand());
        order[i] = i;
    }
    by_hand plain =
        open_by_hand(paths[1], "CREATE TABLE kv (key TEXT PRIMARY KEY, value)", "SELECT value FROM kv WHERE key = ?1",
                     "INSERT INTO kv VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value");
    by_hand same = open_by_hand(
        paths[2],
        "CREATE TABLE kv (store TEXT, key TEXT, version INTEGER, created INTEGER, updated INTEGER, expires INTEGER, "
        "json INTEGER, value, PRIMARY KEY (store, key))",
        "SELECT value FROM kv WHERE store = 'users' AND key = ?1",
        "INSERT INTO kv VALUES ('users', ?1, random(), 1763740000000, 1763740000000, NULL, 0, ?2) "
        "ON CONFLICT DO UPDATE SET value = excluded.value, version = excluded.version, updated = excluded.updated");
    check(corm_database_open(paths[3], NULL, &db, &error));
    check(corm_store_open(db, "users", &store, &error));
    for (int round = 0; round < ROUNDS; round++) {
        shuffle(order);
        double by_store = put_by_store(store, order);
        puts[0][round] = by_store / put_by_hand(&plain, order);
        puts[1][round] = by_store / put_by_hand(&same, order);
        by_store = get_by_store(store, order, arena);
        gets[round] = by_store / get_by_hand(&plain, order, copy);
    }
    printf("{\"put\": %.3f, \"put_plain\": %.3f, \"get\": %.3f}\n", median(puts[1], ROUNDS), median(puts[0], ROUNDS),
           median(gets, ROUNDS));
    corm_store_close(store);
    check(corm_database_close(db, &error));
    return 0;
}
