/* Memory that is not there: what the database holds, or the caller gives, is larger than what is left (finding c.md 5). */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct document {
    int64_t id;
    corm_text body;
    corm_blob raw;
    corm_value any;
} document;

static const corm_column_def document_columns[] = {
    CORM_COLUMN(document, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(document, body, CORM_TEXT),
    CORM_COLUMN(document, raw, CORM_BLOB),
    CORM_COLUMN(document, any, CORM_TEXT),
};
static const corm_model_def document_def = CORM_MODEL(document, "document", document_columns);

static const size_t large = 8 << 20;
/* A statement, `large` bytes of it in a literal; the literal; what is in it. */
static char *statement, *literal, *text;
static corm_database *own;
static corm_model *documents;
static corm_model *const *const models = &documents;
static corm_arena *arena;
static corm_error *error;
static document record;

/* What cases prepare, and make. */
static corm_result *result;
static corm_cursor *cursor;
static corm_records *records;
static corm_json_reader *reader;
static const char *json;
static size_t size;
static corm_store *store;
static corm_batch *batch;
static const char *out;

static void must(corm_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", corm_error_message(error));
        _exit(3);
    }
}

static corm_value much(void) { return corm_value_text_size(text, large); }
static corm_store_entry entry(void) {
    return (corm_store_entry){.struct_size = sizeof(corm_store_entry), .key = {"k", 1}, .value = much()};
}

static void insert(const char *column, corm_value value) {
    char sql[80];
    snprintf(sql, sizeof sql, "INSERT INTO document (id, %s) VALUES (1, ?)", column);
    must(corm_database_execute(own, sql, &value, 1, NULL, &error));
}

static void nothing(void) {}
static void a_text(void) { insert("body", much()); }
static void a_blob(void) { insert("raw", corm_value_blob(text, large)); }
static void a_value(void) { insert("any", much()); }
static void a_result(void) {
    a_text();
    must(corm_result_open(own, "SELECT body FROM document", NULL, 0, &result, &error));
}
static void a_row(void) {
    a_result();
    must(corm_result_next(result, &error));
}
static void a_row_of_a_blob(void) {
    a_blob();
    must(corm_result_open(own, "SELECT raw FROM document", NULL, 0, &result, &error));
    must(corm_result_next(result, &error));
}
static void many_rows(void) {
    must(corm_result_open(own,
                          "WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 1000) "
                          "SELECT hex(zeroblob(30000)) FROM c",
                          NULL, 0, &result, &error));
}
static void a_cache(void) {
    a_text();
    must(corm_database_set_cache(own, documents, 100, 1 << 30, &error));
}
static void a_cursor(void) {
    a_text();
    must(corm_cursor_open(own, documents, NULL, &cursor, &error));
}
static void a_store(void) { must(corm_store_open(own, "s", &store, &error)); }
static void a_full_store(void) {
    corm_store_entry one = entry();
    a_store();
    must(corm_store_put(store, &one, &error));
}
static void feed(const char *start) {
    must(corm_json_reader_create(documents, NULL, &reader, &error));
    must(corm_json_reader_feed(reader, start, strlen(start), &error));
    must(corm_json_reader_feed(reader, text, large, &error));
    must(corm_json_reader_feed(reader, "\"}", 2, &error));
    must(corm_json_reader_end(reader, &error));
}
static void json_of_text(void) { feed("{\"body\":\""); }
static void json_with_an_escape(void) { feed("{\"body\":\"\\n"); }
static void json_of_base64(void) { feed("{\"raw\":\""); }
static void a_table(void) { must(corm_database_execute(own, statement, NULL, 0, NULL, &error)); }
static void a_batch(void) {
    corm_queue *queue;
    must(corm_queue_open(own, NULL, &queue, &error));
    must(corm_batch_create(queue, &batch, &error));
}
static void an_observer(void) {
    corm_observe_options options = {.struct_size = sizeof options, .model = documents, .values = true};
    corm_observer *observer;
    must(corm_observer_open(own, &options, &observer, &error));
}

