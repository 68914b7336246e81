/* Handles that one thread ends while others use them: each call gets what it asks for, or an error. */
#include "threads.h"

#include <stdatomic.h>

static _Atomic(void *) shared;
static atomic_bool is_over;

/* One thread ends handles and makes new ones for so long, while the others use them. */
static void while_used(void *(*use)(void *), void *(*make)(void), void (*end)(void *)) {
    int64_t until = milliseconds() + many(1500);
    atomic_store(&is_over, false);
    atomic_store(&shared, make());
    start_threads(use, 3);
    while (milliseconds() < until) {
        void *old = atomic_load(&shared);
        atomic_store(&shared, make());
        end(old);
    }
    atomic_store(&is_over, true);
    join_threads();
    end(atomic_load(&shared));
}

static void *make_observer(void) {
    corm_observe_options options = {.struct_size = sizeof options, .model = people};
    corm_observer *observer;
    OK(corm_observer_open(db, &options, &observer, &failure));
    OK(corm_database_execute(db, "UPDATE person SET height = height + 1", CORM_NO_VALUES, NULL, &failure));
    return observer;
}

static void cancel_observer(void *observer) { corm_observer_close(observer); }

static void *observe(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        corm_event *event = NULL;
        int descriptor;
        corm_status status = corm_observer_next(atomic_load(&shared), &event, NULL);
        CHECK(status == CORM_ROW || status == CORM_AGAIN || status == CORM_DONE || status == CORM_E_MISUSE);
        if (status == CORM_ROW)
            CHECK(corm_event_info_get(event)->change_count == 1);
        corm_event_free(event);
        status = corm_observer_descriptor(atomic_load(&shared), &descriptor, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
    }
    return NULL;
}

/* finding c.md 3: a lock at 0x20 */
static void observers_are_cancelled_while_others_take(void **state) {
    (void)state;
    insert_people(1);
    while_used(observe, make_observer, cancel_observer);
}

static corm_queue *queue;

static corm_status do_nothing(corm_database *database, void *context, corm_error **out_error) {
    (void)database;
    (void)context;
    (void)out_error;
    return CORM_OK;
}

static void *make_listener(void) {
    corm_listener *listener;
    OK(corm_listener_open(queue, NULL, &listener, &failure));
    OK(corm_queue_add(queue, do_nothing, NULL, NULL, NULL, &failure));
    return listener;
}

static void cancel_listener(void *listener) { corm_listener_close(listener); }

static void *listen(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        corm_completion *completion = NULL;
        int descriptor;
        corm_status status = corm_listener_next(atomic_load(&shared), &completion, NULL);
        CHECK(status == CORM_ROW || status == CORM_AGAIN || status == CORM_DONE || status == CORM_E_MISUSE);
        corm_completion_free(completion);
        status = corm_listener_descriptor(atomic_load(&shared), &descriptor, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
    }
    return NULL;
}

static void listeners_are_cancelled_while_others_take(void **state) {
    (void)state;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    while_used(listen, make_listener, cancel_listener);
    OK(corm_queue_close(queue, &failure));
}

static void *make_model(void) {
    corm_model *model;
    OK(corm_model_create(&person_def, &model, &failure));
    return model;
}

static void free_model(void *model) { corm_model_free(model); }

