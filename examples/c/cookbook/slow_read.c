/* A slow query beside an event loop, on a thread of the library's. */
#include "../music.h"

#include <poll.h>

/* What is asked, and what comes: the loop's again once it is told. */
typedef struct question {
    const corm_model *albums;
    corm_records *found;
} question;

/* On the queue's thread. */
static corm_status answer(corm_database *reader, void *context, corm_error **error) {
    question *q = context;
    return corm_query_fetch(reader, q->albums, CORM_QUERY(.order_by = "-year, title"), &q->found, error);
}

static bool loop(app *a, corm_queue *reads, corm_listener *listener) {
    question q = {.albums = a->albums};
    corm_completion *completion = NULL;
    struct pollfd answers = {.events = POLLIN};
    bool done = corm_listener_descriptor(listener, &answers.fd, &a->error) == CORM_OK &&
                corm_queue_add(reads, answer, &q, CORM_WRITE(.busy_timeout = -1), NULL, &a->error) == CORM_OK &&
                poll(&answers, 1, -1) == 1 && corm_listener_next(listener, &completion, &a->error) == CORM_ROW &&
                corm_completion_info_get(completion)->status == CORM_OK;
    printf("%zu albums\n", corm_records_count(q.found));
    corm_completion_free(completion);
    corm_records_free(q.found);
    return done;
}

/* A handle of its own, which only reads: in WAL mode its queue holds no write up. */
static bool ask(app *a, const char *path) {
    corm_database *reader = NULL;
    corm_queue *reads = NULL;
    corm_listener *listener = NULL;
    bool done = corm_database_open(path, CORM_OPEN(.mode = CORM_OPEN_READ_ONLY), &reader, &a->error) == CORM_OK &&
                corm_queue_open(reader, NULL, &reads, &a->error) == CORM_OK &&
                corm_listener_open(reads, NULL, &listener, &a->error) == CORM_OK && loop(a, reads, listener);
    corm_listener_close(listener);
    corm_queue_close(reads, NULL);
    corm_database_close(reader, NULL);
    return done;
}

int main(void) {
    app a = {0};
    remove("slow_read.db");
    bool done = open_music(&a) && corm_database_backup(a.db, "slow_read.db", NULL, NULL, NULL, &a.error) == CORM_OK &&
                ask(&a, "slow_read.db");
    remove("slow_read.db");
    return close_music(&a, done);
}
