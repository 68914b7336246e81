/* Watches a file, for test_watching.py: prints "number seconds" whenever the greatest number in the table
   `state` is seen to be another one, until its input ends. The first line is printed when it watches. */
#include <cormorant.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static corm_database *database;

static void tell(corm_event *event, corm_error *error, void *context) {
    (void)context;
    if (error != NULL) {
        fprintf(stderr, "%s\n", corm_error_message(error));
        return;
    }
    struct timespec now;
    const corm_value *values = corm_event_row_get(event, 0, NULL);
    if (values == NULL)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%lld %.6f\n", (long long)values[0].as.integer, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    fflush(stdout);
}

int main(int count, char **arguments) {
    corm_error *error = NULL;
    corm_observer *observer;
    corm_query query = CORM_QUERY_INIT;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    query.sql = "SELECT number FROM state";
    options.query = &query;
    options.live = true;
    options.callback = tell;
    if (count != 2 || corm_database_open(arguments[1], NULL, &database, &error) != CORM_OK ||
        corm_observer_open(database, &options, &observer, &error) != CORM_OK) {
        fprintf(stderr, "%s\n", error ? corm_error_message(error) : "give a file");
        return 1;
    }
    while (getchar() != EOF)
        ;
    corm_observer_close(observer);
    corm_database_close(database, NULL);
    return 0;
}
