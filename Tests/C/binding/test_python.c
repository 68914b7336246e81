/* A lookup as a function of CPython, with an interpreter made up here: its objects are counted, and it can run out. */
#include "support.h"

#include <cormorant-binding.h>

#include <stdlib.h>
#include <string.h>

typedef struct object {
    enum { NONE, INT, FLOAT, STR, BYTES, BOOL, TUPLE } kind;
    int references;
    long long integer;
    double real;
    char *bytes;
    intptr_t size;
    struct object **items;
} object;

static object none = {.kind = NONE, .references = 1};
static bool holds_gil, raised, overflows;
static int released_gil, live, until_failure;
static corm_python_table table;

static void *made(object *new) {
    assert_true(holds_gil);
    if (until_failure > 0 && --until_failure == 0) {
        raised = true;
        free(new->bytes);
        free(new->items);
        return NULL;
    }
    object *copy = malloc(sizeof *copy);
    assert_non_null(copy);
    *copy = *new;
    copy->references = 1;
    live++;
    return copy;
}

static void inc_ref(void *reference) {
    assert_true(holds_gil);
    ((object *)reference)->references++;
}

static void dec_ref(void *reference) {
    assert_true(holds_gil);
    object *it = reference;
    if (it == NULL || --it->references > 0)
        return;
    assert_ptr_not_equal(it, &none);
    if (it->kind == TUPLE)
        for (intptr_t i = 0; i < it->size; i++)
            dec_ref(it->items[i]);
    free(it->bytes);
    free(it->items);
    free(it);
    live--;
}

static void *err_occurred(void) { return raised ? &none : NULL; }

static void *save_thread(void) {
    assert_true(holds_gil);
    holds_gil = false;
    released_gil++;
    return &table;
}

static void restore_thread(void *state) {
    assert_ptr_equal(state, &table);
    assert_false(holds_gil);
    holds_gil = true;
}

static long long as_long_long(void *reference, int *overflow) {
    assert_true(holds_gil);
    object *it = reference;
    *overflow = overflows && it->integer == -1;
    if (it->kind == INT)
        return it->integer;
    raised = true;
    return -1;
}

static void *from_long_long(long long value) { return made(&(object){.kind = INT, .integer = value}); }
static void *bool_from_long(long value) { return made(&(object){.kind = BOOL, .integer = value}); }
static void *from_double(double value) { return made(&(object){.kind = FLOAT, .real = value}); }

static void *string(int kind, const char *data, intptr_t size) {
    char *bytes = calloc(1, (size_t)size + 1);
    assert_non_null(bytes);
    memcpy(bytes, data, (size_t)size);
    return made(&(object){.kind = kind, .bytes = bytes, .size = size});
}

static void *unicode(const char *data, intptr_t size) { return string(STR, data, size); }
static void *bytes(const char *data, intptr_t size) { return string(BYTES, data, size); }

static void *tuple_new(intptr_t size) {
    return made(&(object){.kind = TUPLE, .size = size, .items = calloc((size_t)size + 1, sizeof(object *))});
}

static int set_item(void *tuple, intptr_t position, void *item) {
    object *it = tuple;
    assert_true(position < it->size && it->items[position] == NULL);
    it->items[position] = item;
    return 0;
}

static void *capsule_pointer(void *capsule, const char *name) {
    assert_true(holds_gil);
    assert_string_equal(name, "arrow_array_stream");
    return ((object *)capsule)->bytes;
}

static void mem_free(void *memory) {
    assert_true(holds_gil);
    free(memory);
    live--;
}

static corm_python python = {
    .struct_size = sizeof(corm_python),
    .none = &none,
    .inc_ref = inc_ref,
    .dec_ref = dec_ref,
    .err_occurred = err_occurred,
    .eval_save_thread = save_thread,
    .eval_restore_thread = restore_thread,
    .long_as_long_long_and_overflow = as_long_long,
    .long_from_long_long = from_long_long,
    .bool_from_long = bool_from_long,
    .float_from_double = from_double,
    .unicode_from_string_and_size = unicode,
    .bytes_from_string_and_size = bytes,
    .tuple_new = tuple_new,
    .tuple_set_item = set_item,
    .capsule_get_pointer = capsule_pointer,
    .mem_free = mem_free,
};

