#include "queues.h"

#include <stdio.h>

corm_queue *queue;
static atomic_bool is_held, may_go;

int open_queue(void **state) { return set_up(state) != 0 || corm_queue_open(db, NULL, &queue, NULL) != CORM_OK; }

int close_queue(void **state) {
    corm_queue_close(queue, NULL);
    return tear_down(state);
}

static corm_status hold(corm_database *database, void *context, corm_error **error) {
    (void)database, (void)context, (void)error;
    atomic_store(&is_held, true);
    while (!atomic_load(&may_go))
        wait_milliseconds(1);
    return CORM_OK;
}

void hold_queue(void) {
    atomic_store(&is_held, false);
    atomic_store(&may_go, false);
    OK(corm_queue_add(queue, hold, NULL, NULL, NULL, &failure));
    while (!atomic_load(&is_held))
        wait_milliseconds(1);
}

void let_go(void) { atomic_store(&may_go, true); }

corm_status run_step(corm_database *database, void *context, corm_error **error) {
    step *one = context;
    one->runs += 1;
    return corm_database_execute_script(database, one->sql, error);
}

void note_step(corm_completion *completion, void *context) {
    step *one = context;
    one->told = corm_completion_info_get(completion)->status;
    corm_error *error = corm_completion_info_get(completion)->error;
    snprintf(one->text, sizeof one->text, "%s", error ? corm_error_message(error) : "");
}
