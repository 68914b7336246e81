/*
 * The anchor on PostgreSQL: the workload by hand, in C over libpq, with prepared statements, everything binary, rows that are
 * inserted copied, those that are saved sent in one flight. Every text of a result gets an allocation of its own.
 */
#include <endian.h>
#include <libpq-fe.h>

#include "workload.h"

#define COLUMN_COUNT 10

static PGconn *db;

static void end(void) {
    fprintf(stderr, "postgres: %s\n", PQerrorMessage(db));
    exit(1);
}

static PGresult *check(PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN &&
        status != PGRES_PIPELINE_SYNC)
        end();
    return result;
}

static void execute(const char *sql) { PQclear(check(PQexec(db, sql))); }
static void prepare(const char *sql) { PQclear(check(PQprepare(db, "work", sql, 0, NULL))); }

static void create_table(void) {
    execute("CREATE TABLE item (id bigint PRIMARY KEY, quantity bigint NOT NULL, grade bigint NOT NULL, "
            "region bigint NOT NULL, price float8 NOT NULL, weight float8 NOT NULL, "
            "name text COLLATE \"C\" NOT NULL, city text COLLATE \"C\" NOT NULL, code text COLLATE \"C\" NOT NULL, "
            "note text COLLATE \"C\")");
}

/* A row's values in the binary form: those that are no texts, one after another. */
typedef struct wire {
    uint64_t numbers[6];
    const char *values[COLUMN_COUNT];
    int lengths[COLUMN_COUNT];
} wire;

static uint64_t real_bits(double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return htobe64(bits);
}

static void encode(const item *row, wire *out) {
    const char *texts[] = {row->name, row->city, row->code, row->note};
    out->numbers[0] = htobe64((uint64_t)row->id);
    out->numbers[1] = htobe64((uint64_t)row->quantity);
    out->numbers[2] = htobe64((uint64_t)row->grade);
    out->numbers[3] = htobe64((uint64_t)row->region);
    out->numbers[4] = real_bits(row->price);
    out->numbers[5] = real_bits(row->weight);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        out->values[i] = i < 6 ? (const char *)&out->numbers[i] : texts[i - 6];
        out->lengths[i] = i < 6 ? 8 : out->values[i] == NULL ? -1 : (int)strlen(out->values[i]);
    }
}

static int64_t integer_at(const PGresult *result, int row, int column) {
    uint64_t bits;
    memcpy(&bits, PQgetvalue(result, row, column), sizeof bits);
    return (int64_t)be64toh(bits);
}

