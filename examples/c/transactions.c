/* Transactions, and what errors say. */
#include "music.h"

/* An error says what went wrong, where, and what to do; it is the caller's to free. */
static bool refused(app *a, corm_status status) {
    if (status >= 0)
        return false;
    printf("%s: %s", corm_status_name(status), corm_error_message(a->error));
    if (corm_error_hint(a->error) != NULL)
        printf(" (%s)", corm_error_hint(a->error));
    const corm_error_info *info = corm_error_info_get(a->error);
    if (info->columns != NULL)
        printf(", column %s of %s", info->columns[0], info->table);
    if (info->record_index >= 0)
        printf(", record %" PRId64, info->record_index);
    if (info->offset >= 0)
        printf(", at byte %d of %s", info->offset, info->sql);
    printf("\n");
    corm_error_free(a->error);
    a->error = NULL;
    return true;
}

/* A transaction inside another is a savepoint. */
static bool commit(app *a) {
    artist pia = {.name = "Pia"}, quin = {.name = "Quin"};
    int64_t count = 0;
    bool done = corm_transaction_begin(a->db, CORM_TRANSACTION_IMMEDIATE, &a->error) == CORM_OK &&
                corm_record_insert(a->db, a->artists, &pia, CORM_CONFLICT_ABORT, NULL, &a->error) == CORM_OK &&
                corm_transaction_begin(a->db, CORM_TRANSACTION_IMMEDIATE, &a->error) == CORM_OK &&
                corm_record_insert(a->db, a->artists, &quin, CORM_CONFLICT_ABORT, NULL, &a->error) == CORM_OK &&
                corm_transaction_rollback(a->db, &a->error) == CORM_OK &&
                corm_transaction_commit(a->db, &a->error) == CORM_OK &&
                corm_query_count(a->db, a->artists, NULL, &count, &a->error) == CORM_OK;
    printf("%" PRId64 " artists\n", count);
    return done;
}

/* What the database refuses, and of a batch which record it was: then nothing of the batch stays. */
static bool refuse(app *a) {
    artist nina = {.name = "Nina"};
    artist two[] = {{.name = "Rae"}, {.name = "Otto"}};
    return refused(a, corm_record_insert(a->db, a->artists, &nina, CORM_CONFLICT_ABORT, NULL, &a->error)) &&
           refused(a, corm_record_insert_many(a->db, a->artists, two, 2, CORM_CONFLICT_ABORT, NULL, NULL, &a->error));
}

/* SQL that does not compile, and names that a model does not have. */
static bool misspell(app *a) {
    corm_result *rows = NULL;
    corm_records *records = NULL;
    return refused(a, corm_result_open(a->db, "SELECT title, yaer FROM album", CORM_NO_VALUES, &rows, &a->error)) &&
           refused(a, corm_query_fetch(a->db, a->albums, CORM_QUERY(.order_by = "yaer"), &records, &a->error));
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && commit(&a) && refuse(&a) && misspell(&a));
}
