/* Loaded into the process of test_memory_deaths.py: makes an allocation of the library's own fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uintptr_t begin, end;
static long counted, chosen;
static void *(*real_malloc)(size_t), *(*real_realloc)(void *, size_t);
static int (*real_aligned)(void **, size_t, size_t);

static int find(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (strstr(info->dlpi_name, "libcormorant") == NULL)
        return 0;
    for (int index = 0; index < info->dlpi_phnum; index += 1) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        begin = info->dlpi_addr + part->p_vaddr;
        end = begin + part->p_memsz;
    }
    return 1;
}

/* From the call that is made next, the one of this number fails, and all behind it; 0: none does. */
void fail_allocation(long number) {
    if (begin == 0)
        dl_iterate_phdr(find, NULL);
    counted = 0;
    chosen = number;
}

long allocations(void) { return counted; }

static int told;

static void tell(int number) {
    /* Whatever is called here must be safe in a signal handler; the process ends by the same signal behind it. */
    if (write(told, "!", 1) != 1)
        _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

/* What a program does that is to be told before the end: writes "!" to the descriptor. */
void tell_end(int descriptor) {
    struct sigaction action = {.sa_handler = tell};
    told = descriptor;
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
}

static int fails(const void *caller) {
    if (chosen == 0 || (uintptr_t)caller < begin || (uintptr_t)caller >= end)
        return 0;
    return __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED) >= chosen;
}

#define REAL(name, function)                                                                                           \
    if (name == NULL)                                                                                                  \
    *(void **)&name = dlsym(RTLD_NEXT, function)

void *malloc(size_t size) {
    REAL(real_malloc, "malloc");
    return fails(__builtin_return_address(0)) ? NULL : real_malloc(size);
}

void *realloc(void *memory, size_t size) {
    REAL(real_realloc, "realloc");
    return fails(__builtin_return_address(0)) ? NULL : real_realloc(memory, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    REAL(real_aligned, "posix_memalign");
    return fails(__builtin_return_address(0)) ? 12 : real_aligned(out, alignment, size);
}
