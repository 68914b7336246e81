#define _GNU_SOURCE
#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY(digits)                                                                                                    \
    "x'" digits "2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D" digits                                \
    "0123456789ABCDEF0123456789ABCD'"

static const char *const keys[] = {NULL, KEY("11"), KEY("22")};

static corm_cipher_options cipher_of(int key) {
    corm_cipher_options cipher = CORM_CIPHER_OPTIONS_INIT;
    cipher.key = keys[key];
    cipher.key_size = strlen(keys[key]);
    cipher.sole_writer = false;
    return cipher;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        corm_status status_ = (call);                                                                                  \
        if (status_ < 0)                                                                                               \
            return status_;                                                                                            \
    } while (0)

static corm_status open_file(const run *run, const char *path, int key, corm_database **db, corm_error **error) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_cipher_options cipher;
    options.busy_timeout = -1;
    options.reader_count = -1;
    options.journal_mode = run->of->mode;
    options.synchronous = run->of->synchronous;
    if (key != 0) {
        cipher = cipher_of(key);
        options.cipher = &cipher;
    }
    TRY(corm_database_open(path, &options, db, error));
    /* So that pages are written before the transaction ends, and the log is copied now and then. */
    corm_status status =
        corm_database_execute_script(*db, "PRAGMA cache_size = 6; PRAGMA wal_autocheckpoint = 12", error);
    if (status < 0) {
        corm_database_close(*db, NULL);
        *db = NULL;
    }
    return status;
}

static corm_status start(run *run) { return open_file(run, run->path, run->encrypted ? 1 : 0, &run->db, &run->error); }

static corm_status end(run *run) {
    corm_database *db = run->db;
    run->db = NULL;
    return corm_database_close(db, &run->error);
}

static void done(run *run) {
    run->done += 1;
    run->when_done(run);
}

static corm_status number(corm_database *db, const char *sql, int64_t *out, corm_error **error) {
    corm_result *result;
    TRY(corm_result_open(db, sql, CORM_NO_VALUES, &result, error));
    corm_status status = corm_result_next(result, error);
    *out = status == CORM_ROW ? corm_result_int64(result, 0) : -1;
    corm_result_close(result);
    return status < 0 ? status : CORM_OK;
}

static corm_status transact(run *run, const char *sql) {
    TRY(corm_transaction_begin(run->db, CORM_TRANSACTION_IMMEDIATE, &run->error));
    corm_status status = corm_database_execute_script(run->db, sql, &run->error);
    if (status >= 0)
        status = corm_transaction_commit(run->db, &run->error);
    if (status < 0)
        corm_transaction_rollback(run->db, NULL);
    return status;
}

/* One transaction, in which each row has two others that belong to it; a reader who sees one sees all. */
static corm_status change(run *run, int number_of_it) {
    char sql[700];
    snprintf(sql, sizeof sql,
             "INSERT INTO t (a, b) SELECT 'round %d', hex(zeroblob(%d)) FROM t WHERE id <= 9; "
             "UPDATE t SET b = b || '%d' WHERE id %% 5 = %d; DELETE FROM t WHERE id = %d; "
             "INSERT OR REPLACE INTO sums SELECT 1, count(*), sum(length(b)) FROM t",
             number_of_it, 30 + 40 * number_of_it, number_of_it, number_of_it % 5, 20 + number_of_it);
    TRY(transact(run, sql));
    done(run);
    int64_t wrong = 0;
    TRY(number(run->db,
               "SELECT count(*) FROM sums WHERE rows <> (SELECT count(*) FROM t) OR bytes <> (SELECT "
               "sum(length(b)) FROM t)",
               &wrong, &run->error));
    if (wrong != 0) {
        fprintf(stderr, "a read gives another answer than what was committed\n");
        abort();
    }
    return CORM_OK;
}

