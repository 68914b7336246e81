/* What programs do to a file, step by step; after each the file is in another state, by which it is known again. */
#ifndef WORKLOADS_H
#define WORKLOADS_H

#include <cormorant.h>

#define MOST_STATES 40

typedef struct run {
    /* Of the folder with the files, all of them "test.db" or a copy of it. */
    char folder[300], path[320], copy[320];
    bool encrypted;
    const struct workload *of;
    /* Open while the work goes on. */
    corm_database *db;
    corm_error *error;
    /* The states that were reached, without the one at the beginning. */
    int done;
    void (*when_done)(struct run *run);
} run;

typedef struct workload {
    const char *name;
    corm_journal_mode mode;
    /* FULL or EXTRA: what is done survives a power cut; else one of the states up to it does. */
    corm_synchronous synchronous;
    corm_status (*work)(run *run);
    /* The file's key changes. */
    bool converts;
} workload;

extern const workload workloads[];
extern const size_t workload_count;

/* Makes the file that a workload begins with. */
void prepare(run *run);
/* A number that stands for all that the files hold: which key opens each, its schema and its rows. On damage, or where no key opens
   a file, *out_problem says so. */
uint64_t state_of(const run *run, const char *folder, char *out_problem, size_t problem_size);
/* How many rows of `use` the file had of which the state was asked last. */
extern int64_t uses_found;
/* A write to the open database, and one read; nothing that changes the state. */
corm_status use(run *run);

#endif
