/* What the C tests share: a folder and an open database per test, a model of a person, and checks that show the error. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "errors.h"
#include <cmocka.h>

#include <cormorant.h>

#include "encrypted.h"

/* The error of the last checked call, of each thread. Calls hand in `&failure`; OK and FAILS free the one before. */
extern _Thread_local corm_error *failure;
void forget_failure(void);
void check_status(corm_status expected, corm_status status, const char *call, const char *file, int line);

/* The call returns this status; below zero it also sets a matching error with a message, which stays in `failure`. */
#define GIVES(expected, call) check_status(expected, (forget_failure(), (call)), #call, __FILE__, __LINE__)
#define OK(call) GIVES(CORM_OK, call)

/* What a callback returns that did its work, or not. */
#define STATUS(done) ((done) ? CORM_OK : CORM_E_CALLBACK)

/* The database "test.db" in a folder of its own; both are made before a test and removed after it. */
extern corm_database *db;
int set_up(void **state);
int tear_down(void **state);
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* A path in the test's folder. Valid until the fourth call from here. */
const char *path_to(const char *name);
void write_file(const char *path, const void *bytes, size_t size);

/* Runs statements that must succeed. */
void run_script(const char *sql);

/* The only integer that a SELECT gives; fails the test on anything else. */
int64_t select_int(const char *sql);
/* The first value of a SELECT, a text. Valid until the next call. */
const char *select_text(const char *sql);
int64_t milliseconds(void);
/* count, or a twentieth of it under valgrind, where everything takes fifty times as long. */
int many(int count);
/* The most memory that this process has held, in kilobytes; 0 under a memory checker, which keeps what is freed. */
int64_t peak_memory(void);

typedef struct person {
    int64_t id;
    const char *name;
    const char *city;
    corm_optional_int64 age;
    double height;
} person;

extern const corm_column_def person_columns[5];
extern const corm_model_def person_def;
/* Made before each test with `db`; its table "person" is there. */
extern corm_model *people;

/* Inserts persons 1 to count, named "p1" and so on, of age 1 and so on. */
void insert_people(int count);

/* How many related records the record at a position has. */
size_t related_count(const corm_related *related, size_t position);

/* The leave that steps need which drop tables and columns with something in them. */
#define LOSSY (&(const corm_migration_options){.struct_size = sizeof(corm_migration_options), .allow_lossy = true})

#endif
