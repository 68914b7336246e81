/*
 * The anchor: the workload by hand, in C over sqlite3 with prepared statements. Every text of a result gets an
 * allocation of its own, as strdup would give it; built with -DARENA they share blocks.
 */
#include <sqlite3.h>

#include "workload.h"

static sqlite3 *db;

static void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
        fprintf(stderr, "native: %s\n", sqlite3_errmsg(db));
        exit(1);
    }
}

static void execute(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

#ifdef ARENA
typedef struct block {
    struct block *previous;
    size_t used, size;
    char bytes[];
} block;
static block *arena;

static char *text_allocate(size_t size) {
    if (arena == NULL || arena->size - arena->used < size) {
        size_t room = size > 65536 ? size : 65536;
        block *next = malloc(sizeof *next + room);
        *next = (block){.previous = arena, .size = room};
        arena = next;
    }
    arena->used += size;
    return arena->bytes + arena->used - size;
}
static void item_clear(item *row) {
    (void)row;
    arena->used = 0;
}
#else
static char *text_allocate(size_t size) { return malloc(size); }
static void item_clear(item *row) {
    free((void *)row->name);
    free((void *)row->city);
    free((void *)row->code);
    free((void *)row->note);
}
#endif

static const char *column_text(sqlite3_stmt *statement, int column) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    if (text == NULL) {
        return NULL;
    }
    size_t size = (size_t)sqlite3_column_bytes(statement, column);
    char *copy = text_allocate(size + 1);
    memcpy(copy, text, size + 1);
    return copy;
}

static void item_read(sqlite3_stmt *statement, item *row) {
    row->id = sqlite3_column_int64(statement, 0);
    row->quantity = sqlite3_column_int64(statement, 1);
    row->grade = sqlite3_column_int64(statement, 2);
    row->region = sqlite3_column_int64(statement, 3);
    row->price = sqlite3_column_double(statement, 4);
    row->weight = sqlite3_column_double(statement, 5);
    row->name = column_text(statement, 6);
    row->city = column_text(statement, 7);
    row->code = column_text(statement, 8);
    row->note = column_text(statement, 9);
}

static void bind_text(sqlite3_stmt *statement, int position, const char *text) {
    sqlite3_bind_text(statement, position, text, -1, SQLITE_STATIC);
}

/* Binds all columns but the key, from `position` on; returns the next position. */
static int item_bind(sqlite3_stmt *statement, int position, const item *row) {
    sqlite3_bind_int64(statement, position++, row->quantity);
    sqlite3_bind_int64(statement, position++, row->grade);
    sqlite3_bind_int64(statement, position++, row->region);
    sqlite3_bind_double(statement, position++, row->price);
    sqlite3_bind_double(statement, position++, row->weight);
    bind_text(statement, position++, row->name);
    bind_text(statement, position++, row->city);
    bind_text(statement, position++, row->code);
    bind_text(statement, position++, row->note);
    return position;
}

static void run_once(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) {
        check(sqlite3_reset(statement));
    }
    check(sqlite3_reset(statement));
}

static void insert(const arguments *arguments, bool transaction) {
    item *rows = items_make(arguments->count, 0, NULL);
    if (transaction) {
        execute(ITEM_CREATE);
    } else {
        for (int64_t i = 0; i < arguments->count; i++) {
            rows[i].id += arguments->rows;
        }
    }
    timer_start();
    sqlite3_stmt *statement = prepare("INSERT INTO item (" ITEM_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?)");
    if (transaction) {
        execute("BEGIN IMMEDIATE");
    }
    for (int64_t i = 0; i < arguments->count; i++) {
        sqlite3_bind_int64(statement, 1, rows[i].id);
        item_bind(statement, 2, &rows[i]);
        run_once(statement);
    }
    if (transaction) {
        execute("COMMIT");
    }
    timer_stop();
    sqlite3_finalize(statement);
    workload_report(0);
}

static void fetch(const char *sql, bool filter) {
    timer_start();
    sqlite3_stmt *statement = prepare(sql);
    if (filter) {
        sqlite3_bind_int64(statement, 1, FILTER_REGION);
    }
    size_t count = 0, capacity = 16;
    item *rows = malloc(capacity * sizeof *rows);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (count == capacity) {
            capacity *= 2;
            rows = realloc(rows, capacity * sizeof *rows);
        }
        item_read(statement, &rows[count++]);
    }
    check(code);
    timer_stop();
    sqlite3_finalize(statement);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += item_sum(&rows[i], i);
    }
    workload_report(sum);
}

