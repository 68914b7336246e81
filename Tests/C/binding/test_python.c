/* A lookup and a statement as functions of CPython, whose names this program has: its objects are counted, and it can run out. */
#include "support.h"

#include <cormorant-binding.h>

#include <stdlib.h>
#include <string.h>

typedef struct object {
    enum { NONE, INT, FLOAT, STR, BYTES, BOOL, TUPLE, LIST } kind;
    int references;
    long long integer;
    double real;
    char *bytes;
    intptr_t size;
    struct object **items;
} object;

object _Py_NoneStruct = {.kind = NONE, .references = 1}, _Py_TrueStruct = {.kind = BOOL, .integer = 1, .references = 1};
object PyLong_Type = {.references = 1}, PyBool_Type = {.references = 1}, PyFloat_Type = {.references = 1},
       PyUnicode_Type = {.references = 1}, PyBytes_Type = {.references = 1}, PyTuple_Type = {.references = 1},
       other_type = {.references = 1};
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

void Py_IncRef(void *reference) {
    assert_true(holds_gil);
    ((object *)reference)->references++;
}

void Py_DecRef(void *reference) {
    assert_true(holds_gil);
    object *it = reference;
    if (it == NULL || --it->references > 0)
        return;
    assert_ptr_not_equal(it, &_Py_NoneStruct);
    if (it->kind == TUPLE || it->kind == LIST)
        for (intptr_t i = 0; i < it->size; i++)
            Py_DecRef(it->items[i]);
    free(it->bytes);
    free(it->items);
    free(it);
    live--;
}

void *PyObject_Type(void *reference) {
    object *types[] = {[INT] = &PyLong_Type,
                       [FLOAT] = &PyFloat_Type,
                       [STR] = &PyUnicode_Type,
                       [BYTES] = &PyBytes_Type,
                       [TUPLE] = &PyTuple_Type};
    object *it = reference;
    object *type = it->kind == NONE || it->kind > TUPLE || types[it->kind] == NULL ? &other_type : types[it->kind];
    Py_IncRef(type);
    return type;
}

void PyErr_Clear(void) { raised = false; }
void *PyErr_Occurred(void) { return raised ? &_Py_NoneStruct : NULL; }

void *PyEval_SaveThread(void) {
    assert_true(holds_gil);
    holds_gil = false;
    released_gil++;
    return &table;
}

void PyEval_RestoreThread(void *state) {
    assert_ptr_equal(state, &table);
    assert_false(holds_gil);
    holds_gil = true;
}

long long PyLong_AsLongLongAndOverflow(void *reference, int *overflow) {
    assert_true(holds_gil);
    object *it = reference;
    *overflow = overflows && it->integer == -1;
    if (it->kind == INT)
        return it->integer;
    raised = true;
    return -1;
}

void *PyLong_FromLongLong(long long value) { return made(&(object){.kind = INT, .integer = value}); }
void *PyBool_FromLong(long value) { return made(&(object){.kind = BOOL, .integer = value}); }
void *PyFloat_FromDouble(double value) { return made(&(object){.kind = FLOAT, .real = value}); }

double PyFloat_AsDouble(void *number) { return ((object *)number)->real; }

/* Text that begins with '!' has no UTF-8. */
const char *PyUnicode_AsUTF8AndSize(void *text, intptr_t *size) {
    assert_true(holds_gil);
    object *it = text;
    *size = it->size;
    raised = it->size > 0 && *it->bytes == '!';
    return raised ? NULL : it->bytes;
}

char *PyBytes_AsString(void *bytes) { return ((object *)bytes)->bytes; }
intptr_t PyBytes_Size(void *bytes) { return ((object *)bytes)->size; }

static void *string(int kind, const char *data, intptr_t size) {
    char *bytes = calloc(1, (size_t)size + 1);
    assert_non_null(bytes);
    memcpy(bytes, data, (size_t)size);
    return made(&(object){.kind = kind, .bytes = bytes, .size = size});
}

void *PyUnicode_FromStringAndSize(const char *data, intptr_t size) { return string(STR, data, size); }
void *PyBytes_FromStringAndSize(const char *data, intptr_t size) { return string(BYTES, data, size); }

