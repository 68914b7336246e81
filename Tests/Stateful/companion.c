/*
 * Does what it is told, line by line, with one file, for test_stateful.py: open PATH KEY JOURNAL, put ID NAME N, add ID N,
 * delete ID, get ID, sum, close. Or `companion PATH KEY FIRST`: writes rows to the table `other` until it is killed, and tells each that is committed.
 */
#include <cormorant.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static corm_database *database;
static corm_error *error;

static corm_status open_file(const char *path, const char *key, const char *journal) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_cipher_options cipher = CORM_CIPHER_OPTIONS_INIT;
    options.busy_timeout = 30000;
    options.journal_mode = strcmp(journal, "delete") == 0 ? CORM_JOURNAL_DELETE : CORM_JOURNAL_WAL;
    options.synchronous = CORM_SYNCHRONOUS_FULL;
    cipher.key = key;
    cipher.key_size = strlen(key);
    if (strcmp(key, "-") != 0)
        options.cipher = &cipher;
    return corm_database_open(path, &options, &database, &error);
}

static void answer(corm_status status, const char *text) {
    if (status < 0)
        printf("error %s %s\n", corm_status_name(status), corm_error_message(error));
    else
        printf("%s\n", text);
    fflush(stdout);
    corm_error_free(error);
    error = NULL;
}

static void change(const char *sql, const corm_value *values, size_t count) {
    char text[32];
    int64_t changes = 0;
    corm_status status = corm_database_execute(database, sql, values, count, &changes, &error);
    snprintf(text, sizeof text, "%" PRId64, changes);
    answer(status, text);
}

static void ask(const char *sql, const corm_value *values, size_t count) {
    corm_result *result;
    char text[400] = "none";
    corm_status status = corm_result_open(database, sql, values, count, &result, &error);
    if (status >= 0) {
        status = corm_result_next(result, &error);
        if (status == CORM_ROW)
            snprintf(text, sizeof text, "%s", corm_result_text(result, 0));
        corm_result_close(result);
    }
    answer(status, text);
}

static int write_on(const char *first_text) {
    for (int64_t number = atoll(first_text);; number += 1) {
        corm_status status = corm_database_execute(database, "INSERT INTO other VALUES (?)",
                                                   CORM_VALUES(corm_value_int64(number)), NULL, &error);
        if (status < 0 && status != CORM_E_BUSY) {
            fprintf(stderr, "%s\n", corm_error_message(error));
            return 1;
        }
        if (status >= 0) {
            printf("%" PRId64 "\n", number);
            fflush(stdout);
        }
        usleep(500);
    }
}

int main(int count, char **arguments) {
    static char line[2000], word[4][600];
    if (count == 4)
        return open_file(arguments[1], arguments[2], "wal") < 0 ? 1 : write_on(arguments[3]);
    while (fgets(line, sizeof line, stdin) != NULL) {
        memset(word, 0, sizeof word);
        sscanf(line, "%599s %599s %599s %599s", word[0], word[1], word[2], word[3]);
        int64_t id = atoll(word[1]);
        if (strcmp(word[0], "open") == 0)
            answer(open_file(word[1], word[2], word[3]), "ok");
        else if (strcmp(word[0], "put") == 0)
            change("INSERT INTO item (id, name, n) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = "
                   "excluded.name, n = excluded.n",
                   CORM_VALUES(corm_value_int64(id), corm_value_text(word[2]), corm_value_int64(atoll(word[3]))));
        else if (strcmp(word[0], "add") == 0)
            change("UPDATE item SET n = n + ? WHERE id = ?",
                   CORM_VALUES(corm_value_int64(atoll(word[2])), corm_value_int64(id)));
        else if (strcmp(word[0], "delete") == 0)
            change("DELETE FROM item WHERE id = ?", CORM_VALUES(corm_value_int64(id)));
        else if (strcmp(word[0], "get") == 0)
            ask("SELECT CAST(n AS TEXT) || ' ' || name FROM item WHERE id = ?", CORM_VALUES(corm_value_int64(id)));
        else if (strcmp(word[0], "sum") == 0)
            ask("SELECT CAST(count(*) AS TEXT) || ' ' || CAST(coalesce(sum(n), 0) AS TEXT) FROM item", CORM_NO_VALUES);
        else
            answer(corm_database_close(database, &error), "ok");
    }
    return 0;
}
