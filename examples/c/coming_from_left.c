/* The left side of docs/c/coming-from-sqlite3.md: what is written with sqlite3. Its other side is coming_from_right.c. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct app {
    sqlite3 *db;
    sqlite3_stmt *statement;
} app;

static bool open_file(app *a) {
    sqlite3_open_v2(":memory:", &a->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    sqlite3_exec(a->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    sqlite3_busy_timeout(a->db, 5000);
    sqlite3_exec(a->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
    return a->db != NULL;
}

static bool define(app *a) {
    return sqlite3_exec(a->db,
                        "CREATE TABLE IF NOT EXISTS artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
                        "CREATE TABLE IF NOT EXISTS album (id INTEGER PRIMARY KEY, title TEXT NOT NULL,"
                        " year INTEGER NOT NULL CHECK (year > 0), artist_id INTEGER REFERENCES artist, price REAL)",
                        NULL, NULL, NULL) == SQLITE_OK;
}

static bool insert(app *a) {
    int rc = sqlite3_prepare_v2(a->db, "INSERT INTO artist (name) VALUES (?)", -1, &a->statement, NULL);
    sqlite3_bind_text(a->statement, 1, "Nina", -1, SQLITE_STATIC);
    rc = sqlite3_step(a->statement);
    sqlite3_finalize(a->statement);
    int64_t id = sqlite3_last_insert_rowid(a->db);
    return rc == SQLITE_DONE && id == 1;
}

static bool insert_many(app *a) {
    static const char *const titles[] = {"First Light", "Half Light"};
    sqlite3_exec(a->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    sqlite3_prepare_v2(a->db, "INSERT INTO album (title, year, artist_id) VALUES (?, ?, ?)", -1, &a->statement, NULL);
    for (int i = 0; i < 2; i++) {
        sqlite3_bind_text(a->statement, 1, titles[i], -1, SQLITE_STATIC);
        sqlite3_bind_int64(a->statement, 2, 1998 + i);
        sqlite3_bind_int64(a->statement, 3, 1);
        sqlite3_step(a->statement);
        sqlite3_reset(a->statement);
    }
    sqlite3_finalize(a->statement);
    return sqlite3_exec(a->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

static bool find(app *a) {
    char title[100] = "";
    sqlite3_prepare_v2(a->db, "SELECT title FROM album WHERE id = ?", -1, &a->statement, NULL);
    sqlite3_bind_int64(a->statement, 1, 1);
    if (sqlite3_step(a->statement) == SQLITE_ROW)
        snprintf(title, sizeof title, "%s", sqlite3_column_text(a->statement, 0));
    sqlite3_finalize(a->statement);
    return strcmp(title, "First Light") == 0;
}

/* What a statement's rows are, whatever the statement. */
static int rows(app *a, const char *sql) {
    int count = 0;
    sqlite3_prepare_v2(a->db, sql, -1, &a->statement, NULL);
    while (sqlite3_step(a->statement) == SQLITE_ROW)
        count += 1;
    sqlite3_finalize(a->statement);
    return count;
}

/* Of any SQL: its columns, and their values by type. */
static bool read_values(app *a) {
    sqlite3_prepare_v2(a->db, "SELECT title, year, ? FROM album ORDER BY id", -1, &a->statement, NULL);
    sqlite3_bind_blob(a->statement, 1, "\1\2", 2, SQLITE_STATIC);
    bool done = sqlite3_column_count(a->statement) == 3 && strcmp(sqlite3_column_name(a->statement, 1), "year") == 0 &&
                sqlite3_step(a->statement) == SQLITE_ROW && sqlite3_column_int64(a->statement, 1) == 1998 &&
                sqlite3_column_bytes(a->statement, 2) == 2 && sqlite3_column_blob(a->statement, 2) != NULL;
    sqlite3_finalize(a->statement);
    return done;
}

