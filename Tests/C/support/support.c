#include "support.h"

#include "folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

_Thread_local corm_error *failure;
corm_database *db;
corm_model *people;
static char folder[400];

const corm_column_def person_columns[5] = {
    CORM_COLUMN(person, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(person, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(person, city, CORM_TEXT),
    CORM_COLUMN(person, age, CORM_INT64, .check_sql = "age >= 0"),
    CORM_COLUMN(person, height, CORM_DOUBLE),
};
const corm_model_def person_def = CORM_MODEL(person, "Person", person_columns);

void forget_failure(void) {
    corm_error_free(failure);
    failure = NULL;
}

void check_status(corm_status expected, corm_status status, const char *call, const char *file, int line) {
    if (status != expected) {
        print_error("%s gives %s, expected %s\n", call, corm_status_name(status), corm_status_name(expected));
        if (status < 0)
            print_error("  %s\n", corm_error_message(failure));
        _fail(file, line);
    }
    bool sets_error = failure != NULL;
    if (sets_error != (status < 0)) {
        print_error("%s %s an error\n", call, sets_error ? "succeeds and sets" : "fails without");
        _fail(file, line);
    }
    if (sets_error && (corm_error_code(failure) != status || strlen(corm_error_message(failure)) == 0)) {
        print_error("%s sets an error of another code or without message\n", call);
        _fail(file, line);
    }
}

int set_up(void **state) {
    (void)state;
    assert_true(make_folder(folder, sizeof folder));
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    OK(corm_model_create(&person_def, &people, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(people), &failure));
    return 0;
}

int tear_down(void **state) {
    (void)state;
    corm_model_free(people);
    people = NULL;
    if (db != NULL)
        OK(corm_database_close(db, &failure));
    db = NULL;
    forget_failure();
    remove_folder(folder);
    return 0;
}

const char *path_to(const char *name) {
    static char paths[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static corm_value select_one(corm_result **result, const char *sql) {
    corm_value value;
    OK(corm_result_open(db, sql, CORM_NO_VALUES, result, &failure));
    GIVES(CORM_ROW, corm_result_next(*result, &failure));
    OK(corm_result_get(*result, 0, &value, &failure));
    return value;
}

int64_t select_int(const char *sql) {
    corm_result *result;
    corm_value value = select_one(&result, sql);
    assert_int_equal(value.type, CORM_VALUE_INTEGER);
    GIVES(CORM_DONE, corm_result_next(result, &failure));
    corm_result_close(result);
    return value.as.integer;
}

const char *select_text(const char *sql) {
    static char text[4096];
    corm_result *result;
    corm_value value = select_one(&result, sql);
    assert_int_equal(value.type, CORM_VALUE_TEXT);
    snprintf(text, sizeof text, "%.*s", (int)value.as.bytes.size, (const char *)value.as.bytes.data);
    corm_result_close(result);
    return text;
}

int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

extern void __asan_init(void) __attribute__((weak));

static bool under_valgrind(void) {
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded != NULL && strstr(preloaded, "vgpreload") != NULL;
}

int many(int count) { return under_valgrind() ? count / 20 : count; }

int64_t peak_memory(void) {
    if (__asan_init != NULL || under_valgrind())
        return 0;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

void insert_people(int count) {
    for (int number = 1; number <= count; number += 1) {
        char name[16];
        snprintf(name, sizeof name, "p%d", number);
        person one = {.name = name, .age = {true, number}};
        OK(corm_record_insert(db, people, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    }
}

void run_script(const char *sql) { OK(corm_database_execute_script(db, sql, &failure)); }

size_t related_count(const corm_related *related, size_t position) {
    size_t count;
    corm_related_get(related, position, &count);
    return count;
}
