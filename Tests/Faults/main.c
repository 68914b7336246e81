/*
 * Power cuts, faults of the system and of memory, at each point of what programs do: `faults cut|io|memory`. Options choose what is
 * tried; with --point one alone, which is how a failure says that it is seen again.
 */
#define _GNU_SOURCE
#include "cuts.h"
#include "workloads.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *program, *what, *workload;
    bool only_plain, only_encrypted, only_lasting, only_once;
    /* Every how many points; 1: all. */
    unsigned every, seed, variants;
    long point;
    long variant;
} asked = {.every = 1, .seed = 1, .variants = 8, .point = -1, .variant = -1};

static char base[256];
static char work_folder[280], cut_folder[280], kept_folder[280];
static uint64_t states[MOST_STATES];
static int state_count;
static char problem[400];
static bool learning;
/* Whether the first step after the failed call was looked at. */
static bool kill_checked;

/* What is being tried, for whoever wants to see it again; read by a signal handler. */
static char now[300];
static long tried, told, unnoticed, failures;

static void say_how(int signal) {
    const char *what = signal == SIGALRM ? "hangs" : "crashes";
    char line[500];
    int size = snprintf(line, sizeof line, "%s\n  again: %s\n", what, now);
    if (write(2, line, (size_t)size) < 0)
        _exit(6);
    _exit(5);
}

static void fail(const char *what) {
    failures += 1;
    fprintf(stderr, "%s: %s\n  again: %s\n", asked.what, what, now);
    if (failures >= 20)
        exit(1);
}

static void copy_files(const char *from, const char *to) {
    static const char *const names[] = {"test.db", "test.db-wal", "test.db-journal", "copy.db"};
    empty_folder(to);
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index += 1) {
        char source[400], target[400];
        struct stat status;
        snprintf(source, sizeof source, "%s/%s", from, names[index]);
        snprintf(target, sizeof target, "%s/%s", to, names[index]);
        if (stat(source, &status) != 0)
            continue;
        size_t size;
        uint8_t *bytes = get_file(source, &size);
        put_file(target, bytes, size);
        free(bytes);
    }
}

static bool is_state(const run *run, const char *folder, int first, int last);

/* What a program was told is done is there though it be killed now, whatever failed before. */
static void check_as_killed(const run *run, const char *when, const char *seen, int last, int64_t uses) {
    char text[600];
    copy_files(work_folder, cut_folder);
    uses_found = -1;
    if (!is_state(run, cut_folder, run->done, last))
        snprintf(text, sizeof text, "%s: as killed after %s %d: %.400s", seen, when, run->done, problem);
    else if (uses_found < uses)
        snprintf(text, sizeof text, "%s: as killed after %s %d: the write is lost", seen, when, run->done);
    else
        return;
    fail(text);
}

static void learn(run *run) {
    if (!learning) {
        if (!kill_checked && strcmp(asked.what, "io") == 0 && failed_call()[0] != 0) {
            kill_checked = true;
            check_as_killed(run, "step", failed_call(), run->done, 0);
        }
        return;
    }
    if (run->done >= MOST_STATES)
        abort();
    copy_files(run->folder, cut_folder);
    states[run->done] = state_of(run, cut_folder, problem, sizeof problem);
    state_count = run->done + 1;
    if (problem[0] != 0) {
        snprintf(now, sizeof now, "%s %s --workload %s", asked.program, asked.what, run->of->name);
        fail(problem);
    }
    record_done(run->done);
}

static run begin(const workload *of, bool encrypted) {
    run made = {.encrypted = encrypted, .of = of, .when_done = learn};
    snprintf(made.folder, sizeof made.folder, "%s", work_folder);
    snprintf(made.path, sizeof made.path, "%s/test.db", made.folder);
    snprintf(made.copy, sizeof made.copy, "%s/copy.db", made.folder);
    copy_files(kept_folder, work_folder);
    return made;
}

/* Runs a workload as it should be, and learns its states. */
static recording learn_states(const workload *of, bool encrypted, bool wants_recording, long *out_calls) {
    run made = {.encrypted = encrypted, .of = of, .when_done = learn};
    snprintf(made.path, sizeof made.path, "%s/test.db", kept_folder);
    empty_folder(kept_folder);
    prepare(&made);
    made = begin(of, encrypted);
    learning = true;
    learn(&made);
    watch(work_folder);
    record(wants_recording);
    set_fault((fault){0});
    corm_status status = of->work(&made);
    if (out_calls != NULL)
        *out_calls = calls_made();
    recording recorded = stop_watching();
    learning = false;
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", of->name, corm_error_message(made.error));
        exit(4);
    }
    return recorded;
}