static corm_status arena_copy(void) { return corm_arena_copy(arena, text, large) == NULL ? CORM_E_NO_MEMORY : CORM_OK; }
static corm_status row_json(void) { return corm_result_row_json(result, &out, &error); }
static corm_status result_json(void) { return corm_result_json(result, &out, &error); }
static corm_status find(void) {
    corm_value key = corm_value_int64(1);
    return corm_record_find(own, documents, &key, 1, &record, arena, &error);
}
static corm_status fetch(void) { return corm_query_fetch(own, documents, NULL, &records, &error); }
static corm_status next(void) { return corm_cursor_next(cursor, &record, &error); }
static corm_status fetch_by_value(void) {
    corm_value body = corm_value_named("body", much());
    corm_query query = {.struct_size = sizeof query, .values = &body, .value_count = 1};
    return corm_query_fetch(own, documents, &query, &records, &error);
}
static corm_status select_expression(corm_expr *operand) {
    corm_statement *select = corm_statement_create(CORM_SELECT, documents, NULL);
    corm_expr *column = corm_expr_column(documents, "body");
    corm_statement_add(select, CORM_CLAUSE_WHERE, corm_expr_binary(CORM_OP_EQUAL, column, operand));
    return corm_result_open_statement(own, select, NULL, 0, &result, &error);
}
static corm_status value_expression(void) { return select_expression(corm_expr_value(much())); }
static corm_status raw_expression(void) { return select_expression(corm_expr_raw(literal, NULL, 0)); }
static corm_status expression_sql(void) {
    return corm_expr_sql(corm_expr_raw(literal, NULL, 0), arena, &out, NULL, NULL, &error);
}
static corm_status write_blob(void) {
    record.raw = (corm_blob){text, large};
    return corm_json_write(documents, &record, 1, NULL, 0, NULL, arena, &json, &size, &error);
}
static corm_status write_many(void) {
    document *all = calloc(1000, sizeof *all);
    for (int index = 0; index < 1000; index += 1)
        all[index].body = (corm_text){text, 60000};
    return corm_json_write(documents, all, 1000, NULL, 0, NULL, arena, &json, &size, &error);
}
static corm_status json_feed(void) {
    must(corm_json_reader_create(documents, NULL, &reader, &error));
    return corm_json_reader_feed(reader, text, large, &error);
}
static corm_status json_next(void) { return corm_json_reader_next(reader, &record, &error); }
static corm_status json_import(void) { return corm_json_reader_import(own, reader, CORM_WRITE_INSERT, NULL, &error); }
static corm_status put(void) {
    corm_store_entry one = entry();
    return corm_store_put(store, &one, &error);
}
static corm_status get(void) {
    corm_store_entry one = CORM_STORE_ENTRY_INIT;
    return corm_store_get(store, "k", 1, arena, &one, &error);
}
static corm_status execute(void) { return corm_database_execute(own, statement, NULL, 0, NULL, &error); }
static corm_status execute_script(void) { return corm_database_execute_script(own, statement, &error); }
static corm_status execute_value(void) {
    corm_value value = much();
    return corm_database_execute(own, "INSERT INTO document (body) VALUES (?)", &value, 1, NULL, &error);
}
static corm_status zeros(void) {
    return corm_database_execute(own, "CREATE TABLE t AS SELECT zeroblob(100000000)", NULL, 0, NULL, &error);
}
static corm_status parse(void) {
    corm_schema *schema;
    return corm_schema_parse(statement, &schema, &error);
}
static corm_status read_schema(void) {
    corm_schema *schema;
    return corm_schema_read(own, &schema, &error);
}
static corm_status read_metadata(void) {
    corm_metadata *metadata;
    return corm_metadata_read(own, &metadata, &error);
}
static corm_status sync_models(void) { return corm_migration_sync(own, models, 1, NULL, NULL, &error); }
static corm_status model_create(void) {
    corm_column_def columns[] = {CORM_COLUMN(document, body, CORM_TEXT, .default_sql = literal)};
    corm_model_def definition = CORM_MODEL(document, "other", columns);
    corm_model *other;
    return corm_model_create(&definition, &other, &error);
}
static corm_status batch_insert(void) {
    record.body = (corm_text){text, large};
    return corm_batch_insert(batch, documents, &record, 0, &error);
}
static corm_status batch_execute(void) { return corm_batch_execute(batch, statement, NULL, 0, &error); }
static corm_status batch_value(void) {
    corm_value value = much();
    return corm_batch_execute(batch, "SELECT ?", &value, 1, &error);
}

