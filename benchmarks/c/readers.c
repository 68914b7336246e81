/* Reads by key with and without a busy writer: `readers THREADS` prints reads a second of processor time, so that it does not
   matter how many cores the writer and other programs leave. Without one in their file, that is: the writer is as busy in
   another then, for two threads of one core take from each other whatever they do. */
#include "items.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROWS 100000
#define MOST 64

static corm_database *other;
static int64_t reads, nanoseconds, writes;

static void *read_always(void *number) {
    unsigned seed = (unsigned)(intptr_t)number;
    corm_arena *arena = corm_arena_create();
    corm_error *own = NULL;
    int64_t count = 0;
    while (goes_on()) {
        item found;
        int64_t key = rand_r(&seed) % ROWS + 1;
        check(corm_record_find(db, items, CORM_VALUES(corm_value_int64(key)), &found, arena, &own));
        corm_arena_clear(arena);
        count += 1;
    }
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    __atomic_add_fetch(&reads, count, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&nanoseconds, used.tv_sec * 1000000000 + used.tv_nsec, __ATOMIC_SEQ_CST);
    corm_arena_free(arena);
    return NULL;
}

static void *write_always(void *target) {
    corm_database *written = target;
    unsigned seed = 7;
    corm_error *own = NULL;
    while (goes_on()) {
        check(corm_transaction_begin(written, CORM_TRANSACTION_IMMEDIATE, &own));
        for (int round = 0; round < 20; round += 1) {
            item changed = {.id = rand_r(&seed) % ROWS + 1, .quantity = rand_r(&seed), .name = "changed"};
            check(corm_record_save(written, items, &changed, NULL, &own));
        }
        check(corm_transaction_commit(written, &own));
        writes += 20;
    }
    return NULL;
}

static double measure(int readers, corm_database *written, double seconds) {
    pthread_t threads[MOST + 1];
    is_over = false;
    reads = nanoseconds = writes = 0;
    for (intptr_t index = 0; index < readers; index += 1)
        pthread_create(&threads[index], NULL, read_always, (void *)index);
    pthread_create(&threads[readers], NULL, write_always, written);
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)(seconds * 1e9) % 1000000000}, NULL);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int index = 0; index <= readers; index += 1)
        pthread_join(threads[index], NULL);
    return (double)reads * 1e9 / (double)nanoseconds;
}

static void fill(const char *path, int readers, corm_database **database) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.reader_count = readers + 1;
    check(corm_database_open(path, &options, database, &error));
    check(corm_model_create_tables(*database, CORM_MODELS(items), &error));
    check(corm_transaction_begin(*database, CORM_TRANSACTION_IMMEDIATE, &error));
    for (int64_t index = 1; index <= ROWS; index += 1) {
        item one = {.id = index, .quantity = index, .name = "an item of some length"};
        check(corm_record_insert(*database, items, &one, CORM_CONFLICT_ABORT, NULL, &error));
    }
    check(corm_transaction_commit(*database, &error));
}

int main(int count, char **arguments) {
    int readers = count > 1 ? atoi(arguments[1]) : 1;
    char folder[] = "/tmp/corm-readers-XXXXXX", path[64], command[80];
    if (readers < 1 || readers > MOST || mkdtemp(folder) == NULL)
        return 2;
    snprintf(path, sizeof path, "%s/items.db", folder);
    check(corm_model_create(&item_def, &items, &error));
    fill(path, readers, &db);
    snprintf(path, sizeof path, "%s/other.db", folder);
    fill(path, readers, &other);
    double alone = 0, beside = 0;
    int64_t written = 0;
    measure(readers, db, 0.5);
    /* By turns, so that what else the machine does meanwhile is in both. */
    for (int round = 0; round < 5; round += 1) {
        alone += measure(readers, other, 1) / 5;
        beside += measure(readers, db, 1) / 5;
        written += writes;
    }
    printf("{\"readers\": %d, \"reads\": %.0f, \"reads_beside_writer\": %.0f, \"ratio\": %.3f, \"writes\": %.0f}\n",
           readers, alone, beside, beside / alone, (double)written / 5);
    check(corm_database_close(db, &error));
    check(corm_database_close(other, &error));
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : 1;
}
