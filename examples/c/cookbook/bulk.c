/* Lines of a file into a table, many to a statement, all in one transaction; and out again as CSV and JSON lines. */
#include "../music.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1000 };

/* The texts of a chunk live until its records are in. */
static bool insert_chunk(app *a, album *chunk, size_t count, corm_arena *texts) {
    corm_status status =
        corm_record_insert_many(a->db, a->albums, chunk, count, CORM_CONFLICT_ABORT, NULL, NULL, &a->error);
    corm_arena_clear(texts);
    return status == CORM_OK;
}

static bool load_lines(app *a, FILE *file) {
    static album chunk[CHUNK];
    corm_arena *texts = corm_arena_create();
    char line[256];
    size_t count = 0;
    bool done = true;
    while (done && fgets(line, sizeof line, file) != NULL) {
        char *comma = strchr(line, ',');
        if (comma == NULL)
            continue;
        chunk[count++] =
            (album){.title = corm_arena_copy(texts, line, (size_t)(comma - line)), .year = atoi(comma + 1)};
        if (count == CHUNK) {
            done = insert_chunk(a, chunk, count, texts);
            count = 0;
        }
    }
    done = done && insert_chunk(a, chunk, count, texts);
    corm_arena_free(texts);
    return done;
}

/* A bad line takes all back: the file is loaded, or it is not. */
static bool load(app *a, FILE *file) {
    if (corm_transaction_begin(a->db, CORM_TRANSACTION_IMMEDIATE, &a->error) != CORM_OK)
        return false;
    if (load_lines(a, file))
        return corm_transaction_commit(a->db, &a->error) == CORM_OK;
    corm_transaction_rollback(a->db, NULL);
    return false;
}

/* A text in quotes, those in it doubled. */
static void print_quoted(const char *text, FILE *out) {
    putc('"', out);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
    putc('"', out);
}

/* Row by row, whatever the table's size. */
static bool print_csv(app *a, FILE *out) {
    corm_cursor *cursor = NULL;
    album one;
    fputs("title,year\n", out);
    corm_status status = corm_cursor_open(a->db, a->albums, NULL, &cursor, &a->error);
    while (status >= 0 && (status = corm_cursor_next(cursor, &one, &a->error)) == CORM_ROW) {
        print_quoted(one.title, out);
        fprintf(out, ",%" PRId64 "\n", one.year);
    }
    corm_cursor_close(cursor);
    return status == CORM_DONE;
}

/* The rows of any SQL, an object a line. */
static bool print_json_lines(app *a, const char *sql, FILE *out) {
    corm_result *rows = NULL;
    const char *json;
    corm_status status = corm_result_open(a->db, sql, CORM_NO_VALUES, &rows, &a->error);
    while (status >= 0 && (status = corm_result_next(rows, &a->error)) == CORM_ROW) {
        if ((status = corm_result_row_json(rows, &json, &a->error)) == CORM_OK)
            fprintf(out, "%s\n", json);
    }
    corm_result_close(rows);
    return status == CORM_DONE;
}

int main(void) {
    app a = {0};
    FILE *file = tmpfile();
    for (int i = 0; i < 2500; i++)
        fprintf(file, "Volume \"%d\",%d\n", i, 1900 + i % 100);
    rewind(file);
    FILE *out = tmpfile();
    bool done = open_music(&a) && load(&a, file) && print_csv(&a, out) &&
                print_json_lines(&a, "SELECT year, count(*) AS albums FROM album GROUP BY year LIMIT 2", stdout);
    char line[64];
    rewind(out);
    for (int i = 0; i < 5 && fgets(line, sizeof line, out) != NULL; i++)
        printf("%s", line);
    fclose(out);
    fclose(file);
    return close_music(&a, done);
}
