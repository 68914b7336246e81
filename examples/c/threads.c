/* Threads and snapshots. */
#include "music.h"

/* Reads that belong together see one state of the file, whoever writes meanwhile. */
static bool snapshot(app *a) {
    int64_t count = 0;
    corm_records *artists = NULL;
    bool done = corm_transaction_begin(a->db, CORM_TRANSACTION_READ, &a->error) == CORM_OK &&
                corm_query_count(a->db, a->artists, NULL, &count, &a->error) == CORM_OK &&
                corm_query_fetch(a->db, a->artists, NULL, &artists, &a->error) == CORM_OK &&
                corm_transaction_commit(a->db, &a->error) == CORM_OK;
    done = done && (int64_t)corm_records_count(artists) == count;
    corm_records_free(artists);
    return done;
}

/* Each connection that is opened is set up alike. */
static corm_status tune(corm_connection *connection, void *context, corm_error **out_error) {
    (void)context;
    return corm_connection_execute_script(connection, "PRAGMA cache_size = -20000", out_error);
}

static bool open_tuned(app *a) {
    corm_database *tuned = NULL;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.set_up = tune;
    return corm_database_open(":memory:", &options, &tuned, &a->error) == CORM_OK &&
           corm_database_close(tuned, &a->error) == CORM_OK;
}

/* What a thread does is cancelled by its number, from any thread; here the timer would be one. */
static bool limit(app *a) {
    int64_t me = corm_thread_id();
    corm_thread_cancel(a->db, me);
    corm_status status = corm_database_execute(a->db, "SELECT 1", CORM_NO_VALUES, NULL, NULL);
    corm_thread_resume();
    printf("%s\n", corm_status_name(status));
    return status == CORM_E_INTERRUPTED;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && snapshot(&a) && open_tuned(&a) && limit(&a));
}