static bool select_rows(app *a) {
    return rows(a, "SELECT * FROM album WHERE year >= 1998") == 2 &&
           rows(a, "SELECT * FROM album ORDER BY year DESC") == 2 &&
           rows(a, "SELECT * FROM album ORDER BY id LIMIT 10 OFFSET 0") == 2 &&
           rows(a, "SELECT * FROM album WHERE title LIKE 'Half%'") == 1 &&
           rows(a, "SELECT * FROM album WHERE price IS NULL") == 2 &&
           rows(a, "SELECT * FROM album WHERE year IN (1998, 2004)") == 1 &&
           rows(a, "SELECT count(*) FROM album") == 1 &&
           rows(a, "SELECT artist_id, count(*) FROM album GROUP BY artist_id") == 1 &&
           rows(a, "SELECT album.* FROM album JOIN artist ON artist.id = artist_id WHERE artist.name = 'Nina'") == 2 &&
           rows(a, "SELECT * FROM artist WHERE EXISTS (SELECT 1 FROM album WHERE artist_id = artist.id)") == 1;
}

static bool change(app *a) {
    sqlite3_exec(a->db, "UPDATE album SET year = year + 1 WHERE title = 'Half Light'", NULL, NULL, NULL);
    int changed = sqlite3_changes(a->db);
    sqlite3_exec(a->db, "DELETE FROM album WHERE year > 2050", NULL, NULL, NULL);
    sqlite3_exec(
        a->db,
        "INSERT INTO artist (id, name) VALUES (1, 'Nina S.') ON CONFLICT (id) DO UPDATE SET name = excluded.name", NULL,
        NULL, NULL);
    sqlite3_exec(a->db, "INSERT OR IGNORE INTO artist (name) VALUES ('Nina S.')", NULL, NULL, NULL);
    return changed == 1;
}

static bool transact(app *a) {
    sqlite3_exec(a->db, "SAVEPOINT inner", NULL, NULL, NULL);
    sqlite3_exec(a->db, "ROLLBACK TO inner; RELEASE inner", NULL, NULL, NULL);
    return sqlite3_get_autocommit(a->db) != 0;
}

static bool fail(app *a) {
    int rc = sqlite3_exec(a->db, "INSERT INTO artist (name) VALUES ('Nina S.')", NULL, NULL, NULL);
    return rc != SQLITE_OK && sqlite3_extended_errcode(a->db) == SQLITE_CONSTRAINT_UNIQUE &&
           sqlite3_errmsg(a->db) != NULL;
}

static bool migrate(app *a) {
    return sqlite3_exec(a->db, "ALTER TABLE album ADD COLUMN label TEXT; PRAGMA user_version = 1", NULL, NULL, NULL) ==
           SQLITE_OK;
}

static void changed(void *context, int kind, const char *database, const char *table, sqlite3_int64 id) {
    (void)kind, (void)database, (void)table, (void)id;
    *(int *)context += 1;
}

static bool watch(app *a) {
    int changes = 0;
    sqlite3_update_hook(a->db, changed, &changes);
    sqlite3_exec(a->db, "UPDATE album SET price = 9", NULL, NULL, NULL);
    sqlite3_update_hook(a->db, NULL, NULL);
    return changes == 2;
}

static bool back_up(app *a) {
    sqlite3 *copy = NULL;
    sqlite3_open(":memory:", &copy);
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", a->db, "main");
    sqlite3_backup_step(backup, -1);
    int rc = sqlite3_backup_finish(backup);
    sqlite3_close(copy);
    return rc == SQLITE_OK;
}

int main(void) {
    app a = {0};
    bool done = open_file(&a) && define(&a) && insert(&a) && insert_many(&a) && find(&a) && read_values(&a) &&
                select_rows(&a) && change(&a) && transact(&a) && fail(&a) && migrate(&a) && watch(&a) && back_up(&a);
    sqlite3_interrupt(a.db);
    return sqlite3_close(a.db) == SQLITE_OK && done ? 0 : 1;
}
