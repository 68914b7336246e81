/* Small writes of eight threads with synchronous=FULL: `queue FILE` prints commits a second of one transaction per write; through a
   queue, each thread waiting for its write before the next; and through a queue with up to 32 writes of each thread in flight.
   A write counts when its thread was told that it is on the disk. */
#include "items.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#define THREADS 8
#define IN_FLIGHT 32
#define SECONDS 1.0
#define ROUNDS 3

static corm_queue *queue;
static int64_t written;

static void count(void) { __atomic_add_fetch(&written, 1, __ATOMIC_RELAXED); }

static corm_status insert(corm_database *database, void *context, corm_error **out_error) {
    (void)context;
    item one = {.quantity = 42, .name = "an item of some length"};
    return corm_record_insert(database, items, &one, CORM_CONFLICT_ABORT, NULL, out_error);
}

static void *write_directly(void *unused) {
    for (; goes_on(); count())
        check(insert(db, NULL, NULL));
    return unused;
}

static void *wait_for_each(void *unused) {
    for (; goes_on(); count())
        check(corm_queue_perform(queue, insert, NULL, NULL));
    return unused;
}

static void tell(corm_completion *completion, void *context) {
    check(corm_completion_info_get(completion)->status);
    count();
    sem_post(context);
}

static void *keep_some_in_flight(void *unused) {
    sem_t room;
    sem_init(&room, 0, IN_FLIGHT);
    corm_write_options options = {.struct_size = sizeof options, .callback = tell, .context = &room};
    while (goes_on()) {
        sem_wait(&room);
        check(corm_queue_add(queue, insert, NULL, &options, NULL, NULL));
    }
    for (int index = 0; index < IN_FLIGHT; index += 1)
        sem_wait(&room);
    sem_destroy(&room);
    return unused;
}

static double measure(void *(*work)(void *)) {
    pthread_t threads[THREADS];
    struct timespec begin, end;
    is_over = false;
    written = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int index = 0; index < THREADS; index += 1)
        pthread_create(&threads[index], NULL, work, NULL);
    nanosleep(&(struct timespec){.tv_sec = (time_t)SECONDS}, NULL);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int index = 0; index < THREADS; index += 1)
        pthread_join(threads[index], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    return (double)written / seconds;
}

int main(int arguments, char **argument) {
    if (arguments != 2)
        return 2;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.synchronous = CORM_SYNCHRONOUS_FULL;
    check(corm_database_open(argument[1], &options, &db, &error));
    check(corm_model_create(&item_def, &items, &error));
    check(corm_model_create_tables(db, CORM_MODELS(items), &error));
    check(corm_queue_open(db, NULL, &queue, &error));
    double direct = 0, waiting = 0, in_flight = 0;
    /* By turns, so that what else the disk does meanwhile is in all. */
    for (int round = 0; round < ROUNDS; round += 1) {
        direct += measure(write_directly) / ROUNDS;
        waiting += measure(wait_for_each) / ROUNDS;
        in_flight += measure(keep_some_in_flight) / ROUNDS;
    }
    printf("{\"threads\": %d, \"direct\": %.0f, \"waiting\": %.0f, \"in_flight\": %.0f}\n", THREADS, direct, waiting,
           in_flight);
    check(corm_queue_close(queue, &error));
    check(corm_database_close(db, &error));
    return 0;
}