static int set_up_python(void **state) {
    holds_gil = true;
    raised = overflows = false;
    released_gil = live = until_failure = 0;
    if (set_up(state) != 0)
        return -1;
    table = (corm_python_table){db, people};
    OK(corm_python_use(&python, &failure));
    return 0;
}

static object *find(long long key) {
    object self = {.kind = INT, .references = 1, .integer = (long long)(intptr_t)&table};
    object wanted = {.kind = INT, .references = 1, .integer = key};
    object *found = corm_python_find(&self, &wanted);
    assert_true(holds_gil);
    assert_int_equal(self.references + wanted.references, 2);
    return found;
}

/* The status of the error that a lookup gave. */
static corm_status error_of(object *found) {
    assert_non_null(found);
    assert_int_equal(found->kind, INT);
    corm_error *error = (corm_error *)(intptr_t)found->integer;
    corm_status status = corm_error_code(error);
    assert_true(status < 0 && strlen(corm_error_message(error)) > 0);
    corm_error_free(error);
    dec_ref(found);
    return status;
}

static void a_row_or_none(void **state) {
    (void)state;
    insert_people(2);
    object *row = find(2);
    assert_int_equal(released_gil, 1);
    assert_true(row->kind == TUPLE && row->size == 5 && row->references == 1);
    assert_true(row->items[0]->kind == INT && row->items[0]->integer == 2);
    assert_true(row->items[1]->kind == STR);
    assert_string_equal(row->items[1]->bytes, "p2");
    assert_ptr_equal(row->items[2], &none);
    assert_true(row->items[3]->kind == INT && row->items[3]->integer == 2);
    assert_true(row->items[4]->kind == FLOAT && row->items[4]->real == 0);
    dec_ref(row);
    assert_ptr_equal(find(3), &none);
    dec_ref(&none);
    assert_ptr_equal(find(-1), &none);
    dec_ref(&none);
    assert_true(live == 0 && none.references == 1);
}

typedef struct everything {
    int64_t id;
    int64_t huge, least;
    bool yes, no;
    corm_blob blob;
    const char *text, *empty, *foreign, *ascii;
} everything;

static const corm_column_def everything_columns[] = {
    CORM_COLUMN(everything, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(everything, huge, CORM_INT64),
    CORM_COLUMN(everything, least, CORM_INT64),
    CORM_COLUMN(everything, yes, CORM_BOOL),
    CORM_COLUMN(everything, no, CORM_BOOL),
    CORM_COLUMN(everything, blob, CORM_BLOB),
    CORM_COLUMN(everything, text, CORM_TEXT),
    CORM_COLUMN(everything, empty, CORM_TEXT),
    CORM_COLUMN(everything, foreign, CORM_TEXT),
    CORM_COLUMN(everything, ascii, CORM_TEXT),
};
static const corm_model_def everything_def = CORM_MODEL(everything, "everything", everything_columns);

static void values_of_every_kind(void **state) {
    (void)state;
    corm_model *model;
    OK(corm_model_create(&everything_def, &model, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){model}, 1, &failure));
    table.model = model;
    char *text = malloc(100001);
    assert_non_null(text);
    memset(text, 'x', 100000);
    text[100000] = 0;
    const int64_t integers[] = {INT64_MAX, INT64_MIN, -1, 0, 1 << 15, 1LL << 30, -(1LL << 45), 2147483648, -2147483649};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        everything one = {(int64_t)i + 1, integers[i], -integers[i] / 2, true,   false, {"\0\xff", i % 2 * 2},
                          text,           "",          "Z\xc3\xbcrich",  "ascii"};
        text[i * 11111] = 0;
        OK(corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
        object *row = find((long long)i + 1);
        assert_true(row->kind == TUPLE && row->size == 10);
        assert_true(row->items[1]->kind == INT && row->items[1]->integer == integers[i]);
        assert_true(row->items[2]->kind == INT && row->items[2]->integer == -integers[i] / 2);
        assert_true(row->items[3]->kind == BOOL && row->items[3]->integer == 1);
        assert_true(row->items[4]->kind == BOOL && row->items[4]->integer == 0);
        assert_true(row->items[5]->kind == BYTES && row->items[5]->size == (intptr_t)(i % 2 * 2));
        assert_memory_equal(row->items[5]->bytes, "\0\xff", i % 2 * 2);
        assert_int_equal(row->items[6]->size, i * 11111);
        assert_string_equal(row->items[6]->bytes, text);
        assert_int_equal(row->items[7]->size, 0);
        assert_string_equal(row->items[8]->bytes, "Z\xc3\xbcrich");
        assert_string_equal(row->items[9]->bytes, "ascii");
        dec_ref(row);
        assert_int_equal(live, 0);
        text[i * 11111] = 'x';
    }
    free(text);
    corm_model_free(model);
    assert_int_equal(error_of(find(1)), CORM_E_MISUSE);
}

