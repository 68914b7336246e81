#ifndef CTHREADS_SHIM_H
#define CTHREADS_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* What Swift has no words for on all platforms that the package is for: numbers that threads share, and a record of each
   thread's own. */

#define CTHREADS_INLINE static inline __attribute__((always_inline))

CTHREADS_INLINE int64_t cthreads_load(const int64_t *_Nonnull number) {
    return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

CTHREADS_INLINE void cthreads_store(int64_t *_Nonnull number, int64_t value) {
    __atomic_store_n(number, value, __ATOMIC_SEQ_CST);
}

CTHREADS_INLINE void cthreads_store_release(int64_t *_Nonnull number, int64_t value) {
    __atomic_store_n(number, value, __ATOMIC_RELEASE);
}

/* Returns: the sum. */
CTHREADS_INLINE int64_t cthreads_add(int64_t *_Nonnull number, int64_t value) {
    return __atomic_add_fetch(number, value, __ATOMIC_SEQ_CST);
}

/* Puts `wanted` in the place of `expected`; false where it was another number. */
CTHREADS_INLINE bool cthreads_swap(int64_t *_Nonnull number, int64_t expected, int64_t wanted) {
    return __atomic_compare_exchange_n(number, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Numbers in memory that processes share. */

CTHREADS_INLINE uint32_t cthreads_shared_load(const uint32_t *_Nonnull number) {
    return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

CTHREADS_INLINE void cthreads_shared_store(uint32_t *_Nonnull number, uint32_t value) {
    __atomic_store_n(number, value, __ATOMIC_SEQ_CST);
}

CTHREADS_INLINE bool cthreads_shared_swap(uint32_t *_Nonnull number, uint32_t expected, uint32_t wanted) {
    return __atomic_compare_exchange_n(number, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Sleeps until a process wakes those who wait for one of these bits, or for so long; not at all where the number is no longer
   the one that was seen. Where the system has nothing to wake other processes by: a millisecond at most. */
static inline void cthreads_shared_wait(uint32_t *_Nonnull number, uint32_t seen, uint32_t bits, int64_t nanoseconds) {
    struct timespec end = {0};
#ifdef __linux__
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)((end.tv_nsec + nanoseconds) / 1000000000);
    end.tv_nsec = (long)((end.tv_nsec + nanoseconds) % 1000000000);
    syscall(SYS_futex, number, FUTEX_WAIT_BITSET, seen, &end, (void *)0, bits);
#else
    (void)number, (void)seen, (void)bits;
    end.tv_nsec = (long)(nanoseconds < 1000000 ? nanoseconds : 1000000);
    nanosleep(&end, 0);
#endif
}

static inline void cthreads_shared_wake(uint32_t *_Nonnull number, uint32_t bits) {
#ifdef __linux__
    syscall(SYS_futex, number, FUTEX_WAKE_BITSET, INT32_MAX, (void *)0, (void *)0, bits);
#else
    (void)number, (void)bits;
#endif
}

/* Of Swift's runtime, which a program without tasks has not loaded: the task that runs on the calling thread. */
__attribute__((weak, swiftcall)) void *_Nullable swift_task_getCurrent(void);

CTHREADS_INLINE void *_Nullable cthreads_task(void) {
    return &swift_task_getCurrent ? swift_task_getCurrent() : (void *)0;
}

typedef struct cthreads_record {
    int64_t id; /* 0 until it is given one */
    int64_t transactions;
    int32_t patience; /* above 0: waits for a reader as long as it takes */
    bool logs;        /* whether it is inside of the program's log */
} cthreads_record;

/* The calling thread's. For one function of one module alone: each module that calls this has records of its own. */
static inline cthreads_record *_Nonnull cthreads_current(void) {
    static _Thread_local cthreads_record record;
    return &record;
}

#endif
