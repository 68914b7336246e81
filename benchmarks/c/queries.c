/*
 * What built queries cost beside the same by hand: a filtered fetch, and parents with their children. One program, A B A B,
 * so that both meet the same machine. Prints one JSON object: medians of ratios, and the microseconds to make a statement.
 */
#include <cormorant.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 15
#define PARENTS 1000
#define CHILDREN 10

typedef struct parent {
    int64_t id;
    const char *name;
    int64_t age;
} parent;

typedef struct child {
    int64_t id;
    int64_t parentId;
    const char *name;
    double price;
} child;

static const corm_column_def parent_columns[] = {
    CORM_COLUMN(parent, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(parent, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(parent, age, CORM_INT64),
};
static const corm_column_def child_columns[] = {
    CORM_COLUMN(child, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(child, parentId, CORM_INT64, .references_table = "parent", .indexed = true),
    CORM_COLUMN(child, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(child, price, CORM_DOUBLE),
};
static const corm_model_def parent_def = CORM_MODEL(parent, "Parent", parent_columns);
static const corm_model_def child_def = CORM_MODEL(child, "Child", child_columns);

static corm_database *db;
static corm_model *parents, *children;
static corm_error *error;
static sqlite3 *raw;

static void check(corm_status status) {
    if (status < 0) {
        fprintf(stderr, "queries: %s\n", error ? corm_error_message(error) : corm_status_name(status));
        exit(1);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

static void fill(void) {
    parent *ps = calloc(PARENTS, sizeof *ps);
    child *cs = calloc(PARENTS * CHILDREN, sizeof *cs);
    corm_model *models[] = {parents, children};
    check(corm_model_create_tables(db, models, 2, &error));
    for (int i = 0; i < PARENTS; i++) {
        ps[i] = (parent){i + 1, "a parent's name", i % 100};
        for (int k = 0; k < CHILDREN; k++)
            cs[i * CHILDREN + k] = (child){0, i + 1, "a child's short name", k * 1.5};
    }
    check(corm_record_insert_many(db, parents, ps, PARENTS, CORM_CONFLICT_ABORT, NULL, NULL, &error));
    check(corm_record_insert_many(db, children, cs, PARENTS * CHILDREN, CORM_CONFLICT_ABORT, NULL, NULL, &error));
    free(ps);
    free(cs);
}

static corm_statement *five_conditions(void) {
    corm_statement *select = corm_statement_create(CORM_SELECT, parents, NULL);
    corm_statement_add(select, CORM_CLAUSE_WHERE,
                       CORM_AND(CORM_GT(corm_expr_column(parents, "age"), CORM_INT(35)),
                                CORM_LE(corm_expr_column(parents, "age"), CORM_INT(90)),
                                CORM_NE(corm_expr_column(parents, "name"), CORM_STR("Ben")),
                                CORM_OR(CORM_LT(corm_expr_column(parents, "id"), CORM_INT(900)),
                                        CORM_GE(corm_expr_column(parents, "id"), CORM_INT(950)))));
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column(parents, "id"));
    return select;
}

/* The microseconds that compiling takes: a new statement's text, less the making of the statement alone. */
static double compile_microseconds(void) {
    enum { TIMES = 2000 };
    corm_arena *arena = corm_arena_create();
    double differences[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int i = 0; i < TIMES; i++)
            corm_statement_free(five_conditions());
        double middle = seconds();
        for (int i = 0; i < TIMES; i++) {
            corm_statement *select = five_conditions();
            const char *sql;
            check(corm_statement_sql(select, arena, &sql, NULL, NULL, &error));
            corm_arena_clear(arena);
            corm_statement_free(select);
        }
        differences[round] = ((seconds() - middle) - (middle - start)) / TIMES * 1e6;
    }
    corm_arena_free(arena);
    return median(differences, ROUNDS);
}

static char *copy_text(sqlite3_stmt *statement, int column) {
    size_t size = (size_t)sqlite3_column_bytes(statement, column);
    char *copy = malloc(size + 1);
    memcpy(copy, sqlite3_column_text(statement, column), size);
    copy[size] = 0;
    return copy;
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(raw, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) {
        fprintf(stderr, "queries: %s\n", sqlite3_errmsg(raw));
        exit(1);
    }
    return statement;
}

static size_t read_parents(sqlite3_stmt *statement) {
    size_t count = 0, capacity = 16;
    parent *rows = malloc(capacity * sizeof *rows);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        if (count == capacity)
            rows = realloc(rows, (capacity *= 2) * sizeof *rows);
        rows[count++] =
            (parent){sqlite3_column_int64(statement, 0), copy_text(statement, 1), sqlite3_column_int64(statement, 2)};
    }
    sqlite3_reset(statement);
    for (size_t i = 0; i < count; i++)
        free((char *)rows[i].name);
    free(rows);
    return count;
}

static size_t read_children(sqlite3_stmt *statement) {
    size_t count = 0, capacity = 16;
    child *rows = malloc(capacity * sizeof *rows);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        if (count == capacity)
            rows = realloc(rows, (capacity *= 2) * sizeof *rows);
        rows[count++] = (child){sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                                copy_text(statement, 2), sqlite3_column_double(statement, 3)};
    }
    sqlite3_reset(statement);
    for (size_t i = 0; i < count; i++)
        free((char *)rows[i].name);
    free(rows);
    return count;
}

static size_t filter_by_hand(sqlite3_stmt *statement) {
    sqlite3_bind_int64(statement, 1, 35);
    sqlite3_bind_int64(statement, 2, 90);
    sqlite3_bind_text(statement, 3, "Ben", 3, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, 900);
    sqlite3_bind_int64(statement, 5, 950);
    return read_parents(statement);
}

static size_t filter_built(const corm_statement *select) {
    corm_query query = {.struct_size = sizeof query, .statement = select};
    corm_records *records;
    check(corm_query_fetch(db, parents, &query, &records, &error));
    size_t count = corm_records_count(records);
    corm_records_free(records);
    return count;
}

static size_t load_built(void) {
    corm_records *owners;
    corm_related *related;
    size_t count;
    check(corm_query_fetch(db, parents, NULL, &owners, &error));
    check(corm_relation_load(db, parents, "children", corm_records_data(owners), corm_records_count(owners), NULL,
                             &related, &error));
    corm_related_all(related, &count);
    corm_related_free(related);
    corm_records_free(owners);
    return count;
}

static void same(size_t left, size_t right) {
    if (left != right) {
        fprintf(stderr, "queries: %zu rows by hand, %zu built\n", left, right);
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : ":memory:";
    unlink(path);
    check(corm_database_open(path, NULL, &db, &error));
    check(corm_model_create(&parent_def, &parents, &error));
    check(corm_model_create(&child_def, &children, &error));
    corm_relation_def relation = {
        .struct_size = sizeof relation, .name = "children", .kind = CORM_TO_MANY, .target = children};
    check(corm_relation_add(parents, &relation, &error));
    fill();
    if (sqlite3_open_v2(path, &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return 1;
    sqlite3_stmt *filter = prepare("SELECT id, name, age FROM parent WHERE age > ? AND age <= ? AND name <> ? "
                                   "AND (id < ? OR id >= ?) ORDER BY id");
    sqlite3_stmt *owners = prepare("SELECT id, name, age FROM parent");
    sqlite3_stmt *owned =
        prepare("SELECT id, parent_id, name, price FROM child WHERE parent_id IN (SELECT id FROM parent)");
    corm_statement *select = five_conditions();

    double filters[ROUNDS], loads[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        size_t by_hand = 0, built = 0;
        double start = seconds();
        for (int i = 0; i < 100; i++)
            by_hand += filter_by_hand(filter);
        double middle = seconds();
        for (int i = 0; i < 100; i++)
            built += filter_built(select);
        filters[round] = (seconds() - middle) / (middle - start);
        same(by_hand, built);

        start = seconds();
        read_parents(owners);
        by_hand = read_children(owned);
        middle = seconds();
        built = load_built();
        loads[round] = (seconds() - middle) / (middle - start);
        same(by_hand, built);
    }
    printf("{\"compile_us\": %.2f, \"filter\": %.2f, \"load\": %.2f}\n", compile_microseconds(),
           median(filters, ROUNDS), median(loads, ROUNDS));
    sqlite3_finalize(filter);
    sqlite3_finalize(owners);
    sqlite3_finalize(owned);
    sqlite3_close(raw);
    corm_statement_free(select);
    corm_database_close(db, &error);
    return 0;
}
