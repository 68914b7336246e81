/* Write queues: threads that share commits, batches, completions. */
#include "music.h"

/* A write: runs on the queue's thread; below zero it is rolled back alone. */
static corm_status add_artist(corm_database *db, void *context, corm_error **error) {
    app *a = context;
    artist one = {.name = "Pia"};
    return corm_record_insert(db, a->artists, &one, CORM_CONFLICT_ABORT, NULL, error);
}

/* Runs on the queue's thread, once it is certain how the write ended. */
static void told(corm_completion *completion, void *context) {
    (void)context;
    const corm_completion_info *info = corm_completion_info_get(completion);
    for (size_t index = 0; index < info->result_count; index += 1) {
        const corm_write_result *result = corm_completion_result_get(completion, index);
        printf("%s: %s\n", info->tag, result->error ? corm_error_message(result->error) : "done");
    }
}

static bool write(app *a, corm_queue *queue) {
    /* This waits until it is committed; corm_queue_add does not. */
    return corm_queue_perform(queue, add_artist, a, &a->error) == CORM_OK &&
           corm_queue_perform(queue, add_artist, a, NULL) == CORM_E_UNIQUE;
}

static bool batch(app *a, corm_queue *queue) {
    corm_batch *batch = NULL;
    bool done = corm_batch_create(queue, &batch, &a->error) == CORM_OK;
    for (int index = 0; done && index < 2; index += 1) {
        artist sam = {.name = "Sam"};
        done = corm_batch_insert(batch, a->artists, &sam, CORM_CONFLICT_ABORT, &a->error) == CORM_OK;
    }
    done = done && corm_batch_commit(batch, CORM_BATCH_CONTINUE, CORM_WRITE(.tag = "import", .callback = told), NULL,
                                     &a->error) == CORM_OK;
    corm_batch_free(batch);
    return done;
}

int main(void) {
    app a = {0};
    corm_queue *queue = NULL;
    bool done = open_music(&a) && corm_queue_open(a.db, NULL, &queue, &a.error) == CORM_OK && write(&a, queue) &&
                batch(&a, queue);
    /* Runs what waits. */
    done = corm_queue_close(queue, &a.error) == CORM_OK && done;
    return close_music(&a, done);
}
