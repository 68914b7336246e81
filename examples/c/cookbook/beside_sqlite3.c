/* A program that uses sqlite3 already, and a model beside it, on the same file. It leaves a file where it runs. */
#include "../music.h"

#include <sqlite3.h>

/* The tables that the program has had all along. */
static bool old_part(sqlite3 *old) {
    return sqlite3_exec(old,
                        "CREATE TABLE IF NOT EXISTS artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
                        "INSERT INTO artist (name) VALUES ('Nina')",
                        NULL, NULL, NULL) == SQLITE_OK;
}

/* The model of such a table is made by hand, or by corm generate. */
static bool new_part(app *a, corm_database *db) {
    artist one = {.name = "Otto"};
    return corm_record_insert(db, a->artists, &one, CORM_CONFLICT_ABORT, NULL, &a->error) == CORM_OK;
}

static bool both(app *a) {
    sqlite3 *old = NULL;
    sqlite3_stmt *count = NULL;
    corm_database *db = NULL;
    bool done = sqlite3_open("beside.db", &old) == SQLITE_OK && old_part(old) &&
                corm_database_open("beside.db", NULL, &db, &a->error) == CORM_OK && new_part(a, db) &&
                sqlite3_prepare_v2(old, "SELECT count(*) FROM artist", -1, &count, NULL) == SQLITE_OK &&
                sqlite3_step(count) == SQLITE_ROW && printf("%d artists\n", sqlite3_column_int(count, 0)) > 0;
    sqlite3_finalize(count);
    corm_database_close(db, NULL);
    sqlite3_close(old);
    return done;
}

int main(void) {
    app a = {0};
    remove("beside.db");
    return close_music(&a, open_music(&a) && both(&a));
}
