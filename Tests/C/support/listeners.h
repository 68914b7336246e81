/* What the tests of observers share: a listener that counts, and persons whose table asks for a name only. */
#ifndef LISTENERS_H
#define LISTENERS_H

#include "support.h"

#include <stdatomic.h>

typedef struct listener {
    corm_observer *observer;
    atomic_int events;
    atomic_int foreign;
    atomic_int released;
    atomic_bool holds;
    int64_t rows;
    char changes[512];
} listener;

int set_up_people(void **state);

#undef TEST
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_people, tear_down)

/* Begins a watch that has the listener as its context. */
void listen_to(corm_observe_options options, listener *told, corm_observer_callback callback);
void count(corm_event *event, corm_error *error, void *context);
/* Waits until the number is as great; false after ten seconds. */
bool comes(atomic_int *number, int least);

#endif
