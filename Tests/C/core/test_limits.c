/* Counts and sizes that cannot be. */
#include "relations.h"

static corm_status select_where(corm_expr *condition) {
    corm_result *result;
    corm_statement *select = corm_statement_create(CORM_SELECT, people, NULL);
    corm_statement_add(select, CORM_CLAUSE_WHERE, condition);
    corm_status status = corm_result_open_statement(db, select, NULL, 0, &result, &failure);
    corm_statement_free(select);
    return status;
}

/* finding c.md 8: some stopped the process. */
static void counts_that_cannot_be(void **state) {
    (void)state;
    static const size_t counts[] = {(size_t)1 << 40, INT64_MAX, SIZE_MAX};
    corm_queue *queue;
    corm_batch *batch;
    corm_json_reader *reader;
    const char *json;
    size_t size;
    corm_store *store;
    corm_plan *plan;
    corm_schema *schema;
    corm_result *result;
    corm_records *records;
    corm_related *related;
    corm_arena *arena = corm_arena_create();
    person one = {.name = "x"};
    pet rex = {.name = "Rex"};
    corm_region region = {.struct_size = sizeof(corm_region), .table = "person"};
    corm_observer *observer;
    corm_model *const *models = &people;
    corm_version_step step = {.struct_size = sizeof step, .version = 1, .up_sql = "SELECT 1"};
    corm_store_entry entry = {.struct_size = sizeof(corm_store_entry), .key = {"k", 1}};
    corm_value value = corm_value_int64(1);
    corm_observe_options options = {.struct_size = sizeof options, .model = people, .key = &value};
    corm_status status;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    OK(corm_json_reader_create(people, NULL, &reader, &failure));
    OK(corm_store_open(db, "s", &store, &failure));
#define TRY(...)                                                                                                       \
    forget_failure();                                                                                                  \
    status = __VA_ARGS__;                                                                                              \
    if (status != CORM_E_MISUSE && status != CORM_E_TOO_BIG && status != CORM_E_BINDING)                               \
    fail_msg("%s of %zu gives %s", #__VA_ARGS__, counts[index], corm_status_name(status))
    for (size_t index = 0; index < 3; index += 1) {
        size_t count = counts[index];
        /* With a cache, a key is looked for in it first. */
        OK(corm_database_set_cache(db, people, index, index * 1000, &failure));
        TRY(corm_json_reader_feed(reader, "[]", count, &failure));
        TRY(corm_json_write(people, &one, count, NULL, 0, NULL, arena, &json, &size, &failure));
        TRY(corm_json_write(people, &one, 1, (void *)&one, count, NULL, arena, &json, &size, &failure));
        TRY(corm_model_create_tables(db, models, count, &failure));
        TRY(corm_migration_sync(db, models, count, NULL, NULL, &failure));
        TRY(corm_migration_plan(db, models, count, NULL, &plan, &failure));
        TRY(corm_schema_create(models, count, &schema, &failure));
        TRY(corm_migration_set_version(db, &step, count, 1, NULL, &failure));
        TRY(corm_batch_execute(batch, "SELECT ?", &value, count, &failure));
        TRY(corm_database_execute(db, "SELECT ?", &value, count, NULL, &failure));
        TRY(corm_result_open(db, "SELECT ?", &value, count, &result, &failure));
        TRY(corm_record_find(db, people, &value, count, &one, arena, &failure));
        TRY(corm_record_exists(db, people, &value, count, &failure));
        TRY(corm_record_insert_many(db, people, &one, count, 0, NULL, NULL, &failure));
        TRY(corm_record_save_many(db, people, &one, count, NULL, &failure));
        TRY(corm_record_update_many(db, people, &one, count, NULL, NULL, &failure));
        TRY(corm_record_delete_many(db, people, &one, count, NULL, &failure));
        TRY(corm_relation_load(db, people, "pets", &one, count, NULL, &related, &failure));
        TRY(corm_query_fetch(db, people, &(corm_query){sizeof(corm_query), .values = &value, .value_count = count},
                             &records, &failure));
        TRY(corm_store_put_many(store, &entry, count, &failure));
        TRY(corm_store_get(store, "k", count, arena, &entry, &failure));
        options.key_count = count;
        TRY(corm_observer_open(db, &options, &observer, &failure));
        TRY(corm_observer_open(db, &(corm_observe_options){sizeof options, .regions = &region, .region_count = count},
                               &observer, &failure));
        TRY(corm_relation_save(db, people, &one, 1,
                               CORM_LEVELS(CORM_LEVEL(.relation = "pets", .records = &rex, .count = count)), NULL,
                               &failure));
        TRY(corm_relation_save(db, people, &one, count, NULL, 0, NULL, &failure));
        TRY(corm_database_execute(db, "SELECT ?", CORM_VALUES(corm_value_blob("x", count)), NULL, &failure));
        TRY(select_where(corm_expr_in(column("id"), &value, count)));
        TRY(select_where(corm_expr_raw("?", &value, count)));
        corm_expr *first = number(1), *second = number(1);
        TRY(select_where(corm_expr_all(&first, count)));
        TRY(select_where(corm_expr_call("count", &second, count)));
        /* An array that cannot be was not read. */
        corm_expr_free(first);
        corm_expr_free(second);
    }
    corm_arena_free(arena);
    corm_store_close(store);
    corm_json_reader_free(reader);
    corm_batch_free(batch);
    OK(corm_queue_close(queue, &failure));
}

/* A blob of 2^31 bytes was copied before anyone asked SQLite whether it takes one. */
static void a_blob_is_measured_before_it_is_read(void **state) {
    (void)state;
    corm_result *result;
    corm_value huge = corm_value_blob("x", INT32_MAX);
    GIVES(CORM_E_TOO_BIG, corm_database_execute(db, "SELECT ?", &huge, 1, NULL, &failure));
    GIVES(CORM_E_TOO_BIG, corm_result_open(db, "SELECT ?", &huge, 1, &result, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RELATION_TEST(counts_that_cannot_be),
        TEST(a_blob_is_measured_before_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