static void *use_model(void *unused) {
    (void)unused;
    corm_arena *arena = corm_arena_create();
    while (!atomic_load(&is_over)) {
        person found;
        corm_status status = corm_model_table_exists(db, atomic_load(&shared), NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
        status = corm_record_find(db, atomic_load(&shared), CORM_VALUES(corm_value_int64(1)), &found, arena, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
        corm_arena_clear(arena);
    }
    corm_arena_free(arena);
    return NULL;
}

/* finding c.md 4 */
static void models_are_freed_while_others_use_them(void **state) {
    (void)state;
    insert_people(1);
    while_used(use_model, make_model, free_model);
}

static void *make_database(void) {
    corm_database *database;
    OK(corm_database_open(":memory:", NULL, &database, &failure));
    return database;
}

static void close_database(void *database) { corm_database_close(database, NULL); }

static void *use_database(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        corm_status status =
            corm_database_execute(atomic_load(&shared), "CREATE TABLE IF NOT EXISTS t (a)", CORM_NO_VALUES, NULL, NULL);
        CHECK(status == CORM_OK || status == CORM_E_MISUSE);
    }
    return NULL;
}

static void databases_are_closed_while_others_use_them(void **state) {
    (void)state;
    while_used(use_database, make_database, close_database);
}

/* One of each kind, made and ended by the test's thread. */
static struct {
    corm_database *database;
    corm_model *model;
    corm_result *result;
    corm_cursor *cursor;
    corm_records *records;
    corm_error *error;
    corm_arena *arena;
    corm_expr *expression;
    corm_statement *statement;
    corm_json_reader *json_reader;
    corm_schema *schema;
    corm_plan *plan;
    corm_bundle *bundle;
    corm_bundle_states *states;
    corm_metadata *metadata;
    corm_store *store;
    corm_observer *observer;
    corm_event *event;
    corm_registry *registry;
    corm_queue *queue;
    corm_batch *batch;
    corm_listener *listener;
    corm_completion *completion;
    corm_related *related;
    /* Lent to callbacks, whose return ends them. */
    corm_connection *connection;
    corm_answer *answer;
    corm_key_sink *key_sink;
} ended;

static corm_status keep_connection(corm_connection *connection, void *context, corm_error **out_error) {
    (void)context;
    (void)out_error;
    ended.connection = connection;
    return CORM_OK;
}

static corm_status keep_answer(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                               corm_error **out_error) {
    (void)count;
    (void)context;
    ended.answer = answer;
    return corm_answer_set(answer, arguments, out_error);
}

static corm_status keep_key_sink(const char *path, corm_key_sink *sink, void *context, corm_error **out_error) {
    (void)path;
    (void)context;
    ended.key_sink = sink;
    return corm_key_sink_set(sink, "key", 3, out_error);
}

static void call_with_each_kind(void) {
    corm_function function = CORM_FUNCTION_INIT;
    corm_cipher_options cipher = CORM_CIPHER_OPTIONS_INIT;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_database *database;
    function.name = "kept";
    function.argument_count = 1;
    function.call = keep_answer;
    cipher.rounds = 10;
    cipher.provider = keep_key_sink;
    options.cipher = &cipher;
    OK(corm_database_use_connection(db, keep_connection, NULL, &failure));
    OK(corm_database_register_function(db, &function, &failure));
    assert_int_equal(select_int("SELECT kept(7)"), 7);
    OK(corm_database_open(path_to("keyed.db"), &options, &database, &failure));
    OK(corm_database_close(database, &failure));
}

typedef struct node {
    int64_t id;
    corm_optional_int64 parent_id;
} node;
static const corm_column_def node_columns[] = {
    CORM_COLUMN(node, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(node, parent_id, CORM_INT64, .references_table = "node", .relation = "parent"),
};
static const corm_model_def node_def = CORM_MODEL(node, "Node", node_columns);

static void load_related(void) {
    corm_model *nodes;
    node root = {.id = 1};
    OK(corm_model_create_all(&(corm_model_slot){&node_def, &nodes}, 1, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(nodes), &failure));
    OK(corm_relation_load(db, nodes, "parent", &root, 1, NULL, &ended.related, &failure));
    corm_model_free(nodes);
}

static void make_each_kind(void) {
    corm_observe_options watch = {.struct_size = sizeof watch, .model = people};
    OK(corm_database_open(path_to("other.db"), NULL, &ended.database, &failure));
    OK(corm_model_create(&person_def, &ended.model, &failure));
    OK(corm_result_open(db, "SELECT 1", CORM_NO_VALUES, &ended.result, &failure));
    OK(corm_cursor_open(db, people, NULL, &ended.cursor, &failure));
    OK(corm_query_fetch(db, people, NULL, &ended.records, &failure));
    CHECK(corm_database_execute(db, "SELEC", CORM_NO_VALUES, NULL, &ended.error) == CORM_E_SQL);
    ended.arena = corm_arena_create();
    ended.expression = corm_expr_column(people, "name");
    ended.statement = corm_statement_create(CORM_SELECT, people, NULL);
    OK(corm_json_reader_create(people, NULL, &ended.json_reader, &failure));
    OK(corm_schema_read(db, &ended.schema, &failure));
    OK(corm_migration_plan(db, CORM_MODELS(people), NULL, &ended.plan, &failure));
    OK(corm_bundle_create(NULL, &ended.bundle, &failure));
    OK(corm_bundle_status(db, ended.bundle, &ended.states, &failure));
    OK(corm_metadata_read(db, &ended.metadata, &failure));
    OK(corm_store_open(db, "store", &ended.store, &failure));
    OK(corm_observer_open(db, &watch, &ended.observer, &failure));
    OK(corm_database_execute(db, "UPDATE person SET height = height + 1", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_ROW, corm_observer_next(ended.observer, &ended.event, &failure));
    OK(corm_registry_open(path_to("{name}.db"), 4, NULL, &ended.registry, &failure));
    OK(corm_queue_open(db, NULL, &ended.queue, &failure));
    OK(corm_batch_create(ended.queue, &ended.batch, &failure));
    OK(corm_listener_open(ended.queue, NULL, &ended.listener, &failure));
    OK(corm_queue_add(ended.queue, do_nothing, NULL, NULL, NULL, &failure));
    OK(corm_queue_flush(ended.queue, &failure));
    while (corm_listener_next(ended.listener, &ended.completion, NULL) != CORM_ROW)
        wait_milliseconds(1);
    load_related();
    call_with_each_kind();
}

static void end_each_kind(void) {
    corm_related_free(ended.related);
    corm_completion_free(ended.completion);
    corm_listener_close(ended.listener);
    corm_batch_free(ended.batch);
    OK(corm_queue_close(ended.queue, &failure));
    OK(corm_registry_close(ended.registry, &failure));
    corm_event_free(ended.event);
    corm_observer_close(ended.observer);
    corm_store_close(ended.store);
    corm_metadata_free(ended.metadata);
    corm_bundle_states_free(ended.states);
    corm_bundle_free(ended.bundle);
    corm_plan_free(ended.plan);
    corm_schema_free(ended.schema);
    corm_json_reader_free(ended.json_reader);
    corm_statement_free(ended.statement);
    corm_expr_free(ended.expression);
    corm_arena_free(ended.arena);
    corm_error_free(ended.error);
    corm_records_free(ended.records);
    corm_cursor_close(ended.cursor);
    corm_result_close(ended.result);
    corm_model_free(ended.model);
    OK(corm_database_close(ended.database, &failure));
}

static void use_each_kind(void) {
    person found;
    const char *sql;
    corm_value value;
    corm_event *event;
    corm_completion *completion;
    corm_store_entry entry;
    corm_bundle_states *states;
    CHECK(corm_database_execute(ended.database, "SELECT 1", NULL, 0, NULL, NULL) == CORM_E_MISUSE);
    CHECK(corm_model_info_get(ended.model)->column_count == 0);
    CHECK(corm_record_find(db, ended.model, CORM_VALUES(corm_value_int64(1)), &found, NULL, NULL) == CORM_E_MISUSE);
    CHECK(corm_result_next(ended.result, NULL) == CORM_E_MISUSE);
    CHECK(corm_result_get(ended.result, 0, &value, NULL) == CORM_E_MISUSE);
    CHECK(corm_cursor_next(ended.cursor, &found, NULL) == CORM_E_MISUSE);
    CHECK(corm_records_count(ended.records) == 0);
    CHECK(corm_error_code(ended.error) == CORM_E_MISUSE);
    CHECK(corm_arena_copy(ended.arena, "x", 1) == NULL);
    CHECK(corm_expr_sql(ended.expression, NULL, &sql, NULL, NULL, NULL) == CORM_E_MISUSE);
    CHECK(corm_statement_sql(ended.statement, NULL, &sql, NULL, NULL, NULL) == CORM_E_MISUSE);
    CHECK(corm_json_reader_feed(ended.json_reader, "[", 1, NULL) == CORM_E_MISUSE);
    CHECK(corm_schema_info_get(ended.schema)->sql == NULL);
    CHECK(corm_plan_info_get(ended.plan)->step_count == 0);
    CHECK(corm_bundle_status(db, ended.bundle, &states, NULL) == CORM_E_MISUSE);
    CHECK(corm_bundle_states_count(ended.states) == 0);
    CHECK(corm_metadata_info_get(ended.metadata)->table_count == 0);
    CHECK(corm_store_get(ended.store, "k", 1, NULL, &entry, NULL) == CORM_E_MISUSE);
    CHECK(corm_observer_next(ended.observer, &event, NULL) == CORM_E_MISUSE);
    CHECK(corm_event_info_get(ended.event)->change_count == 0);
    CHECK(corm_registry_set_current(ended.registry, NULL, NULL) == CORM_E_MISUSE);
    CHECK(corm_queue_count(ended.queue) == 0);
    CHECK(corm_batch_count(ended.batch) == 0);
    CHECK(corm_listener_next(ended.listener, &completion, NULL) == CORM_E_MISUSE);
    CHECK(corm_completion_info_get(ended.completion)->number == 0);
    CHECK(corm_related_all(ended.related, NULL) == NULL);
    CHECK(corm_related_next(ended.related) == NULL);
    CHECK(corm_connection_execute_script(ended.connection, "SELECT 1", NULL) == CORM_E_MISUSE);
    CHECK(corm_connection_sqlite3(ended.connection) == NULL);
    value = corm_value_int64(1);
    CHECK(corm_answer_set(ended.answer, &value, NULL) == CORM_E_MISUSE);
    CHECK(corm_key_sink_set(ended.key_sink, "key", 3, NULL) == CORM_E_MISUSE);
}

static void *use_each_kind_at_once(void *unused) {
    (void)unused;
    use_each_kind();
    return NULL;
}

static void each_kind_is_refused_to_other_threads_after_its_end(void **state) {
    (void)state;
    insert_people(1);
    make_each_kind();
    end_each_kind();
    on_thread(use_each_kind);
    start_threads(use_each_kind_at_once, 3);
    join_threads();
}

/* finding c.md 13: after 2^24 uses of a slot an old handle was good again. */
static void a_handle_is_never_given_out_twice(void **state) {
    (void)state;
    corm_arena *first = corm_arena_create();
    corm_arena_free(first);
    for (int use = 0; use < many(1 << 24) + 100; use += 1) {
        corm_arena *arena = corm_arena_create();
        if (arena == first)
            fail_msg("after %d uses", use);
        corm_arena_free(arena);
    }
    assert_null(corm_arena_copy(first, "x", 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(observers_are_cancelled_while_others_take),
        TEST(listeners_are_cancelled_while_others_take),
        TEST(models_are_freed_while_others_use_them),
        TEST(databases_are_closed_while_others_use_them),
        TEST(each_kind_is_refused_to_other_threads_after_its_end),
        TEST(a_handle_is_never_given_out_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
