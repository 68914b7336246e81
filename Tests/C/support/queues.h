/* What the tests of write queues share: a queue for each test, and a way to have writes wait in it. */
#ifndef QUEUES_H
#define QUEUES_H

#include "threads.h"

#include <stdatomic.h>

#define COUNT "SELECT count(*) FROM person"
#define INSERT "INSERT INTO person (name, height) VALUES ('x', 0)"

extern corm_queue *queue;
int open_queue(void **state);
int close_queue(void **state);

#undef TEST
#define TEST(function) cmocka_unit_test_setup_teardown(function, open_queue, close_queue)

/* A write, what it shall be told, how often it ran, and what it was told. */
typedef struct {
    const char *sql;
    corm_queue_body body;
    corm_status expected;
    const char *message;
    int runs;
    corm_status told;
    char text[200];
} step;

/* Runs the SQL of the step that is its context. */
corm_status run_step(corm_database *database, void *context, corm_error **error);
/* Notes what was told in the step that is its context. */
void note_step(corm_completion *completion, void *context);

/* Keeps the queue's thread inside a write until it is let go: what is added meanwhile is of that group. */
void hold_queue(void);
void let_go(void);

#endif
