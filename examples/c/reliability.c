/* Files that one does not trust, and what is left of damaged ones. */
#include <cormorant.h>

#include <inttypes.h>
#include <stdio.h>

static void show(const corm_repaired_table *table, void *context) {
    (void)context;
    printf("%s: %" PRId64 " rows, %" PRId64 " lost, with %" PRId64 " pages\n", table->name, table->rows,
           table->lost_rows, table->lost_pages);
}

static corm_status read_what_others_sent(const char *path, corm_error **error) {
    corm_database *db = NULL;
    corm_status status =
        corm_database_open(path, CORM_OPEN(.mode = CORM_OPEN_READ_ONLY, .untrusted = true), &db, error);
    corm_database_close(db, NULL);
    return status;
}

/* On a thread of the library's own. */
static void tell(const corm_damage *damage, void *context) {
    (void)context;
    fprintf(stderr, "%s, page %" PRIu32 ": %s (%s)\n", damage->path, damage->page, damage->message, damage->hint);
}

static corm_status open_watchfully(const char *path, corm_database **db, corm_error **error) {
    return corm_database_open(path, CORM_OPEN(.keep_schema = true, .damaged = tell), db, error);
}

static corm_status save_what_is_left(const char *path, const char *new_path, corm_error **error) {
    corm_repair_options options = CORM_REPAIR_OPTIONS_INIT;
    options.repaired = show;
    int64_t found = 0;
    corm_status status = corm_database_repair(path, new_path, &options, NULL, &found, error);
    printf("rows without a table: %" PRId64 "\n", found);
    return status;
}

int main(void) {
    const char *const path = "reliability.db";
    const char *const new_path = "reliability-repaired.db";
    corm_error *error = NULL;
    corm_database *db = NULL;
    remove(path);
    remove(new_path);
    corm_status status = open_watchfully(path, &db, &error);
    if (status == CORM_OK)
        status =
            corm_database_execute_script(db, "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('a')", &error);
    corm_database_close(db, NULL);
    if (status == CORM_OK)
        status = read_what_others_sent(path, &error);
    if (status == CORM_OK)
        status = save_what_is_left(path, new_path, &error);
    if (status != CORM_OK)
        fprintf(stderr, "%s\n", corm_error_message(error));
    corm_error_free(error);
    remove(path);
    remove(new_path);
    remove("reliability.db-corm-schema");
    return status == CORM_OK ? 0 : 1;
}
