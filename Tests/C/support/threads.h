/* What the tests of threads share: checks that work on any thread, and functions that run on one of their own. */
#ifndef THREADS_H
#define THREADS_H

#include "support.h"

#include <pthread.h>
#include <time.h>

/* cmocka's checks work on the main thread only, so threads count what goes wrong. */
extern int mistakes;
void check_at(bool good, const char *what, int line);
#define CHECK(good) check_at(good, #good, __LINE__)

void wait_milliseconds(long time);

/* Runs a function on a thread of its own, and waits for it. No mistake may be made in it. */
void on_thread(void (*work)(void));
/* The same, but at once for so many threads; they run beside the caller until `join_threads`. */
void start_threads(void *(*work)(void *), int count);
void join_threads(void);

/* The number that a SELECT gives, on any thread; -1 when it fails. */
int64_t select_number(const char *sql);
bool execute(const char *sql);

#endif