/* Which state the files are in, when it is one from `first` to `last`. */
static bool is_state(const run *run, const char *folder, int first, int last) {
    uint64_t found = state_of(run, folder, problem, sizeof problem);
    if (problem[0] != 0)
        return false;
    for (int state = first; state <= last && state < state_count; state += 1)
        if (states[state] == found)
            return true;
    int known = -1;
    for (int state = 0; state < state_count; state += 1)
        if (states[state] == found)
            known = state;
    snprintf(problem, sizeof problem, "the file is in %s, not in one of %d to %d",
             known < 0       ? "no state that was ever reached"
             : known < first ? "an earlier state"
                             : "a later state",
             first, last);
    return false;
}

static unsigned place_of_first(size_t of) { return (unsigned)((asked.seed * 7919u + of * 31u) % asked.every); }

/* ------------------------------------------------------------------------------------------------------------------ */

/* A cut in the recovery from a cut: reading begins with it. */
static void cut_again(run *run, int first, int last, unsigned variant) {
    copy_files(cut_folder, work_folder);
    watch(work_folder);
    record(true);
    state_of(run, work_folder, problem, sizeof problem);
    recording second = stop_watching();
    for (size_t count = 0; count <= second.count; count += second.count / 4 + 1) {
        empty_folder(cut_folder);
        put_cut(&second, count, variant + (unsigned)count, asked.seed, cut_folder);
        tried += 1;
        if (!is_state(run, cut_folder, first, last)) {
            char text[600];
            snprintf(text, sizeof text, "after a second cut, in the recovery (%zu of %zu): %s", count, second.count,
                     problem);
            fail(text);
        }
    }
    free_recording(&second);
}

static void cut(const workload *of, bool encrypted) {
    recording recorded = learn_states(of, encrypted, true, NULL);
    run run = begin(of, encrypted);
    bool lasts = of->synchronous != CORM_SYNCHRONOUS_NORMAL;
    /* A deleted journal comes back with the transaction before, unless its folder is synced. */
    int slack = of->synchronous == CORM_SYNCHRONOUS_FULL && of->mode == CORM_JOURNAL_DELETE ? 1 : 0;
    int reached = 0;
    for (size_t count = 0; count <= recorded.count; count += 1) {
        if (count > 0 && recorded.events[count - 1].kind == DONE)
            reached = recorded.events[count - 1].file;
        bool chosen = asked.point >= 0 ? (long)count == asked.point : count % asked.every == place_of_first(0);
        for (unsigned variant = 0; chosen && variant < asked.variants; variant += 1) {
            if (asked.variant >= 0)
                variant = (unsigned)asked.variant;
            snprintf(now, sizeof now, "%s cut --workload %s %s --seed %u --point %zu --variant %u", asked.program,
                     of->name, encrypted ? "--encrypted" : "--plain", asked.seed, count, variant);
            int first = lasts ? (reached > slack ? reached - slack : 0) : 0, last = reached + 1;
            empty_folder(cut_folder);
            put_cut(&recorded, count, variant, asked.seed, cut_folder);
            alarm(60);
            tried += 1;
            if (!is_state(&run, cut_folder, first, last)) {
                char text[500];
                snprintf(text, sizeof text, "%.400s", problem);
                fail(text);
            } else if (variant >= FIXED_VARIANTS && (variant + count) % 3 == 0) {
                empty_folder(cut_folder);
                put_cut(&recorded, count, variant, asked.seed, cut_folder);
                cut_again(&run, first, last, variant);
            }
            if (asked.variant >= 0)
                break;
        }
    }
    free_recording(&recorded);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* sqlite3_mem_methods */
typedef struct methods {
    void *(*allocate)(int);
    void (*release)(void *);
    void *(*resize)(void *, int);
    int (*size)(void *);
    int (*round)(int);
    int (*begin)(void *);
    void (*end)(void *);
    void *data;
} methods;

static methods real;
static fault memory_plan;
static long allocations;

static bool refuses(void) {
    long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return memory_plan.at != 0 && (number == memory_plan.at || (memory_plan.lasts && number > memory_plan.at));
}

static void *allocate(int size) { return refuses() ? NULL : real.allocate(size); }
static void *resize(void *memory, int size) { return refuses() ? NULL : real.resize(memory, size); }

static bool catch_allocations(void) {
    /* Before SQLite's first use. */
    int (*configure)(int, ...) = (int (*)(int, ...))dlsym(RTLD_DEFAULT, "sqlite3_config");
    int (*start)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "sqlite3_initialize");
    int (*stop)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "sqlite3_shutdown");
    if (configure == NULL || start() != 0 || stop() != 0 || configure(5, &real) != 0)
        return false;
    methods failing = real;
    failing.allocate = allocate;
    failing.resize = resize;
    return configure(4, &failing) == 0;
}

