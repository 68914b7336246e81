#include "listeners.h"

#include <unistd.h>

int set_up_people(void **state) {
    if (set_up(state) != 0)
        return -1;
    OK(corm_database_execute_script(
        db,
        "DROP TABLE person; CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER,"
        "height REAL NOT NULL DEFAULT 1)",
        &failure));
    return 0;
}

static void release(void *context) { atomic_fetch_add(&((listener *)context)->released, 1); }

void count(corm_event *event, corm_error *error, void *context) {
    listener *told = context;
    assert_null(error);
    if (corm_event_info_get(event)->is_foreign)
        atomic_fetch_add(&told->foreign, 1);
    atomic_fetch_add(&told->events, 1);
}

void listen_to(corm_observe_options options, listener *told, corm_observer_callback callback) {
    options.struct_size = sizeof options;
    options.callback = callback;
    options.context = told;
    options.release = release;
    OK(corm_observer_open(db, &options, &told->observer, &failure));
}

bool comes(atomic_int *number, int least) {
    for (int64_t until = milliseconds() + 10000; milliseconds() < until; usleep(500))
        if (atomic_load(number) >= least)
            return true;
    return false;
}
