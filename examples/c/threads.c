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
    return close_music(&a, open_music(&a) && snapshot(&a) && limit(&a));
}
