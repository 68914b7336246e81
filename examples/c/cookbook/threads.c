/* One database and many threads: the handle is shared, what a thread has begun is its own. */
#include "../music.h"

#include <pthread.h>

enum { THREADS = 4, EACH = 250 };

typedef struct worker {
    app *a;
    int number;
    corm_error *error;
} worker;

/* Each thread has its own error, its own arena where it needs one, and its own transactions. */
static void *work(void *context) {
    worker *w = context;
    for (int i = 0; w->error == NULL && i < EACH; i++) {
        char name[32];
        snprintf(name, sizeof name, "artist %d of %d", i, w->number);
        artist one = {.name = name};
        corm_record_insert(w->a->db, w->a->artists, &one, CORM_CONFLICT_ABORT, NULL, &w->error);
    }
    return NULL;
}

static bool share(app *a) {
    worker workers[THREADS];
    pthread_t threads[THREADS];
    int64_t count = 0;
    bool done = true;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){a, i, NULL};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        done = done && workers[i].error == NULL;
        corm_error_free(workers[i].error);
    }
    done = done && corm_query_count(a->db, a->artists, NULL, &count, &a->error) == CORM_OK;
    printf("%" PRId64 " artists\n", count);
    return done;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && share(&a));
}