static corm_status commits(run *run) {
    TRY(start(run));
    for (int round = 1; round <= 4; round += 1)
        TRY(change(run, round));
    if (run->of->mode == CORM_JOURNAL_WAL)
        TRY(corm_database_checkpoint(run->db, CORM_CHECKPOINT_TRUNCATE, NULL, NULL, &run->error));
    TRY(change(run, 5));
    /* One that is undone leaves nothing. */
    TRY(corm_transaction_begin(run->db, CORM_TRANSACTION_IMMEDIATE, &run->error));
    corm_status status = corm_database_execute_script(run->db, "UPDATE t SET b = 'undone' || id", &run->error);
    corm_status undone = corm_transaction_rollback(run->db, status < 0 ? NULL : &run->error);
    TRY(status);
    TRY(undone);
    TRY(change(run, 6));
    return end(run);
}

static corm_status checkpoints(run *run) {
    TRY(start(run));
    for (int32_t kind = CORM_CHECKPOINT_PASSIVE; kind <= CORM_CHECKPOINT_TRUNCATE; kind += 1) {
        TRY(change(run, kind + 1));
        TRY(corm_database_checkpoint(run->db, kind, NULL, NULL, &run->error));
        TRY(change(run, kind + 5));
    }
    return end(run);
}

typedef struct row {
    int64_t id;
    const char *a, *b;
    double c;
} row;

static corm_status synchronize_models(run *run) {
    const corm_column_def columns[] = {
        CORM_COLUMN(row, id, CORM_INT64, .primary_key = true),
        CORM_COLUMN(row, a, CORM_TEXT, .not_null = true, .check_sql = "length(a) > 0"),
        CORM_COLUMN(row, b, CORM_TEXT, .indexed = true),
        CORM_COLUMN(row, c, CORM_DOUBLE, .default_sql = "0"),
    };
    corm_model_def definition = CORM_MODEL(row, "t", columns);
    corm_model *model;
    TRY(corm_model_create(&definition, &model, &run->error));
    corm_status status = start(run);
    if (status >= 0)
        status = corm_migration_sync(run->db, &model, 1, NULL, NULL, &run->error);
    if (status >= 0)
        done(run);
    corm_model_free(model);
    TRY(status);
    TRY(change(run, 3));
    return end(run);
}

static corm_status bundle(run *run) {
    static const char *const steps[][2] = {
        {"0001", "ALTER TABLE t ADD COLUMN c; UPDATE t SET c = id * 2; CREATE INDEX t_c ON t (c)"},
        {"0002", "CREATE TABLE u (id INTEGER PRIMARY KEY, d); INSERT INTO u SELECT id, b FROM t; DROP INDEX t_b"},
        {"0003", "-- outside transaction\nVACUUM"},
    };
    corm_bundle *made;
    TRY(corm_bundle_create(NULL, &made, &run->error));
    corm_status status = CORM_OK;
    for (size_t index = 0; index < 2 && status >= 0; index += 1) {
        corm_bundle_step step = CORM_BUNDLE_STEP_INIT;
        step.id = steps[index][0];
        step.up_sql = steps[index][1];
        status = corm_bundle_add(made, &step, &run->error);
    }
    if (status >= 0)
        status = start(run);
    for (size_t index = 0; index < 2 && status >= 0; index += 1) {
        status = corm_bundle_apply(run->db, made, steps[index][0], NULL, &run->error);
        if (status >= 0)
            done(run);
    }
    corm_bundle_free(made);
    TRY(status);
    return end(run);
}

static corm_status convert(run *run) {
    corm_cipher_options one = cipher_of(1), two = cipher_of(2);
    if (!run->encrypted) {
        TRY(corm_cipher_rekey(run->path, NULL, &one, NULL, NULL, &run->error));
        done(run);
    }
    TRY(corm_cipher_rekey(run->path, &one, &two, NULL, NULL, &run->error));
    done(run);
    TRY(corm_cipher_decrypt(run->path, &two, NULL, NULL, &run->error));
    done(run);
    return CORM_OK;
}

static corm_status copy_and_restore(run *run) {
    TRY(start(run));
    TRY(change(run, 1));
    TRY(corm_database_backup(run->db, run->copy, NULL, NULL, NULL, &run->error));
    done(run);
    TRY(change(run, 2));
    TRY(corm_migration_restore(run->db, run->copy, NULL, &run->error));
    done(run);
    return end(run);
}

