/*
 * The demo in C: reads and changes the file that load.py made.
 *
 * explore DATABASE        does that
 * explore DATABASE sum    counts all rows and sums them up
 */
#define _POSIX_C_SOURCE 199309L
#include "checksum.h"
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

static corm_database *db;
static corm_model *models[MODEL_COUNT];
static corm_error *error;

static void print_error(void) {
    printf("                %s: %s\n", corm_status_name(corm_error_code(error)), corm_error_message(error));
    int64_t record = corm_error_info_get(error)->record_index;
    if (record >= 0)
        printf("                record %" PRId64 " of the batch, of which nothing stays\n", record);
    if (corm_error_hint(error))
        printf("                hint: %s\n", corm_error_hint(error));
    corm_error_free(error);
    error = NULL;
}

/* Below zero is an error, and here the end of the program. */
static corm_status must(corm_status status) {
    if (status < 0) {
        print_error();
        exit(1);
    }
    return status;
}

/* Prints a step with the time since the one before; NULL only starts the clock. */
static void done(const char *format, ...) {
    static struct timespec began;
    struct timespec now;
    va_list values;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (format) {
        printf("%9.1f ms  ", (double)(now.tv_sec - began.tv_sec) * 1e3 + (double)(now.tv_nsec - began.tv_nsec) / 1e6);
        va_start(values, format);
        vprintf(format, values);
        va_end(values);
        printf("\n");
    }
    clock_gettime(CLOCK_MONOTONIC, &began);
}

static void open_database(const char *path) {
    must(corm_database_open(path, NULL, &db, &error));
    for (int index = 0; index < MODEL_COUNT; index += 1) {
        must(corm_model_create(&model_defs[index], &models[index], &error));
    }
    must(corm_model_create_tables(db, models, MODEL_COUNT, &error));
}

static void find_by_key(const char *name) {
    corm_arena *arena = corm_arena_create(); /* where the texts live that come into a struct of ours */
    package one;
    if (must(corm_record_find(db, models[PACKAGE], CORM_VALUES(corm_value_text(name)), &one, arena, &error)) ==
        CORM_OK) {
        done("found %s by its key: version %s, %" PRId64 " KB", one.name, one.version, one.installedSize.value);
    }
    corm_arena_free(arena);
}

static int compare_names(const void *one, const void *other) {
    return strcmp(((const package *)one)->name, ((const package *)other)->name);
}

/* Streams the dependencies: one struct is filled again and again. Learns which packages are asked for. */
static void stream_dependencies(const package *packages, size_t count, bool *needed) {
    static const char *const kinds[] = {"pre-depends", "depends", "recommends", "suggests"};
    int64_t asked[4] = {0}, installed[4] = {0}, total = 0;
    corm_cursor *cursor;
    dependency one;

    must(corm_cursor_open(db, models[DEPENDENCY], NULL, &cursor, &error));
    for (; must(corm_cursor_next(cursor, &one, &error)) == CORM_ROW; total += 1) {
        int kind = 0;
        while (kind < 3 && strcmp(kinds[kind], one.kind) != 0)
            kind += 1;
        asked[kind] += 1;
        if (one.found == NULL)
            continue;
        installed[kind] += 1;
        package key = {.name = one.found};
        needed[(const package *)bsearch(&key, packages, count, sizeof key, compare_names) - packages] = true;
    }
    corm_cursor_close(cursor);
    done("streamed %" PRId64 " dependencies through one struct", total);
    printf("                             asked for  installed\n");
    for (int kind = 0; kind < 4; kind += 1) {
        printf("                %-11s  %9" PRId64 "  %9" PRId64 "\n", kinds[kind], asked[kind], installed[kind]);
    }
}

/* Writes one column of many records, in one transaction. */
static void mark_unneeded(package *packages, size_t count, const bool *needed) {
    size_t marked = 0;
    for (size_t index = 0; index < count; index += 1) {
        if (needed[index] || packages[index].essential)
            continue;
        packages[marked] = packages[index];
        packages[marked].note = "nothing asks for it";
        marked += 1;
    }
    must(corm_record_update_many(db, models[PACKAGE], packages, marked, "note", NULL, &error));
    done("marked the %zu packages that nothing asks for", marked);
}

/* With the packages go their dependencies, by the foreign key's ON DELETE CASCADE. The rollback brings all back. */
static void delete_and_roll_back(void) {
    int64_t deleted, left, back;
    must(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error));
    must(corm_query_delete(db, models[PACKAGE], NULL, &deleted, &error));
    must(corm_query_count(db, models[DEPENDENCY], NULL, &left, &error));
    must(corm_transaction_rollback(db, &error));
    must(corm_query_count(db, models[DEPENDENCY], NULL, &back, &error));
    done("deleted %" PRId64 " package rows, which left %" PRId64 " dependencies; rolled back to %" PRId64, deleted,
         left, back);
}

static void break_a_constraint(void) {
    maintainer twins[] = {{.name = "Twin"}, {.name = "Twin"}};
    corm_status status =
        corm_record_insert_many(db, models[MAINTAINER], twins, 2, CORM_CONFLICT_ABORT, NULL, NULL, &error);
    done("tried to insert two maintainers of one name:");
    if (status < 0)
        print_error();
}

static void explore(const char *path) {
    corm_query by_name = CORM_QUERY_INIT;
    corm_records *records;

    done(NULL);
    open_database(path);
    done("opened the file; its tables are there already");
    find_by_key("dpkg");

    by_name.order_by = "name";
    must(corm_query_fetch(db, models[PACKAGE], &by_name, &records, &error));
    size_t count = corm_records_count(records);
    package *packages = corm_records_data(records);
    done("fetched %zu packages into an array of structs", count);

    bool *needed = calloc(count + 1, sizeof *needed);
    stream_dependencies(packages, count, needed);
    mark_unneeded(packages, count, needed);
    free(needed);
    corm_records_free(records); /* the array and its texts */

    delete_and_roll_back();
    break_a_constraint();
}

static void print_checksum(const char *path) {
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    int64_t rows = 0;
    open_database(path);
    for (int index = 0; index < MODEL_COUNT; index += 1) {
        const char *sql = corm_model_info_get(models[index])->create_sql;
        sum = add_bytes(sum, sql, strlen(sql));
        must(add_rows(db, models[index], &model_defs[index], &sum, &rows, &error));
    }
    printf("%" PRId64 " rows, checksum %016" PRIx64 "\n", rows, sum);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: explore DATABASE [sum]\n");
        return 2;
    }
    if (argc == 2)
        explore(argv[1]);
    else
        print_checksum(argv[1]);
    for (int index = 0; index < MODEL_COUNT; index += 1)
        corm_model_free(models[index]);
    must(corm_database_close(db, &error));
    return 0;
}
