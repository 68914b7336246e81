/*
 * The workload that every contestant shares, in C: the data, the keys, the checksum, the clock and the answer.
 * workload.py and Sources/Workload say the same in their languages; the driver checks that all agree.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ITEM_CREATE                                                                                                    \
    "CREATE TABLE item (id INTEGER PRIMARY KEY, quantity INTEGER NOT NULL, grade INTEGER NOT NULL, "                   \
    "region INTEGER NOT NULL, price REAL NOT NULL, weight REAL NOT NULL, name TEXT NOT NULL, city TEXT NOT NULL, "     \
    "code TEXT NOT NULL, note TEXT)"
#define ITEM_COLUMNS "id, quantity, grade, region, price, weight, name, city, code, note"
#define FILTER_REGION 3
/* Any number of rows (a parameter) from a table of fewer, for the memory of a streamed result. */
#define ITEM_STREAM                                                                                                    \
    "WITH RECURSIVE turn(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM turn LIMIT ?1) "                                  \
    "SELECT " ITEM_COLUMNS " FROM turn CROSS JOIN item LIMIT ?1"

typedef struct item {
    int64_t id, quantity, grade, region;
    double price, weight;
    const char *name, *city, *code, *note;
} item;

/* A linear congruential generator (Knuth's MMIX constants); its upper 31 bits are the number. */
static inline uint64_t lcg_next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

#define POOL_SIZE 256

/* Every text is a piece of this one. */
static inline const char *text_pool(void) {
    static char pool[POOL_SIZE + 1];
    if (pool[0] == 0) {
        uint64_t state = 1;
        for (int i = 0; i < POOL_SIZE; i++) {
            pool[i] = (char)('a' + lcg_next(&state) % 26);
        }
    }
    return pool;
}

static inline void item_text(uint64_t *state, char out[21]) {
    size_t size = 12 + lcg_next(state) % 9;
    size_t offset = lcg_next(state) % (POOL_SIZE - 20);
    memcpy(out, text_pool() + offset, size);
    out[size] = 0;
}

typedef struct item_texts {
    char name[21], city[21], code[21], note[21];
} item_texts;

/* The row `id` in edition `edition` (0 as inserted, 1 as updated). */
static inline item item_make(int64_t id, int64_t edition, item_texts *texts) {
    uint64_t state = (uint64_t)id * 0x9E3779B97F4A7C15u + (uint64_t)edition;
    item row = {.id = id};
    lcg_next(&state);
    row.quantity = (int64_t)(lcg_next(&state) % 1000000);
    row.grade = (int64_t)(lcg_next(&state) % 100);
    row.region = (int64_t)(lcg_next(&state) % 10);
    row.price = (double)(lcg_next(&state) % 1048576) / 1024;
    row.weight = (double)(lcg_next(&state) % 1048576) / 1024;
    item_text(&state, texts->name);
    item_text(&state, texts->city);
    item_text(&state, texts->code);
    item_text(&state, texts->note);
    row.name = texts->name;
    row.city = texts->city;
    row.code = texts->code;
    row.note = lcg_next(&state) % 2 ? texts->note : NULL;
    return row;
}

/* The keys: lookups jump about, updates and deletes go up. */
static inline int64_t lookup_key(int64_t i, int64_t rows) {
    uint64_t state = (uint64_t)i * 0x9E3779B97F4A7C15u;
    lcg_next(&state);
    return (int64_t)(lcg_next(&state) % (uint64_t)rows) + 1;
}
static inline int64_t update_key(int64_t i) { return 2 * i + 1; }
static inline int64_t delete_key(int64_t i) { return 4 * i + 1; }

/* `count` rows of an edition, by the key function or 1, 2, 3 ... */
static inline item *items_make(int64_t count, int64_t edition, int64_t (*key)(int64_t)) {
    item *rows = malloc((size_t)count * sizeof *rows);
    item_texts *texts = malloc((size_t)count * sizeof *texts);
    for (int64_t i = 0; i < count; i++) {
        rows[i] = item_make(key ? key(i) : i + 1, edition, &texts[i]);
    }
    return rows;
}

static inline uint64_t text_sum(const char *text) {
    size_t size = strlen(text);
    return size * 65536 + (uint8_t)text[0] * 256u + (uint8_t)text[size - 1];
}

/* What row number `index` of a result adds to the checksum; the reals are whole numbers of 1/1024. */
static inline uint64_t item_sum(const item *row, uint64_t index) {
    uint64_t sum = (uint64_t)(row->id * 3 + row->quantity * 5 + row->grade * 7 + row->region * 11);
    sum += (uint64_t)(row->price * 1024) * 13 + (uint64_t)(row->weight * 1024) * 17;
    sum += text_sum(row->name) * 19 + text_sum(row->city) * 23 + text_sum(row->code) * 29;
    sum += row->note ? text_sum(row->note) * 31 : 37;
    return sum * (index + 1);
}

/* What one lookup adds: little, for it is inside the measured time. */
static inline uint64_t lookup_sum(const item *row) { return (uint64_t)row->quantity + strlen(row->name); }

static inline double clock_seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double workload_wall, workload_cpu;
static inline void timer_start(void) {
    workload_cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    workload_wall = clock_seconds(CLOCK_MONOTONIC);
}
static inline void timer_stop(void) {
    workload_wall = clock_seconds(CLOCK_MONOTONIC) - workload_wall;
    workload_cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - workload_cpu;
}

/* Peak resident memory. getrusage would count the driver's own, inherited over fork and exec. */
static inline long peak_kilobytes(void) {
    char line[128];
    long size = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "VmHWM: %ld", &size);
    }
    if (file) {
        fclose(file);
    }
    return size;
}

/* The answer to the driver. */
static inline void workload_report(uint64_t checksum) {
    printf("{\"seconds\": %.9f, \"cpu\": %.9f, \"checksum\": \"%016llx\", \"peak\": %ld}\n", workload_wall,
           workload_cpu, (unsigned long long)checksum, peak_kilobytes());
}

/* Command line: WORK DATABASE ROWS COUNT, where ROWS are in the table and COUNT operations are asked for. */
typedef struct arguments {
    const char *work, *path;
    int64_t rows, count;
} arguments;

static inline arguments arguments_read(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: %s WORK DATABASE ROWS COUNT\n", argv[0]);
        exit(2);
    }
    return (arguments){argv[1], argv[2], atoll(argv[3]), atoll(argv[4])};
}

static inline bool is_work(const arguments *arguments, const char *work) { return strcmp(arguments->work, work) == 0; }

#endif