static void set_memory_fault(fault wanted) {
    memory_plan = wanted;
    allocations = 0;
}

/* What a fault may leave beside the files: nothing. */
static bool left_something(const run *run, char *out, size_t size) {
    static const char *const suffixes[] = {
        "test.db-corm-new", "test.db-corm-new-journal", "test.db-corm-new-wal", "test.db-corm-new-lock",
        "copy.db-corm-new", "copy.db-corm-new-journal", "copy.db-corm-new-wal", "copy.db-corm-new-lock"};
    for (size_t index = 0; index < sizeof suffixes / sizeof suffixes[0]; index += 1) {
        snprintf(out, size, "%s/%s", run->folder, suffixes[index]);
        if (access(out, F_OK) == 0) {
            snprintf(out, size, "%s is left over", suffixes[index]);
            return true;
        }
    }
    return false;
}

static void one_fault(const workload *of, bool encrypted, bool of_memory, fault fault) {
    run run = begin(of, encrypted);
    char text[700], seen[160] = "";
    snprintf(now, sizeof now, "%s %s --workload %s %s --seed %u --point %ld %s", asked.program, asked.what, of->name,
             encrypted ? "--encrypted" : "--plain", fault.choice, fault.at, fault.lasts ? "--lasting" : "--once");
    alarm(60);
    /* With all calls failing the files cannot be copied. */
    kill_checked = fault.lasts;
    watch(work_folder);
    if (of_memory)
        set_memory_fault(fault);
    else
        set_fault(fault);
    corm_status status = of->work(&run);
    if (of_memory) {
        snprintf(seen, sizeof seen, "allocation %ld", fault.at);
        set_memory_fault((struct fault){0});
    } else {
        snprintf(seen, sizeof seen, "%s", failed_call());
    }
    stop_watching();
    tried += 1;
    *(status < 0 ? &told : &unnoticed) += 1;
    if (asked.point >= 0)
        fprintf(stderr, "%s: %s\n", seen, status < 0 ? corm_error_message(run.error) : "unnoticed");
    if (status < 0 &&
        (run.error == NULL || corm_error_code(run.error) != status || strlen(corm_error_message(run.error)) == 0)) {
        snprintf(text, sizeof text, "%s: status %d has no error of its own", seen, status);
        fail(text);
    }
    if (of_memory && status < 0 && status != CORM_E_NO_MEMORY && status != CORM_E_CANNOT_OPEN && status != CORM_E_SQL) {
        snprintf(text, sizeof text, "%s: is told as %s: %s", seen, corm_status_name(status),
                 corm_error_message(run.error));
        fail(text);
    }
    /* What was written by half is not what somebody altered. */
    if (strncmp(seen, "write", 5) == 0 && (status == CORM_E_ALTERED || status == CORM_E_WRONG_KEY)) {
        snprintf(text, sizeof text, "%s: is told as %s: %s", seen, corm_status_name(status),
                 corm_error_message(run.error));
        fail(text);
    }
    if (status >= 0 && run.done != state_count - 1)
        fail("the work ended early, without an error");
    corm_error_free(run.error);
    run.error = NULL;
    if (run.db != NULL) {
        /* The handle is as good as before; that a transaction could not be ended is told once. */
        corm_status used = use(&run);
        if (used == CORM_E_TRANSACTION) {
            corm_error_free(run.error);
            run.error = NULL;
            used = use(&run);
        }
        if (used < 0) {
            snprintf(text, sizeof text, "%s: the handle cannot be used afterwards: %s", seen,
                     corm_error_message(run.error));
            fail(text);
            corm_error_free(run.error);
            run.error = NULL;
        } else if (!of_memory) {
            check_as_killed(&run, "a write behind step", seen, run.done + 1, 1);
        }
        if (corm_database_close(run.db, &run.error) < 0) {
            snprintf(text, sizeof text, "%s: the handle cannot be closed: %s", seen, corm_error_message(run.error));
            fail(text);
        }
    }
    corm_error_free(run.error);
    if (!is_state(&run, work_folder, run.done, run.done + 1)) {
        snprintf(text, sizeof text, "%s: %.400s", seen, problem);
        fail(text);
    }
    /* Unless what failed, or all that came after, was what takes it away. */
    if (!fault.lasts && strncmp(seen, "unlink", 6) != 0 && left_something(&run, problem, sizeof problem)) {
        snprintf(text, sizeof text, "%s: %.400s", seen, problem);
        fail(text);
    }
}