void *PyTuple_New(intptr_t size) {
    return made(&(object){.kind = TUPLE, .size = size, .items = calloc((size_t)size + 1, sizeof(object *))});
}

int PyTuple_SetItem(void *tuple, intptr_t position, void *item) {
    object *it = tuple;
    assert_true(position < it->size && it->items[position] == NULL);
    it->items[position] = item;
    return 0;
}

intptr_t PyTuple_Size(void *tuple) { return ((object *)tuple)->size; }
void *PyTuple_GetItem(void *tuple, intptr_t position) { return ((object *)tuple)->items[position]; }

void *PyList_New(intptr_t size) {
    return made(&(object){.kind = LIST, .size = size, .items = calloc((size_t)size + 1, sizeof(object *))});
}

int PyList_SetItem(void *list, intptr_t position, void *item) { return PyTuple_SetItem(list, position, item); }

void *PyCapsule_GetPointer(void *capsule, const char *name) {
    assert_true(holds_gil);
    assert_string_equal(name, "arrow_array_stream");
    return ((object *)capsule)->bytes;
}

void PyMem_Free(void *memory) {
    assert_true(holds_gil);
    free(memory);
    live--;
}

static int set_up_python(void **state) {
    holds_gil = true;
    raised = overflows = false;
    released_gil = live = until_failure = 0;
    if (set_up(state) != 0)
        return -1;
    table = (corm_python_table){db, people};
    assert_true(corm_python_is_loaded());
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
    Py_DecRef(found);
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
    assert_ptr_equal(row->items[2], &_Py_NoneStruct);
    assert_true(row->items[3]->kind == INT && row->items[3]->integer == 2);
    assert_true(row->items[4]->kind == FLOAT && row->items[4]->real == 0);
    Py_DecRef(row);
    assert_ptr_equal(find(3), &_Py_NoneStruct);
    Py_DecRef(&_Py_NoneStruct);
    assert_ptr_equal(find(-1), &_Py_NoneStruct);
    Py_DecRef(&_Py_NoneStruct);
    assert_true(live == 0 && _Py_NoneStruct.references == 1);
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
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
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
        Py_DecRef(row);
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
        assert_true(raised && live == 0 && _Py_NoneStruct.references == 1);
        raised = false;
    }
    until_failure = 0;
    Py_DecRef(find(1));
    assert_true(live == 0 && _Py_NoneStruct.references == 1);
}

/* Runs SQL with these bindings, each of which is one of the caller's own. */
static object *run(const char *sql, object *bindings, long long max_rows) {
    object self = {.kind = INT, .references = 1, .integer = (long long)(intptr_t)db};
    object statement = {.kind = STR, .references = 1, .bytes = (char *)sql, .size = (intptr_t)strlen(sql)};
    object rows = {.kind = INT, .references = 1, .integer = max_rows};
    void *const arguments[] = {&statement, bindings, &_Py_NoneStruct, &rows};
    object *ran = corm_python_run(&self, arguments, 4);
    assert_true(holds_gil && self.references == 1 && statement.references == 1 && rows.references == 1);
    return ran;
}

static bool did_nothing(object *ran) {
    if (ran != &_Py_NoneStruct)
        return false;
    Py_DecRef(ran);
    return true;
}

static object text_of(char *text, intptr_t size) {
    return (object){.kind = STR, .references = 1, .bytes = text, .size = size};
}