static corm_status vacuum(run *run) {
    TRY(start(run));
    TRY(transact(run, "DELETE FROM t WHERE id % 3; DELETE FROM sums"));
    done(run);
    TRY(corm_database_vacuum(run->db, &run->error));
    TRY(change(run, 1));
    return end(run);
}

static corm_status write_in_queue(corm_database *db, void *context, corm_error **out_error) {
    return corm_database_execute(db, "UPDATE t SET a = a || 'q' || ? WHERE id < 9",
                                 CORM_VALUES(corm_value_int64(*(const int *)context)), NULL, out_error);
}

static corm_status stores_and_queues(run *run) {
    corm_store *store = NULL;
    corm_queue *queue = NULL;
    TRY(start(run));
    TRY(corm_store_open(run->db, "settings", &store, &run->error));
    corm_status status = CORM_OK;
    for (int round = 0; round < 3 && status >= 0; round += 1) {
        char key[16], value[900];
        snprintf(key, sizeof key, "key %d", round % 2);
        memset(value, 'a' + round, sizeof value);
        corm_store_entry entry = CORM_STORE_ENTRY_INIT;
        entry.key = (corm_text){key, strlen(key)};
        entry.value = corm_value_text_size(value, sizeof value);
        /* The first put makes the table, in a transaction before its own. */
        if (round == 0)
            status = corm_transaction_begin(run->db, CORM_TRANSACTION_IMMEDIATE, &run->error);
        if (status >= 0)
            status = corm_store_put(store, &entry, &run->error);
        if (status >= 0 && round == 0)
            status = corm_transaction_commit(run->db, &run->error);
        if (status < 0 && round == 0)
            corm_transaction_rollback(run->db, NULL);
        if (status >= 0)
            done(run);
    }
    corm_store_close(store);
    TRY(status);
    TRY(corm_queue_open(run->db, NULL, &queue, &run->error));
    for (int round = 0; round < 2 && status >= 0; round += 1) {
        status = corm_queue_perform(queue, write_in_queue, &round, &run->error);
        if (status >= 0)
            done(run);
    }
    corm_queue_close(queue, NULL);
    TRY(status);
    return end(run);
}

/* Rolls a nested transaction back that has outgrown the cache, and commits what is around it. */
static corm_status nest(run *run, int rounds, const char *grow) {
    for (int round = 1; round <= rounds; round += 1) {
        TRY(corm_transaction_begin(run->db, CORM_TRANSACTION_IMMEDIATE, &run->error));
        corm_status status = corm_transaction_begin(run->db, CORM_TRANSACTION_IMMEDIATE, &run->error);
        if (status >= 0)
            status = corm_database_execute_script(run->db, grow, &run->error);
        if (status >= 0)
            status = corm_transaction_rollback(run->db, &run->error);
        if (status >= 0)
            status = corm_database_execute_script(run->db, "UPDATE t SET a = a || '!' WHERE id < 4", &run->error);
        if (status >= 0)
            status = corm_transaction_commit(run->db, &run->error);
        if (status < 0) {
            /* One that fails is still to be rolled back. */
            for (int open = 0; open < 3; open += 1)
                corm_transaction_rollback(run->db, NULL);
            return status;
        }
        done(run);
        TRY(change(run, round));
    }
    return end(run);
}

static corm_status savepoints(run *run) {
    TRY(start(run));
    return nest(run, 3, "INSERT INTO t (id, a, b) SELECT id + 1000, a, hex(zeroblob(400)) FROM t");
}

/* The first page that is written over has its frame behind all that is committed. */
static corm_status late_savepoints(run *run) {
    TRY(start(run));
    TRY(corm_database_execute_script(run->db, "PRAGMA cache_size = 40", &run->error));
    TRY(change(run, 0));
    return nest(run, 1,
                "INSERT INTO t (id, a, b) SELECT t.id + 1000 * u.id, hex(zeroblob(300)), hex(randomblob(300)) FROM t, "
                "t u WHERE u.id < 4");
}

