/* Opens the files whose paths come, a line each, as untrusted ones and reads all of them; answers a line each. For test_hostile_files.py. */
#include <cormorant.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static corm_database *current;
static int64_t deadline;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Ends what takes longer than 0.3 seconds. */
static void *watch(void *unused) {
    (void)unused;
    for (;;) {
        usleep(20000);
        pthread_mutex_lock(&lock);
        if (current != NULL && --deadline < 0)
            corm_database_interrupt(current);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void set_current(corm_database *database) {
    pthread_mutex_lock(&lock);
    current = database;
    deadline = 15;
    pthread_mutex_unlock(&lock);
}

static corm_status read_all(corm_database *database, const char *sql, int64_t limit, int64_t *out_rows) {
    corm_result *result;
    corm_status status = corm_result_open(database, sql, CORM_NO_VALUES, &result, NULL);
    if (status < 0)
        return status;
    while (limit-- > 0 && (status = corm_result_next(result, NULL)) == CORM_ROW) {
        *out_rows += 1;
        for (size_t column = 0; column < corm_result_column_count(result); column += 1) {
            corm_value value;
            if (corm_result_get(result, column, &value, NULL) < 0)
                break;
        }
    }
    corm_result_close(result);
    return status;
}

static void look(const char *path) {
    corm_database *database;
    corm_schema *schema = NULL;
    corm_metadata *metadata = NULL;
    corm_error *error = NULL;
    int64_t rows = 0;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.untrusted = true;
    options.reader_count = -1;
    corm_status status = corm_database_open(path, &options, &database, &error);
    if (status < 0) {
        printf("refused %s\n", corm_status_name(status));
        corm_error_free(error);
        return;
    }
    set_current(database);
    corm_schema_read(database, &schema, NULL);
    corm_schema_free(schema);
    corm_metadata_read(database, &metadata, NULL);
    corm_metadata_free(metadata);
    read_all(database, "PRAGMA integrity_check(20)", 100, &rows);
    corm_result *tables;
    if (corm_result_open(database, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') LIMIT 8",
                         CORM_NO_VALUES, &tables, NULL) >= 0) {
        while (corm_result_next(tables, NULL) == CORM_ROW) {
            char sql[1200];
            const char *name = corm_result_text(tables, 0);
            if (name == NULL || strlen(name) > 500)
                continue;
            size_t size = (size_t)snprintf(sql, sizeof sql, "SELECT * FROM \"");
            for (; *name != 0; name += 1) {
                if (*name == '"')
                    sql[size++] = '"';
                sql[size++] = *name;
            }
            strcpy(sql + size, "\"");
            set_current(database);
            read_all(database, sql, 1000, &rows);
        }
        corm_result_close(tables);
    }
    set_current(database);
    corm_database_execute_script(database, "CREATE TABLE IF NOT EXISTS ours (x); INSERT INTO ours VALUES (1)", NULL);
    set_current(NULL);
    status = corm_database_close(database, NULL);
    printf("read %lld rows %s\n", (long long)rows, corm_status_name(status));
}

int main(void) {
    char path[1000];
    pthread_t watcher;
    pthread_create(&watcher, NULL, watch, NULL);
    while (fgets(path, sizeof path, stdin) != NULL) {
        path[strcspn(path, "\n")] = 0;
        look(path);
        fflush(stdout);
    }
    return 0;
}