static void a_statement_with_values_of_every_kind(void **state) {
    (void)state;
    char long_text[2000];
    memset(long_text, 'y', sizeof long_text);
    object least = {.kind = INT, .references = 1, .integer = INT64_MIN};
    object half = {.kind = FLOAT, .references = 1, .real = 0.5};
    object text = text_of(long_text, sizeof long_text), word = text_of("Z\xc3\xbcrich", 7);
    object data = {.kind = BYTES, .references = 1, .bytes = "\0\xff", .size = 2};
    object *values[] = {&_Py_NoneStruct, &least, &half, &text, &word, &data};
    object bindings = {.kind = TUPLE, .references = 1, .items = values, .size = 6};
    object *ran = run("SELECT ?, ?, ?, ?, ?, ?", &bindings, 9);
    assert_true(ran->kind == TUPLE && ran->size == 6 && ran->items[0]->kind == LIST && ran->items[0]->size == 1);
    object *row = ran->items[0]->items[0];
    assert_true(row->kind == TUPLE && row->size == 6 && row->items[0] == &_Py_NoneStruct);
    assert_true(row->items[1]->integer == INT64_MIN && row->items[2]->real == 0.5);
    assert_true(row->items[3]->kind == STR && row->items[3]->size == 2000);
    assert_memory_equal(row->items[3]->bytes, long_text, 2000);
    assert_string_equal(row->items[4]->bytes, "Z\xc3\xbcrich");
    assert_true(row->items[5]->kind == BYTES && row->items[5]->size == 2);
    assert_true(ran->items[1]->size == 6 && ran->items[3]->integer == -1 && ran->items[5] == &_Py_NoneStruct);
    Py_DecRef(ran);
    assert_int_equal(released_gil, 1);
    /* The rows that are left, bindings that are marshalled, and none. */
    object marshalled = {.kind = BYTES, .references = 1, .bytes = "(\1\0\0\0i\5\0\0\0", .size = 10};
    ran = run("SELECT value FROM json_each('[1,2]') WHERE value < ?", &marshalled, 1);
    assert_true(ran->items[0]->size == 1 && ran->items[5]->kind == INT);
    corm_result *rest = (corm_result *)(intptr_t)ran->items[5]->integer;
    corm_block block = {0};
    GIVES(CORM_ROW, corm_block_next(rest, 9, &block, &failure));
    corm_block_free(&block);
    corm_result_close(rest);
    Py_DecRef(ran);
    bindings.size = 0;
    Py_DecRef(run("SELECT 1", &bindings, 9));
    Py_DecRef(run("SELECT 1", &_Py_NoneStruct, 9));
    assert_true(live == 0 && _Py_NoneStruct.references == 1);
}

static void statements_that_do_nothing_or_fail(void **state) {
    (void)state;
    object bad = text_of("!", 1), whole = {.kind = LIST, .references = 1}, yes = {.kind = BOOL, .references = 1};
    object huge = {.kind = INT, .references = 1, .integer = -1};
    object *values[] = {&bad};
    object bindings = {.kind = TUPLE, .references = 1, .items = values, .size = 1};
    assert_true(did_nothing(run("SELECT ?", &bindings, 1)) && !raised);
    values[0] = &yes;
    assert_true(did_nothing(run("SELECT ?", &bindings, 1)));
    values[0] = &huge;
    overflows = true;
    assert_true(did_nothing(run("SELECT ?", &bindings, 1)));
    overflows = false;
    assert_true(did_nothing(run("SELECT ?", &whole, 1)));
    assert_true(did_nothing(run("!", &_Py_NoneStruct, 1)) && !raised);
    object self = {.kind = INT, .references = 1, .integer = (long long)(intptr_t)db};
    object nul = text_of("SELECT 1\0", 9);
    void *arguments[] = {&nul, &_Py_NoneStruct, &_Py_NoneStruct, &huge};
    assert_true(did_nothing(corm_python_run(&self, arguments, 4)));
    arguments[0] = &whole;
    assert_true(did_nothing(corm_python_run(&self, arguments, 4)));
    assert_null(corm_python_run(&self, arguments, 3));
    assert_int_equal(released_gil, 0);
    assert_int_equal(error_of(run("SELECT", &_Py_NoneStruct, 1)), CORM_E_SQL);
    assert_int_equal(error_of(run("SELECT ?", &_Py_NoneStruct, 1)), CORM_E_BINDING);
    for (int at = 1; at < 8; at++) {
        until_failure = at;
        assert_null(run("SELECT 'a' AS b", &_Py_NoneStruct, 1));
        assert_true(raised && live == 0 && _Py_NoneStruct.references == 1);
        raised = false;
    }
    until_failure = 0;
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

#define PYTHON(function) cmocka_unit_test_setup_teardown(function, set_up_python, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        PYTHON(a_row_or_none),
        PYTHON(values_of_every_kind),
        PYTHON(errors_are_given_and_raised_ones_left),
        PYTHON(out_of_memory_at_every_object),
        PYTHON(a_statement_with_values_of_every_kind),
        PYTHON(statements_that_do_nothing_or_fail),
        PYTHON(a_capsule_releases_a_stream_that_nobody_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