#define ROLLBACK_JOURNAL(kind) CORM_JOURNAL_##kind, CORM_SYNCHRONOUS_FULL
#define LOG CORM_JOURNAL_WAL, CORM_SYNCHRONOUS_FULL
/* Without EXTRA the end of the journal, which is the commit, may be lost. */
#define DELETED_JOURNAL CORM_JOURNAL_DELETE, CORM_SYNCHRONOUS_EXTRA

const workload workloads[] = {
    {"wal", LOG, commits, false},
    {"wal-normal", CORM_JOURNAL_WAL, CORM_SYNCHRONOUS_NORMAL, commits, false},
    {"delete", DELETED_JOURNAL, commits, false},
    {"delete-full", ROLLBACK_JOURNAL(DELETE), commits, false},
    {"truncate", ROLLBACK_JOURNAL(TRUNCATE), commits, false},
    {"persist", ROLLBACK_JOURNAL(PERSIST), commits, false},
    {"savepoints", LOG, savepoints, false},
    {"savepoints-late", LOG, late_savepoints, false},
    {"savepoints-delete", DELETED_JOURNAL, savepoints, false},
    {"checkpoints", LOG, checkpoints, false},
    {"sync", LOG, synchronize_models, false},
    {"sync-delete", DELETED_JOURNAL, synchronize_models, false},
    {"bundle", LOG, bundle, false},
    {"convert", LOG, convert, true},
    {"convert-delete", DELETED_JOURNAL, convert, true},
    {"backup", LOG, copy_and_restore, false},
    {"backup-delete", DELETED_JOURNAL, copy_and_restore, false},
    {"vacuum", LOG, vacuum, false},
    {"vacuum-delete", DELETED_JOURNAL, vacuum, false},
    {"store", LOG, stores_and_queues, false},
};
const size_t workload_count = sizeof workloads / sizeof workloads[0];

static void stop(const char *what, corm_error *error) {
    fprintf(stderr, "%s: %s\n", what, error == NULL ? "" : corm_error_message(error));
    exit(4);
}

void prepare(run *run) {
    static const char sql[] =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT); CREATE INDEX t_b ON t (b);"
        "CREATE TABLE sums (id INTEGER PRIMARY KEY, rows INTEGER, bytes INTEGER);"
        "CREATE TABLE probe (n INTEGER);"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60) "
        "INSERT INTO t SELECT i, 'row ' || i, hex(zeroblob(100)) || i FROM n";
    corm_error *error = NULL;
    corm_database *db;
    if (open_file(run, run->path, run->encrypted ? 1 : 0, &db, &error) < 0 ||
        corm_database_execute_script(db, sql, &error) < 0 || corm_database_close(db, &error) < 0)
        stop("the file cannot be made", error);
}

corm_status use(run *run) {
    int64_t before = 0, after = 0;
    TRY(number(run->db, "SELECT count(*) FROM probe", &before, &run->error));
    TRY(corm_database_execute(run->db, "INSERT INTO probe VALUES (1)", CORM_NO_VALUES, NULL, &run->error));
    TRY(number(run->db, "SELECT count(*) FROM probe", &after, &run->error));
    if (after != before + 1) {
        fprintf(stderr, "a row that was written is not read\n");
        abort();
    }
    return CORM_OK;
}

static void hash(uint64_t *sum, const void *bytes, size_t size) {
    const uint8_t *byte = bytes;
    for (size_t index = 0; index < size; index += 1)
        *sum = (*sum ^ byte[index]) * 1099511628211u;
}

/* Times and numbers by chance, other ones in each run. */
static bool is_of_the_run(const char *column) {
    static const char *const names[] = {"created", "updated", "version", "started", "finished"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index += 1)
        if (strcmp(names[index], column) == 0)
            return true;
    return false;
}

