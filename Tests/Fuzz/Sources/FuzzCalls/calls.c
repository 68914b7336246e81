/*
 * What a caller hands the library as bytes, by libFuzzer: CORMORANT_FUZZ=json, marshal (rows in Python's format), tree (statements and
 * expressions in it) or database (whole files, opened as untrusted). Its corpora begin in Calls/.
 */
#define _GNU_SOURCE
#include <cormorant-binding.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct item {
    int64_t id;
    const char *name;
    corm_optional_double price;
    corm_blob data;
    corm_datetime made;
    corm_text json, decimal;
    corm_uuid uuid;
} item;

static const corm_column_def columns[] = {
    CORM_COLUMN(item, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(item, name, CORM_TEXT, .unique = true),
    CORM_COLUMN(item, price, CORM_DOUBLE),
    CORM_COLUMN(item, data, CORM_BLOB),
    CORM_COLUMN(item, made, CORM_DATETIME),
    CORM_COLUMN(item, json, CORM_JSON),
    CORM_COLUMN(item, decimal, CORM_DECIMAL),
    CORM_COLUMN(item, uuid, CORM_UUID),
};
static const corm_model_def definition = CORM_MODEL(item, "item", columns);

static corm_database *db;
static corm_model *model;
static corm_error *error;
static char path[64];

static void forget(void) {
    corm_error_free(error);
    error = NULL;
}

/* An error that says nothing is a fault. */
static void look(corm_status status) {
    if (status < 0 && (error == NULL || corm_error_code(error) != status || corm_error_message(error)[0] == 0))
        abort();
    forget();
}

static void read_json(const uint8_t *data, size_t size);
static void write_rows(const uint8_t *data, size_t size);
static void make_tree(const uint8_t *data, size_t size);
static void open_file(const uint8_t *data, size_t size);

static const struct {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} targets[] = {{"json", read_json}, {"marshal", write_rows}, {"tree", make_tree}, {"database", open_file}};
static void (*target)(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    const char *name = getenv("CORMORANT_FUZZ");
    for (size_t index = 0; name != NULL && index < sizeof targets / sizeof *targets; index += 1)
        if (strcmp(name, targets[index].name) == 0)
            target = targets[index].run;
    if (target == NULL)
        abort();
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.journal_mode = CORM_JOURNAL_MEMORY;
    snprintf(path, sizeof path, "/dev/shm/corm-fuzz-%d", (int)getpid());
    if (corm_database_open(":memory:", &options, &db, NULL) < 0 || corm_model_create(&definition, &model, NULL) < 0 ||
        corm_model_create_tables(db, &model, 1, NULL) < 0)
        abort();
    return 0;
}

static void read_json(const uint8_t *data, size_t size) {
    corm_json_reader *reader;
    corm_json_options options = CORM_JSON_OPTIONS_INIT;
    options.lines = data[0] & 1;
    options.refuse_unknown = data[0] & 2;
    size_t piece = (size_t)(data[0] >> 3) + 1;
    if (corm_json_reader_create(model, &options, &reader, NULL) < 0)
        abort();
    corm_status status = CORM_OK;
    for (size_t at = 1; at < size && status >= 0; at += piece) {
        status = corm_json_reader_feed(reader, data + at, size - at < piece ? size - at : piece, &error);
        look(status);
    }
    if (status >= 0)
        look(corm_json_reader_end(reader, &error));
    if (data[0] & 4) {
        item one;
        for (int index = 0; index < 100 && (status = corm_json_reader_next(reader, &one, &error)) == CORM_ROW;
             index += 1)
            ;
        look(status);
    } else {
        look(corm_json_reader_import(db, reader, CORM_WRITE_SAVE, NULL, &error));
    }
    corm_json_reader_free(reader);
}

static void write_rows(const uint8_t *data, size_t size) {
    corm_block block = {0};
    size_t rest = size - 1;
    look(corm_block_write(db, model, data[0] % 4 + 1, CORM_CONFLICT_ABORT, NULL, NULL, 0, false, data + 1, rest, &block,
                          NULL, &error));
    corm_block_free(&block);
    look(corm_block_find(db, model, data + 1, rest, &block, &error));
    corm_block_free(&block);
    look(corm_block_execute(db, "INSERT OR REPLACE INTO item (id, name) VALUES (?, :b)", data + 1, rest, false, NULL,
                            &error));
}

static void make_tree(const uint8_t *data, size_t size) {
    corm_block block = {0};
    uint8_t *tree = malloc(size);
    memcpy(tree, data + 1, size - 1);
    /* Where a tree has the model. */
    for (uint8_t *place = tree; (place = memmem(place, (size_t)(tree + size - 1 - place), "MODEL---", 8)) != NULL;
         place += 8)
        memcpy(place, &model, sizeof model);
    if (data[0] & 1) {
        corm_expr *expression = NULL;
        corm_status status = corm_tree_expression(tree, size - 1, &expression, &error);
        look(status);
        if (status >= 0)
            look(corm_tree_expression_sql(expression, &block, &error));
        corm_expr_free(expression);
    } else {
        corm_statement *statement = NULL;
        int64_t found = 0;
        corm_status status = corm_tree_statement(tree, size - 1, &statement, &error);
        look(status);
        if (status >= 0) {
            look(corm_tree_statement_sql(statement, &block, &error));
            look(corm_tree_count(db, statement, NULL, 0, &found, &error));
        }
        corm_statement_free(statement);
    }
    corm_block_free(&block);
    free(tree);
}

static void open_file(const uint8_t *data, size_t size) {
    corm_database *opened;
    corm_metadata *metadata = NULL;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    char name[100];
    options.untrusted = true;
    options.reader_count = -1;
    const char *const suffixes[] = {"", "-wal", "-journal", "-shm"};
    for (int index = 0; index < 4; index += 1) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[index]);
        unlink(name);
    }
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
    corm_status status = corm_database_open(path, &options, &opened, &error);
    look(status);
    if (status < 0)
        return;
    look(corm_metadata_read(opened, &metadata, &error));
    corm_metadata_free(metadata);
    look(corm_database_execute(opened, "PRAGMA integrity_check(5)", CORM_NO_VALUES, NULL, &error));
    look(corm_database_execute_script(opened, "CREATE TABLE IF NOT EXISTS ours (x); INSERT INTO ours VALUES (1)",
                                      &error));
    look(corm_database_close(opened, &error));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    target(data, size);
    if (target != open_file && corm_database_execute(db, "DELETE FROM item", CORM_NO_VALUES, NULL, NULL) < 0)
        abort();
    return 0;
}