static double real_at(const PGresult *result, int row, int column) {
    int64_t bits = integer_at(result, row, column);
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static char *text_at(const PGresult *result, int row, int column) {
    if (PQgetisnull(result, row, column))
        return NULL;
    size_t size = (size_t)PQgetlength(result, row, column);
    char *copy = malloc(size + 1);
    memcpy(copy, PQgetvalue(result, row, column), size + 1);
    return copy;
}

static item decode(const PGresult *result, int row) {
    return (item){integer_at(result, row, 0), integer_at(result, row, 1), integer_at(result, row, 2),
                  integer_at(result, row, 3), real_at(result, row, 4),    real_at(result, row, 5),
                  text_at(result, row, 6),    text_at(result, row, 7),    text_at(result, row, 8),
                  text_at(result, row, 9)};
}

static void item_clear(item *row) {
    free((void *)row->name);
    free((void *)row->city);
    free((void *)row->code);
    free((void *)row->note);
}

/* What is copied goes out in pieces of this size. */
#define PIECE 65536

static void copy_rows(const item *rows, int64_t count) {
    static const char header[19] = "PGCOPY\n\377\r\n";
    static char piece[PIECE + 4096];
    size_t used = sizeof header;
    memcpy(piece, header, sizeof header);
    PQclear(check(PQexec(db, "COPY item FROM STDIN (FORMAT binary)")));
    for (int64_t i = 0; i < count; i++) {
        wire out;
        encode(&rows[i], &out);
        uint16_t columns = htobe16(COLUMN_COUNT);
        memcpy(piece + used, &columns, 2);
        used += 2;
        for (int column = 0; column < COLUMN_COUNT; column++) {
            uint32_t length = htobe32((uint32_t)out.lengths[column]);
            memcpy(piece + used, &length, 4);
            used += 4;
            if (out.lengths[column] > 0) {
                memcpy(piece + used, out.values[column], (size_t)out.lengths[column]);
                used += (size_t)out.lengths[column];
            }
        }
        if (used >= PIECE) {
            if (PQputCopyData(db, piece, (int)used) != 1)
                end();
            used = 0;
        }
    }
    memcpy(piece + used, "\377\377", 2);
    if (PQputCopyData(db, piece, (int)used + 2) != 1 || PQputCopyEnd(db, NULL) != 1)
        end();
    PQclear(check(PQgetResult(db)));
    PQclear(PQgetResult(db));
}

static void insert(const arguments *arguments) {
    item *rows = items_make(arguments->count, 0, NULL);
    create_table();
    timer_start();
    copy_rows(rows, arguments->count);
    timer_stop();
    workload_report(0);
}

/* What the first read on a connection costs is no part of a fetch or lookup. */
static void read_one(void) { PQclear(check(PQexec(db, "SELECT " ITEM_COLUMNS " FROM item WHERE id = 1"))); }

static void fetch(const char *sql) {
    read_one();
    timer_start();
    prepare(sql);
    PGresult *result = check(PQexecPrepared(db, "work", 0, NULL, NULL, NULL, 1));
    int count = PQntuples(result);
    item *rows = malloc(((size_t)count + 1) * sizeof *rows);
    for (int i = 0; i < count; i++)
        rows[i] = decode(result, i);
    PQclear(result);
    timer_stop();
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += item_sum(&rows[i], (uint64_t)i);
    workload_report(sum);
}

static void lookup(const arguments *arguments) {
    uint64_t sum = 0;
    read_one();
    timer_start();
    prepare("SELECT " ITEM_COLUMNS " FROM item WHERE id = $1");
    for (int64_t i = 0; i < arguments->count; i++) {
        uint64_t key = htobe64((uint64_t)lookup_key(i, arguments->rows));
        const char *value = (const char *)&key;
        PGresult *result = check(PQexecPrepared(db, "work", 1, &value, (int[]){sizeof key}, (int[]){1}, 1));
        item row = decode(result, 0);
        sum += lookup_sum(&row);
        item_clear(&row);
        PQclear(result);
    }
    timer_stop();
    workload_report(sum);
}

/* All in one transaction and one flight. */
static void save(const arguments *arguments) {
    static const int binary[COLUMN_COUNT] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    item *rows = items_make(arguments->count, 1, update_key);
    timer_start();
    prepare("INSERT INTO item (" ITEM_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
            "ON CONFLICT (id) DO UPDATE SET quantity = excluded.quantity, grade = excluded.grade, "
            "region = excluded.region, price = excluded.price, weight = excluded.weight, name = excluded.name, "
            "city = excluded.city, code = excluded.code, note = excluded.note");
    execute("BEGIN");
    if (PQenterPipelineMode(db) != 1)
        end();
    for (int64_t i = 0; i < arguments->count; i++) {
        wire out;
        encode(&rows[i], &out);
        if (PQsendQueryPrepared(db, "work", COLUMN_COUNT, out.values, out.lengths, binary, 0) != 1)
            end();
    }
    if (PQpipelineSync(db) != 1)
        end();
    for (int64_t i = 0; i < arguments->count; i++) {
        PQclear(check(PQgetResult(db)));
        PQclear(PQgetResult(db));
    }
    PQclear(check(PQgetResult(db)));
    if (PQexitPipelineMode(db) != 1)
        end();
    execute("COMMIT");
    timer_stop();
    workload_report(0);
}

int main(int argc, char **argv) {
    arguments arguments = arguments_read(argc, argv);
    db = PQconnectdb(arguments.path);
    if (PQstatus(db) != CONNECTION_OK)
        end();
    if (is_work(&arguments, "clear")) {
        execute("SET client_min_messages = error");
        execute("DROP TABLE IF EXISTS item");
    } else if (is_work(&arguments, "fill")) {
        item *rows = items_make(arguments.count, 0, NULL);
        create_table();
        copy_rows(rows, arguments.count);
        execute("VACUUM ANALYZE item");
    } else if (is_work(&arguments, "insert")) {
        insert(&arguments);
    } else if (is_work(&arguments, "fetch")) {
        fetch("SELECT " ITEM_COLUMNS " FROM item");
    } else if (is_work(&arguments, "verify")) {
        fetch("SELECT " ITEM_COLUMNS " FROM item ORDER BY id");
    } else if (is_work(&arguments, "lookup")) {
        lookup(&arguments);
    } else if (is_work(&arguments, "save")) {
        save(&arguments);
    } else {
        fprintf(stderr, "postgres: no work named %s\n", arguments.work);
        return 2;
    }
    PQfinish(db);
    return 0;
}