#define CASE(first, then) {#first ", " #then, first, then}
static const struct {
    const char *name;
    void (*prepare)(void);
    corm_status (*call)(void);
} cases[] = {
    CASE(nothing, arena_copy),
    CASE(a_row, row_json),
    CASE(a_row_of_a_blob, row_json),
    CASE(a_result, result_json),
    CASE(many_rows, result_json),
    CASE(a_text, find),
    CASE(a_blob, find),
    CASE(a_value, find),
    CASE(a_cache, find),
    CASE(a_text, fetch),
    CASE(a_value, fetch),
    CASE(a_cursor, next),
    CASE(nothing, fetch_by_value),
    CASE(nothing, value_expression),
    CASE(nothing, raw_expression),
    CASE(nothing, expression_sql),
    CASE(nothing, write_blob),
    CASE(nothing, write_many),
    CASE(nothing, json_feed),
    CASE(json_of_base64, json_next),
    CASE(json_with_an_escape, json_next),
    CASE(json_of_text, json_import),
    CASE(a_store, put),
    CASE(a_full_store, get),
    CASE(nothing, execute),
    CASE(nothing, execute_script),
    CASE(nothing, execute_value),
    CASE(nothing, zeros),
    CASE(an_observer, execute_value),
    CASE(nothing, parse),
    CASE(a_table, read_schema),
    CASE(a_table, read_metadata),
    CASE(a_table, sync_models),
    CASE(nothing, model_create),
    CASE(a_batch, batch_insert),
    CASE(a_batch, batch_execute),
    CASE(a_batch, batch_value),
};

/* Runs a case in a process that may have `room` bytes more than it has, and ends it: 0 without memory, 1 if it was done. */
static void run(size_t index, size_t room) {
    struct rlimit limit;
    must(corm_database_open(":memory:", NULL, &own, &error));
    must(corm_model_create(&document_def, &documents, &error));
    must(corm_model_create_tables(own, models, 1, &error));
    arena = corm_arena_create();
    cases[index].prepare();
    FILE *size = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (size == NULL || fscanf(size, "%lu", &pages) != 1)
        _exit(9);
    limit.rlim_cur = limit.rlim_max = pages * 4096 + room;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        _exit(9);
    corm_status status = cases[index].call();
    if (status < 0 && status != CORM_E_NO_MEMORY)
        fprintf(stderr, "%s\n", corm_error_message(error));
    _exit(status == CORM_E_NO_MEMORY ? 0 : status < 0 ? 2 : 1);
}

/* Half a copy's room, one and a half, and so on: each must say that there is no memory, until all can be done. */
static void memory_that_is_not_there(void **state) {
    (void)state;
    if (getenv("CORMORANT_TEST_KEY") != NULL || peak_memory() == 0)
        skip();
    statement = malloc(large + 100);
    literal = statement + sprintf(statement, "CREATE TABLE big (a TEXT DEFAULT ");
    text = literal + 1;
    literal[0] = '\'';
    memset(text, 'x', large);
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index += 1) {
        bool takes_literal = cases[index].call == raw_expression || cases[index].call == expression_sql ||
                             cases[index].call == model_create;
        strcpy(text + large, takes_literal ? "'" : "')");
        int status = 0;
        for (size_t room = large / 2; room < 12 * large && status == 0; room += large) {
            pid_t child = fork();
            if (child == 0)
                run(index, room);
            assert_int_equal(waitpid(child, &status, 0), child);
            bool is_good =
                WIFEXITED(status) && (WEXITSTATUS(status) == 0 || (WEXITSTATUS(status) == 1 && room > large));
            if (!is_good)
                fail_msg("%s, with %zu bytes: exit %d, signal %d", cases[index].name, room, WEXITSTATUS(status),
                         WTERMSIG(status));
        }
    }
    free(statement);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_that_is_not_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
