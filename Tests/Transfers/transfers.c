/* Moves money between the accounts of a file in two threads while two others look; see run. */
#include <cormorant.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ACCOUNTS 50
#define TOTAL 50000

static corm_database *db;
static int64_t worker;

static void fail(const char *what, corm_error *error) {
    fprintf(stderr, "C: %s: %s\n", what, error ? corm_error_message(error) : "");
    exit(1);
}

static bool execute(const char *sql, int64_t first, int64_t second, corm_error **error) {
    return corm_database_execute(db, sql, CORM_VALUES(corm_value_int64(first), corm_value_int64(second)), NULL,
                                 error) == CORM_OK;
}

static bool move_money(int64_t id, int64_t from, int64_t to, int64_t amount, corm_error **error) {
    if (corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, error) != CORM_OK)
        return false;
    bool done = execute("UPDATE account SET balance = balance - ? WHERE id = ?", amount, from, error) &&
                execute("UPDATE account SET balance = balance + ? WHERE id = ?", amount, to, error) &&
                corm_database_execute(db, "INSERT INTO transfer VALUES (?, ?, ?, ?)",
                                      CORM_VALUES(corm_value_int64(id), corm_value_int64(from), corm_value_int64(to),
                                                  corm_value_int64(amount)),
                                      NULL, error) == CORM_OK;
    if (done && corm_transaction_commit(db, error) == CORM_OK)
        return true;
    corm_transaction_rollback(db, NULL);
    return false;
}

static void *write_always(void *number) {
    unsigned seed = (unsigned)(worker * 7 + (intptr_t)number);
    for (int64_t round = 1;; round += 1) {
        int64_t id = worker * 1000000000 + (intptr_t)number * 100000000 + round;
        int64_t from = rand_r(&seed) % ACCOUNTS + 1, to = rand_r(&seed) % ACCOUNTS + 1;
        corm_error *error = NULL;
        char line[32];
        if (!move_money(id, from, to, rand_r(&seed) % 100, &error)) {
            if (corm_error_code(error) != CORM_E_BUSY)
                fail("a transfer", error);
            corm_error_free(error);
        } else if (write(1, line, (size_t)snprintf(line, sizeof line, "%lld\n", (long long)id)) < 0) {
            exit(0);
        }
    }
    return NULL;
}

static int64_t sum(const char *sql) {
    corm_result *result;
    corm_value value = {0};
    corm_error *error = NULL;
    if (corm_result_open(db, sql, CORM_NO_VALUES, &result, &error) != CORM_OK ||
        corm_result_next(result, &error) != CORM_ROW || corm_result_get(result, 0, &value, &error) != CORM_OK)
        fail("a read", error);
    corm_result_close(result);
    return value.as.integer;
}

static void *read_always(void *in_transaction) {
    for (;;) {
        corm_error *error = NULL;
        if (in_transaction == NULL) {
            if (sum("SELECT sum(balance) FROM account") != TOTAL)
                fail("a sum differs", NULL);
            continue;
        }
        if (corm_transaction_begin(db, CORM_TRANSACTION_READ, &error) != CORM_OK)
            fail("a snapshot", error);
        int64_t low = sum("SELECT sum(balance) FROM account WHERE id <= 25"),
                count = sum("SELECT count(*) FROM transfer");
        usleep(1000);
        if (low + sum("SELECT sum(balance) FROM account WHERE id > 25") != TOTAL)
            fail("the sum of a snapshot differs", NULL);
        if (sum("SELECT count(*) FROM transfer") != count)
            fail("a snapshot changes", NULL);
        if (corm_transaction_commit(db, &error) != CORM_OK)
            fail("the end of a snapshot", error);
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[4];
    corm_error *error = NULL;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    if (count != 3)
        return 2;
    worker = atoll(arguments[2]);
    options.busy_timeout = 30000;
    if (corm_database_open(arguments[1], &options, &db, &error) != CORM_OK)
        fail("opening", error);
    pthread_create(&threads[0], NULL, write_always, (void *)1);
    pthread_create(&threads[1], NULL, write_always, (void *)2);
    pthread_create(&threads[2], NULL, read_always, NULL);
    pthread_create(&threads[3], NULL, read_always, (void *)1);
    pthread_join(threads[0], NULL);
    return 0;
}
