/* What is called around the writes of C structs: what they get, what they may do, what comes back into the struct. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct page {
    int64_t id;
    const char *title;
    corm_optional_int64 size;
    int64_t version;
    corm_datetime created;
    corm_datetime updated;
} page;

/* What the hooks of a test do, and saw. */
typedef struct plan {
    const char *fails_at;
    corm_status status; /* without an error, where it is not 0 */
    const char *writes_at;
    corm_model *writes;
    corm_database *database;
    int64_t key_after;
    int calls;
} plan;

static plan now;
static corm_model *pages;
static corm_arena *arena;

static corm_status hook(const char *name, corm_database *database, page *record, corm_error **error) {
    now.calls += 1;
    now.database = database;
    if (now.writes_at != NULL && strcmp(now.writes_at, name) == 0) {
        person ada = {.name = "Ada", .height = 1};
        corm_status status = corm_record_insert(database, now.writes, &ada, CORM_CONFLICT_ABORT, NULL, error);
        if (status < 0)
            return status;
    }
    if (strcmp(name, "after") == 0)
        now.key_after = record->id;
    if (now.fails_at == NULL || strcmp(now.fails_at, name) != 0)
        return CORM_OK;
    if (now.status != 0)
        return now.status;
    *error = corm_error_create(CORM_E_CALLBACK, "not today", "come again");
    return CORM_E_CALLBACK;
}

static corm_status before(corm_database *database, void *record, corm_arena *memory, void *context,
                          corm_error **error) {
    assert_ptr_equal(context, &now);
    page *one = record;
    if (memory != NULL && one->title != NULL && strcmp(one->title, "shout") == 0)
        one->title = corm_arena_copy(memory, "SHOUT", 5);
    return hook("before", database, record, error);
}

static corm_status after(corm_database *database, void *record, corm_arena *memory, void *context, corm_error **error) {
    (void)memory, (void)context;
    return hook("after", database, record, error);
}

static corm_status has_title(const void *record, void *context, corm_error **error) {
    (void)context;
    if (((const page *)record)->title != NULL)
        return CORM_OK;
    *error = corm_error_create(CORM_E_CALLBACK, "it has no title", NULL);
    return CORM_E_CALLBACK;
}

static corm_status is_small(const void *field, void *context, corm_error **error) {
    const corm_optional_int64 *size = field;
    assert_true(size->has_value);
    if (size->value <= *(const int64_t *)context)
        return CORM_OK;
    if (size->value == 1000)
        return -1;
    *error =
        corm_error_create(size->value == 999 ? CORM_E_BUSY : CORM_E_VALIDATION, "it is too large", "make it smaller");
    return CORM_E_VALIDATION;
}