static corm_status hash_rows(corm_database *db, const char *sql, uint64_t *sum, corm_error **error) {
    corm_result *result;
    TRY(corm_result_open(db, sql, CORM_NO_VALUES, &result, error));
    corm_status status;
    while ((status = corm_result_next(result, error)) == CORM_ROW) {
        for (size_t column = 0; column < corm_result_column_count(result); column += 1) {
            corm_value value;
            if (is_of_the_run(corm_result_column_name(result, column)))
                continue;
            status = corm_result_get(result, column, &value, error);
            if (status < 0)
                break;
            hash(sum, &value.type, sizeof value.type);
            if (value.type == CORM_VALUE_TEXT || value.type == CORM_VALUE_BLOB)
                hash(sum, value.as.bytes.data, value.as.bytes.size);
            else if (value.type != CORM_VALUE_NULL)
                hash(sum, &value.as.integer, sizeof value.as.integer);
        }
        hash(sum, ";", 1);
    }
    corm_result_close(result);
    return status < 0 ? status : CORM_OK;
}

static corm_status hash_database(corm_database *db, uint64_t *sum, corm_error **error) {
    corm_result *tables;
    TRY(hash_rows(db, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name", sum, error));
    TRY(corm_result_open(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'probe' ORDER BY name",
                         CORM_NO_VALUES, &tables, error));
    corm_status status;
    while ((status = corm_result_next(tables, error)) == CORM_ROW) {
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT * FROM \"%s\" ORDER BY 1, 2", corm_result_text(tables, 0));
        if ((status = hash_rows(db, sql, sum, error)) < 0)
            break;
    }
    corm_result_close(tables);
    return status < 0 ? status : CORM_OK;
}

int64_t uses_found;

/* What stands in a file, or 1 for none. */
static uint64_t state_of_file(const run *run, const char *path, char *out_problem, size_t size) {
    struct stat status;
    if (stat(path, &status) != 0)
        return 1;
    corm_error *error = NULL;
    for (int key = 0; key < 3; key += 1) {
        corm_database *db = NULL;
        if (!run->encrypted && !run->of->converts && key > 0)
            break;
        corm_error_free(error);
        error = NULL;
        corm_status opened = open_file(run, path, key, &db, &error);
        if (opened == CORM_E_WRONG_KEY || opened == CORM_E_KEY_MISSING || opened == CORM_E_NOT_ENCRYPTED ||
            opened == CORM_E_NOT_A_DATABASE)
            continue;
        if (opened < 0)
            break;
        uint64_t sum = 14695981039346656037u + (uint64_t)key;
        corm_result *check = NULL;
        size_t bad_pages = 0;
        corm_status read = corm_result_open(db, "PRAGMA integrity_check", CORM_NO_VALUES, &check, &error);
        if (read >= 0 && (read = corm_result_next(check, &error)) == CORM_ROW &&
            strcmp(corm_result_text(check, 0), "ok") != 0)
            snprintf(out_problem, size, "integrity_check: %s", corm_result_text(check, 0));
        corm_result_close(check);
        if (read >= 0)
            read = hash_database(db, &sum, &error);
        if (read >= 0)
            read = number(db, "SELECT count(*) FROM probe", &uses_found, &error);
        if (read >= 0 && key > 0 && (read = corm_cipher_check(db, NULL, 0, &bad_pages, &error)) >= 0 && bad_pages > 0)
            snprintf(out_problem, size, "%zu pages fail their authentication", bad_pages);
        if (read < 0)
            snprintf(out_problem, size, "reading: %s", corm_error_message(error));
        if (corm_database_close(db, read < 0 ? NULL : &error) < 0 && read >= 0)
            snprintf(out_problem, size, "closing: %s", corm_error_message(error));
        corm_error_free(error);
        return sum;
    }
    snprintf(out_problem, size, "opening: %s", error == NULL ? "" : corm_error_message(error));
    corm_error_free(error);
    return 0;
}

uint64_t state_of(const run *run, const char *folder, char *out_problem, size_t size) {
    char path[340], copy[340];
    out_problem[0] = 0;
    snprintf(path, sizeof path, "%s/test.db", folder);
    snprintf(copy, sizeof copy, "%s/copy.db", folder);
    uint64_t second = state_of_file(run, copy, out_problem, size), first = state_of_file(run, path, out_problem, size);
    if (first == 1)
        snprintf(out_problem, size, "the file is not there");
    return first * 31 + second;
}