static void faults(const workload *of, bool encrypted, bool of_memory) {
    long calls = 0;
    set_memory_fault((fault){0});
    recording none = learn_states(of, encrypted, false, &calls);
    free_recording(&none);
    if (of_memory) {
        run run = begin(of, encrypted);
        set_memory_fault((fault){0});
        of->work(&run);
        calls = allocations;
    }
    for (long at = 1; at <= calls; at += 1) {
        if (asked.point >= 0 ? at != asked.point
                             : (unsigned)at % asked.every != place_of_first((size_t)(of - workloads)))
            continue;
        for (int lasts = 0; lasts < 2; lasts += 1) {
            if (lasts ? asked.only_once : asked.only_lasting)
                continue;
            unsigned choice = asked.point >= 0 ? asked.seed : asked.seed + (unsigned)at;
            one_fault(of, encrypted, of_memory, (fault){.at = at, .lasts = lasts, .choice = choice});
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int usage(void) {
    fprintf(stderr, "usage: faults cut|io|memory [--workload NAME] [--plain|--encrypted] [--every N] [--variants N] "
                    "[--seed N] [--once|--lasting] [--point N [--variant N]]\n");
    return 2;
}

static bool parse(int count, char **arguments) {
    if (count < 2)
        return false;
    asked.program = arguments[0];
    asked.what = arguments[1];
    for (int index = 2; index < count; index += 1) {
        const char *option = arguments[index];
        if (strcmp(option, "--plain") == 0)
            asked.only_plain = true;
        else if (strcmp(option, "--encrypted") == 0)
            asked.only_encrypted = true;
        else if (strcmp(option, "--once") == 0)
            asked.only_once = true;
        else if (strcmp(option, "--lasting") == 0)
            asked.only_lasting = true;
        else if (index + 1 == count)
            return false;
        else if (strcmp(option, "--workload") == 0)
            asked.workload = arguments[++index];
        else if (strcmp(option, "--every") == 0)
            asked.every = (unsigned)atoi(arguments[++index]);
        else if (strcmp(option, "--variants") == 0)
            asked.variants = (unsigned)atoi(arguments[++index]);
        else if (strcmp(option, "--seed") == 0)
            asked.seed = (unsigned)atoi(arguments[++index]);
        else if (strcmp(option, "--point") == 0)
            asked.point = atol(arguments[++index]);
        else if (strcmp(option, "--variant") == 0)
            asked.variant = atol(arguments[++index]);
        else
            return false;
    }
    return asked.every > 0;
}

int main(int count, char **arguments) {
    if (!parse(count, arguments))
        return usage();
    bool of_memory = strcmp(asked.what, "memory") == 0, of_disk = strcmp(asked.what, "io") == 0;
    if (!of_memory && !of_disk && strcmp(asked.what, "cut") != 0)
        return usage();
    if (of_memory && !catch_allocations())
        return 4;
    const char *parent = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/corm-faults-XXXXXX", parent == NULL ? "/tmp" : parent);
    if (mkdtemp(base) == NULL)
        return 4;
    snprintf(work_folder, sizeof work_folder, "%s/work", base);
    snprintf(cut_folder, sizeof cut_folder, "%s/cut", base);
    snprintf(kept_folder, sizeof kept_folder, "%s/kept", base);
    mkdir(work_folder, 0700);
    mkdir(cut_folder, 0700);
    mkdir(kept_folder, 0700);
    for (int number = SIGILL; number <= SIGSEGV; number += 1)
        if (number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGSEGV)
            signal(number, say_how);
    signal(SIGALRM, say_how);
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    int worked = 0;
    for (size_t index = 0; index < workload_count; index += 1) {
        if (asked.workload != NULL && strcmp(asked.workload, workloads[index].name) != 0)
            continue;
        for (int encrypted = 0; encrypted < 2; encrypted += 1) {
            if (encrypted ? asked.only_plain : asked.only_encrypted)
                continue;
            worked += 1;
            if (of_memory || of_disk)
                faults(&workloads[index], encrypted, of_memory);
            else
                cut(&workloads[index], encrypted);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    const char *const folders[] = {work_folder, cut_folder, kept_folder};
    for (size_t index = 0; index < 3; index += 1) {
        empty_folder(folders[index]);
        rmdir(folders[index]);
    }
    rmdir(base);
    printf("%s: %d workloads, %ld runs",
           of_memory ? "allocations that fail"
           : of_disk ? "system calls that fail"
                     : "power cuts",
           worked, tried);
    if (of_memory || of_disk)
        printf(" (%ld errors, %ld without effect)", told, unnoticed);
    printf(", %ld failures, %.1f s\n", failures,
           (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9);
    return failures > 0 || worked == 0 || tried == 0;
}