static int64_t greatest = 100;
static const corm_column_def page_columns[] = {
    CORM_COLUMN(page, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(page, title, CORM_TEXT),
    CORM_COLUMN(page, size, CORM_INT64, .validate = is_small, .validate_context = &greatest),
    CORM_COLUMN(page, version, CORM_INT64, .version = true),
    CORM_COLUMN(page, created, CORM_DATETIME, .stamp = CORM_STAMP_CREATED),
    CORM_COLUMN(page, updated, CORM_DATETIME, .stamp = CORM_STAMP_UPDATED),
};
static const corm_record_hooks page_hooks = {
    .struct_size = sizeof(corm_record_hooks),
    .before_save = before,
    .after_save = after,
    .before_delete = before,
    .after_delete = after,
    .validate = has_title,
    .context = &now,
};
static const corm_model_def page_def = CORM_MODEL(page, "Page", page_columns, .hooks = &page_hooks);

static int set_up_hooks(void **state) {
    int done = set_up(state);
    now = (plan){0};
    arena = corm_arena_create();
    OK(corm_model_create(&page_def, &pages, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(pages), &failure));
    now.writes = people;
    return done;
}

static int tear_down_hooks(void **state) {
    corm_model_free(pages);
    corm_arena_free(arena);
    return tear_down(state);
}

#define HOOK_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_hooks, tear_down_hooks)

static void hooks_get_the_database_the_record_and_its_memory(void **state) {
    (void)state;
    page one = {.title = "shout"};
    OK(corm_record_insert(db, pages, &one, CORM_CONFLICT_ABORT, arena, &failure));
    assert_ptr_equal(now.database, db);
    assert_int_equal(now.key_after, 1);
    assert_string_equal(one.title, "SHOUT");
    assert_string_equal(select_text("SELECT title FROM page"), "SHOUT");
    /* Without an arena there is no memory to give. */
    one.title = "shout";
    OK(corm_record_update(db, pages, &one, NULL, NULL, &failure));
    assert_string_equal(select_text("SELECT title FROM page"), "shout");
    assert_int_equal(now.calls, 4);
}

static void an_error_is_the_hooks_own(void **state) {
    (void)state;
    page one = {.title = "a"};
    now.fails_at = "before";
    GIVES(CORM_E_CALLBACK, corm_record_save(db, pages, &one, NULL, &failure));
    assert_string_equal(corm_error_message(failure), "not today");
    assert_string_equal(corm_error_hint(failure), "come again");
    now.status = CORM_E_READ_ONLY;
    GIVES(CORM_E_READ_ONLY, corm_record_save(db, pages, &one, NULL, &failure));
    assert_string_equal(corm_error_message(failure), "the hook before_save of Page failed with status -7");
    assert_int_equal(select_int("SELECT count(*) FROM page"), 0);
}

/* Key, version and times are those of the row that is not there. */
static void what_an_after_hook_refuses_is_taken_back_of_the_struct(void **state) {
    (void)state;
    page one = {.title = "a"};
    now.fails_at = "after";
    GIVES(CORM_E_CALLBACK, corm_record_insert(db, pages, &one, CORM_CONFLICT_ABORT, arena, &failure));
    assert_int_equal(now.key_after, 1);
    assert_true(one.id == 0 && one.version == 0 && one.created == 0 && one.updated == 0);
    now.fails_at = NULL;
    OK(corm_record_insert(db, pages, &one, CORM_CONFLICT_ABORT, arena, &failure));
    page same = one;
    now.fails_at = "after";
    GIVES(CORM_E_CALLBACK, corm_record_update(db, pages, &one, NULL, arena, &failure));
    GIVES(CORM_E_CALLBACK, corm_record_save(db, pages, &one, arena, &failure));
    GIVES(CORM_E_CALLBACK, corm_record_upsert(db, pages, &one, 1, NULL, arena, NULL, &failure));
    GIVES(CORM_E_CALLBACK, corm_record_delete(db, pages, &one, &failure));
    /* An upsert has read the row's title. */
    one.title = same.title;
    assert_memory_equal(&one, &same, sizeof one);
    page many[2] = {{.title = "b"}, {.title = "c"}};
    GIVES(CORM_E_CALLBACK, corm_record_insert_many(db, pages, many, 2, CORM_CONFLICT_ABORT, arena, NULL, &failure));
    assert_int_equal(corm_error_info_get(failure)->record_index, 0);
    assert_true(many[0].id == 0 && many[0].version == 0 && many[0].created == 0 && many[1].id == 0);
    assert_int_equal(select_int("SELECT count(*) FROM page"), 1);
}

static void what_hooks_write_is_part_of_the_write(void **state) {
    (void)state;
    page one = {.title = "a"};
    now.writes_at = "before";
    now.fails_at = "after";
    GIVES(CORM_E_CALLBACK, corm_record_save(db, pages, &one, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
    now.fails_at = NULL;
    OK(corm_record_save(db, pages, &one, NULL, &failure));
    assert_int_equal(one.id, 1);
    OK(corm_record_delete(db, pages, &one, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
}

static void a_validator_names_model_and_property(void **state) {
    (void)state;
    page one = {.title = "a", .size = {true, 101}};
    GIVES(CORM_E_VALIDATION, corm_record_insert(db, pages, &one, CORM_CONFLICT_ABORT, arena, &failure));
    assert_string_equal(corm_error_message(failure), "Page.size: it is too large");
    assert_string_equal(corm_error_hint(failure), "make it smaller");
    assert_string_equal(columns_of(failure), "size");
    one.size.value = 1000;
    GIVES(CORM_E_VALIDATION, corm_record_insert(db, pages, &one, CORM_CONFLICT_ABORT, arena, &failure));
    assert_string_equal(corm_error_message(failure), "Page.size: refused by its validator, with status -1");
    /* What went wrong in a validator is no refusal. */
    one.size.value = 999;
    GIVES(CORM_E_BUSY, corm_record_insert(db, pages, &one, CORM_CONFLICT_ABORT, arena, &failure));
    one = (page){.size = {true, 1}};
    GIVES(CORM_E_VALIDATION, corm_record_save(db, pages, &one, arena, &failure));
    assert_string_equal(corm_error_message(failure), "Page: it has no title");
    assert_int_equal(select_int("SELECT count(*) FROM page"), 0);
}

static corm_status ends_it(corm_database *database, void *record, corm_arena *memory, void *context,
                           corm_error **error) {
    (void)memory, (void)context;
    switch (((page *)record)->size.value) {
    case 1:
        return corm_transaction_commit(database, error);
    case 2:
        return corm_transaction_rollback(database, error);
    case 3:
        return corm_transaction_begin(database, CORM_TRANSACTION_IMMEDIATE, error);
    case 4:
        return corm_database_execute(database, "ROLLBACK", NULL, 0, NULL, error);
    case 5:
        return corm_database_close(database, error);
    default:
        return CORM_OK;
    }
}

/* A hook cannot end the transaction that it runs in, nor leave one open, nor take the database away. */
static void hooks_keep_to_their_transaction(void **state) {
    (void)state;
    corm_model *model = NULL;
    corm_model_def definition = page_def;
    definition.hooks = &(const corm_record_hooks){.struct_size = sizeof(corm_record_hooks), .before_insert = ends_it};
    OK(corm_model_create(&definition, &model, &failure));
    for (int64_t kind = 1; kind <= 4; kind++) {
        page one = {.title = "a", .size = {true, kind}};
        GIVES(CORM_E_TRANSACTION, corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, arena, &failure));
        assert_int_equal(one.id, 0);
        assert_int_equal(corm_transaction_depth(db), 0);
        assert_int_equal(select_int("SELECT count(*) FROM page"), 0);
    }
    page one = {.title = "a", .size = {true, 6}};
    OK(corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, arena, &failure));
    corm_database *other = NULL;
    OK(corm_database_open(path_to("other.db"), NULL, &other, &failure));
    OK(corm_model_create_tables(other, CORM_MODELS(model), &failure));
    page last = {.title = "a", .size = {true, 5}};
    assert_true(corm_record_insert(other, model, &last, CORM_CONFLICT_ABORT, arena, NULL) < 0);
    OK(corm_database_close(other, &failure));
    corm_model_free(model);
}

/* What became of a batch: its status, or the first of its parts that is not CORM_OK. */
static corm_status ended(corm_queue *queue, corm_batch *batch, corm_batch_policy policy) {
    corm_listener *listener = NULL;
    corm_completion *completion = NULL;
    OK(corm_listener_open(queue, NULL, &listener, &failure));
    OK(corm_batch_commit(batch, policy, NULL, NULL, &failure));
    OK(corm_queue_flush(queue, &failure));
    assert_int_equal(corm_listener_next(listener, &completion, &failure), CORM_ROW);
    const corm_completion_info *info = corm_completion_info_get(completion);
    corm_status status = info->status;
    for (size_t index = 0; status == CORM_OK && index < info->result_count; index += 1) {
        const corm_error *error = corm_completion_result_get(completion, index)->error;
        status = error == NULL ? CORM_OK : corm_error_code(error);
    }
    corm_completion_free(completion);
    corm_listener_close(listener);
    return status;
}

static void a_batch_of_a_queue_calls_them_with_a_struct_of_its_own(void **state) {
    (void)state;
    corm_queue *queue = NULL;
    corm_batch *batch = NULL;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    char title[] = "shout";
    page one = {.title = title, .size = {true, 7}};
    OK(corm_batch_insert(batch, pages, &one, CORM_CONFLICT_ABORT, &failure));
    memset(title, 'x', 5);
    memset(&one, 0x55, sizeof one);
    one = (page){.size = {true, 5}};
    OK(corm_batch_insert(batch, pages, &one, CORM_CONFLICT_ABORT, &failure));
    one = (page){.title = "b", .size = {true, 101}};
    OK(corm_batch_save(batch, pages, &one, &failure));
    assert_int_equal(now.calls, 0);
    assert_int_equal(ended(queue, batch, CORM_BATCH_CONTINUE), CORM_E_VALIDATION);
    assert_int_equal(now.calls, 4);
    assert_int_equal(now.key_after, 1);
    assert_ptr_equal(now.database, db);
    assert_int_equal(one.id, 0);
    assert_string_equal(select_text("SELECT group_concat(title || size) FROM page"), "SHOUT7");
    /* Times that are not set stay what the database makes of them. */
    assert_int_equal(select_int("SELECT count(*) FROM page WHERE created IS NOT NULL AND version = 1"), 1);
    now.fails_at = "before";
    OK(corm_batch_delete(batch, pages, &(page){.id = 1, .version = 1}, &failure));
    assert_int_equal(ended(queue, batch, CORM_BATCH_ROLLBACK), CORM_E_CALLBACK);
    now.fails_at = NULL;
    now.writes_at = "after";
    OK(corm_batch_delete(batch, pages, &(page){.id = 1, .version = 1}, &failure));
    assert_int_equal(ended(queue, batch, CORM_BATCH_ROLLBACK), CORM_OK);
    assert_int_equal(select_int("SELECT count(*) FROM page"), 0);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 1);
    corm_batch_free(batch);
    OK(corm_queue_close(queue, &failure));
}

static void a_batch_of_a_queue_validates_when_it_is_written(void **state) {
    (void)state;
    corm_queue *queue = NULL;
    corm_batch *batch = NULL;
    corm_model *model = NULL;
    corm_model_def definition = page_def;
    definition.hooks = &(const corm_record_hooks){.struct_size = sizeof(corm_record_hooks), .validate = has_title};
    OK(corm_model_create(&definition, &model, &failure));
    OK(corm_queue_open(db, NULL, &queue, &failure));
    OK(corm_batch_create(queue, &batch, &failure));
    page one = {.title = "a", .size = {true, 101}};
    OK(corm_batch_insert(batch, model, &one, CORM_CONFLICT_ABORT, &failure));
    assert_int_equal(ended(queue, batch, CORM_BATCH_ROLLBACK), CORM_E_VALIDATION);
    one.size.value = 1;
    OK(corm_batch_insert(batch, model, &one, CORM_CONFLICT_ABORT, &failure));
    one = (page){.id = 1, .version = 1, .title = "b", .size = {true, 101}};
    OK(corm_batch_update(batch, model, &one, "title", &failure));
    assert_int_equal(ended(queue, batch, CORM_BATCH_ROLLBACK), CORM_OK);
    assert_string_equal(select_text("SELECT title || size FROM page"), "b1");
    corm_batch_free(batch);
    OK(corm_queue_close(queue, &failure));
    corm_model_free(model);
}

static void a_validator_of_what_the_database_fills_in_is_refused(void **state) {
    (void)state;
    corm_column_def columns[6];
    corm_model *model = NULL;
    memcpy(columns, page_columns, sizeof columns);
    columns[3].validate = is_small;
    corm_model_def definition = page_def;
    definition.columns = columns;
    GIVES(CORM_E_MODEL, corm_model_create(&definition, &model, &failure));
    assert_string_equal(corm_error_message(failure),
                        "Page.version has a validator, and the database fills the column in");
}

static void a_variant_has_the_hooks(void **state) {
    (void)state;
    corm_model *model = NULL;
    OK(corm_model_create_variant(pages, CORM_VARIANT(.suffix = "2"), &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    page one = {.title = "a"};
    OK(corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, arena, &failure));
    assert_int_equal(now.calls, 2);
    corm_json_reader *reader = NULL;
    int64_t count = 0;
    OK(corm_json_reader_create(model, NULL, &reader, &failure));
    GIVES(CORM_E_MISUSE, corm_json_reader_import(db, reader, CORM_WRITE_INSERT, &count, &failure));
    corm_json_reader_free(reader);
    corm_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOOK_TEST(hooks_get_the_database_the_record_and_its_memory),
        HOOK_TEST(an_error_is_the_hooks_own),
        HOOK_TEST(what_an_after_hook_refuses_is_taken_back_of_the_struct),
        HOOK_TEST(what_hooks_write_is_part_of_the_write),
        HOOK_TEST(a_validator_names_model_and_property),
        HOOK_TEST(hooks_keep_to_their_transaction),
        HOOK_TEST(a_batch_of_a_queue_calls_them_with_a_struct_of_its_own),
        HOOK_TEST(a_batch_of_a_queue_validates_when_it_is_written),
        HOOK_TEST(a_validator_of_what_the_database_fills_in_is_refused),
        HOOK_TEST(a_variant_has_the_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
