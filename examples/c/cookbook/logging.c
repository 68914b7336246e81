/* Errors and slow statements in a log. */
#include "../music.h"

/* A line of all that an error says. */
static void log_error(FILE *log, const corm_error *error) {
    const corm_error_info *info = corm_error_info_get(error);
    fprintf(log, "%s: %s", corm_status_name(corm_error_code(error)), corm_error_message(error));
    if (corm_error_hint(error) != NULL)
        fprintf(log, " (%s)", corm_error_hint(error));
    for (size_t i = 0; i < info->column_count; i++)
        fprintf(log, " %s.%s", info->table, info->columns[i]);
    if (info->sql != NULL)
        fprintf(log, " [%s]", info->sql);
    fprintf(log, "\n");
}

/* A mistake of the program's own, also of a call that is given no out_error. */
static void log_misuse(const corm_error *error, void *context) { log_error(context, error); }

/* On the thread that has run the statement, after it: a program that only watches leaves this off. */
static void log_slow(const char *sql, int64_t nanoseconds, void *context) {
    if (nanoseconds > INT64_C(1000000))
        fprintf(context, "slow: %s\n", sql);
}

/* The ends of a write that the program has an answer to: an enum, so that the compiler tells of one that a switch forgets. */
enum ending { ADDED = CORM_OK, TAKEN = CORM_E_UNIQUE, BUSY = CORM_E_BUSY };

static const char *answer_to(corm_status status) {
    switch ((enum ending)status) {
    case ADDED:
        return "is added";
    case TAKEN:
        return "is there already";
    case BUSY:
        return "can be added later";
    }
    return "cannot be added";
}

/* What can be tried again is busy; what a caller did wrong is a constraint; all else is for the log. */
static bool add(app *a, artist *one) {
    corm_status status = corm_record_insert(a->db, a->artists, one, CORM_CONFLICT_ABORT, NULL, &a->error);
    printf("%s %s\n", one->name, answer_to(status));
    if (status == CORM_OK)
        return true;
    log_error(stdout, a->error);
    corm_error_free(a->error);
    a->error = NULL;
    return status == CORM_E_UNIQUE;
}

static bool wait_long(app *a) {
    return corm_database_set_trace(a->db, log_slow, stdout, &a->error) == CORM_OK &&
           corm_database_execute(a->db,
                                 "CREATE TABLE number AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
                                 "n WHERE i < 100000) "
                                 "SELECT i FROM n",
                                 NULL, 0, NULL, &a->error) == CORM_OK &&
           corm_database_set_trace(a->db, NULL, NULL, &a->error) == CORM_OK;
}

int main(void) {
    app a = {0};
    corm_misuse_set_log(log_misuse, stdout);
    corm_database_execute(NULL, "SELECT 1", CORM_NO_VALUES, NULL, NULL);
    return close_music(&a, open_music(&a) && add(&a, &(artist){.name = "Nina"}) && wait_long(&a));
}