static void errors_are_given_and_raised_ones_left(void **state) {
    (void)state;
    insert_people(1);
    object word = {.kind = STR, .references = 1};
    object self = {.kind = INT, .references = 1, .integer = (long long)(intptr_t)&table};
    assert_null(corm_python_find(&self, &word));
    raised = false;
    assert_null(corm_python_find(&word, &self));
    raised = false;
    assert_null(corm_python_find(NULL, &self));
    assert_null(corm_python_find(&self, NULL));
    assert_int_equal(released_gil, 0);
    overflows = true;
    assert_int_equal(error_of(find(-1)), CORM_E_RANGE);
    overflows = false;
    OK(corm_database_execute(db, "UPDATE person SET name = CAST(x'ff' AS TEXT)", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(error_of(find(1)), CORM_E_ENCODING);
    OK(corm_database_execute(db, "DROP TABLE person", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(error_of(find(1)), CORM_E_SCHEMA);
    table.model = NULL;
    assert_int_equal(error_of(find(1)), CORM_E_MISUSE);
    table = (corm_python_table){NULL, people};
    assert_int_equal(error_of(find(1)), CORM_E_MISUSE);
    assert_int_equal(live, 0);
}

static void out_of_memory_at_every_object(void **state) {
    (void)state;
    insert_people(1);
    for (int at = 1; at < 6; at++) {
        until_failure = at;
        assert_null(find(1));
        assert_true(raised && live == 0 && none.references == 1);
        raised = false;
    }
    until_failure = 0;
    dec_ref(find(1));
    assert_true(live == 0 && none.references == 1);
}

static int released_streams;

static void release_stream(struct ArrowArrayStream *stream) {
    assert_false(holds_gil);
    stream->release = NULL;
    released_streams++;
}

static void a_capsule_releases_a_stream_that_nobody_took(void **state) {
    (void)state;
    for (int taken = 0; taken < 2; taken++) {
        struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
        assert_non_null(stream);
        stream->release = taken ? NULL : release_stream;
        object capsule = {.references = 1, .bytes = (char *)stream};
        live = 1;
        raised = true; // as while an exception is on its way
        corm_python_destroy_stream(&capsule);
        assert_true(raised && holds_gil && live == 0 && released_streams == 1 && released_gil == 1);
    }
    object empty = {.references = 1};
    corm_python_destroy_stream(&empty);
    corm_python_destroy_stream(NULL);
    assert_true(live == 0 && released_streams == 1);
}

static void functions_that_are_missing(void **state) {
    (void)state;
    corm_python lacking = python;
    lacking.tuple_new = NULL;
    GIVES(CORM_E_MISUSE, corm_python_use(&lacking, &failure));
    lacking = python;
    lacking.struct_size = sizeof lacking + 4096;
    GIVES(CORM_E_MISUSE, corm_python_use(&lacking, &failure));
    lacking.struct_size = sizeof lacking - 8;
    GIVES(CORM_E_MISUSE, corm_python_use(&lacking, &failure));
    GIVES(CORM_E_MISUSE, corm_python_use(NULL, &failure));
    insert_people(1);
    dec_ref(find(1));
    assert_int_equal(live, 0);
}

#define PYTHON(function) cmocka_unit_test_setup_teardown(function, set_up_python, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        PYTHON(a_row_or_none),
        PYTHON(values_of_every_kind),
        PYTHON(errors_are_given_and_raised_ones_left),
        PYTHON(out_of_memory_at_every_object),
        PYTHON(a_capsule_releases_a_stream_that_nobody_took),
        PYTHON(functions_that_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