static void lookup(const arguments *arguments, bool transaction) {
    uint64_t sum = 0;
    timer_start();
    sqlite3_stmt *statement = prepare("SELECT " ITEM_COLUMNS " FROM item WHERE id = ?");
    if (transaction) {
        execute("BEGIN");
    }
    for (int64_t i = 0; i < arguments->count; i++) {
        sqlite3_bind_int64(statement, 1, lookup_key(i, arguments->rows));
        if (sqlite3_step(statement) == SQLITE_ROW) {
            item row;
            item_read(statement, &row);
            sum += lookup_sum(&row);
            item_clear(&row);
        }
        check(sqlite3_reset(statement));
    }
    if (transaction) {
        execute("COMMIT");
    }
    timer_stop();
    sqlite3_finalize(statement);
    workload_report(sum);
}

static void stream(const arguments *arguments) {
    uint64_t sum = 0;
    timer_start();
    sqlite3_stmt *statement = prepare(ITEM_STREAM);
    sqlite3_bind_int64(statement, 1, arguments->count);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        item row;
        item_read(statement, &row);
        sum += lookup_sum(&row);
        item_clear(&row);
    }
    check(code);
    timer_stop();
    sqlite3_finalize(statement);
    workload_report(sum);
}

static void update(const arguments *arguments, bool all_columns) {
    item *rows = items_make(arguments->count, 1, update_key);
    timer_start();
    sqlite3_stmt *statement =
        all_columns ? prepare("UPDATE item SET quantity = ?, grade = ?, region = ?, price = ?, weight = ?, name = ?, "
                              "city = ?, code = ?, note = ? WHERE id = ?")
                    : prepare("UPDATE item SET quantity = ?, price = ?, name = ? WHERE id = ?");
    execute("BEGIN IMMEDIATE");
    for (int64_t i = 0; i < arguments->count; i++) {
        int position = 1;
        if (all_columns) {
            position = item_bind(statement, 1, &rows[i]);
        } else {
            sqlite3_bind_int64(statement, position++, rows[i].quantity);
            sqlite3_bind_double(statement, position++, rows[i].price);
            bind_text(statement, position++, rows[i].name);
        }
        sqlite3_bind_int64(statement, position, rows[i].id);
        run_once(statement);
    }
    execute("COMMIT");
    timer_stop();
    sqlite3_finalize(statement);
    workload_report(0);
}

static void delete_rows(const arguments *arguments) {
    timer_start();
    sqlite3_stmt *statement = prepare("DELETE FROM item WHERE id = ?");
    execute("BEGIN IMMEDIATE");
    for (int64_t i = 0; i < arguments->count; i++) {
        sqlite3_bind_int64(statement, 1, delete_key(i));
        run_once(statement);
    }
    execute("COMMIT");
    timer_stop();
    sqlite3_finalize(statement);
    workload_report(0);
}

int main(int argc, char **argv) {
    arguments arguments = arguments_read(argc, argv);
    if (is_work(&arguments, "empty")) {
        workload_report(0);
        return 0;
    }
    check(sqlite3_open(arguments.path, &db));
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = NORMAL");
    execute("PRAGMA secure_delete = FAST");
    if (is_work(&arguments, "insert")) {
        insert(&arguments, true);
    } else if (is_work(&arguments, "autocommit")) {
        insert(&arguments, false);
    } else if (is_work(&arguments, "fetch")) {
        fetch("SELECT " ITEM_COLUMNS " FROM item", false);
    } else if (is_work(&arguments, "verify")) {
        fetch("SELECT " ITEM_COLUMNS " FROM item ORDER BY id", false);
    } else if (is_work(&arguments, "filter")) {
        fetch("SELECT " ITEM_COLUMNS " FROM item WHERE region = ? ORDER BY quantity, id", true);
    } else if (is_work(&arguments, "lookup")) {
        lookup(&arguments, false);
    } else if (is_work(&arguments, "lookup_transaction")) {
        lookup(&arguments, true);
    } else if (is_work(&arguments, "stream")) {
        stream(&arguments);
    } else if (is_work(&arguments, "update3")) {
        update(&arguments, false);
    } else if (is_work(&arguments, "update9")) {
        update(&arguments, true);
    } else if (is_work(&arguments, "delete")) {
        delete_rows(&arguments);
    } else {
        fprintf(stderr, "native: no work named %s\n", arguments.work);
        return 2;
    }
    check(sqlite3_close(db));
    return 0;
}
