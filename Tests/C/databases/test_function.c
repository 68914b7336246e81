/* Functions and collations of the program's, which SQL calls. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int released = 0;

static void release(void *context) {
    (void)context;
    released += 1;
}

static corm_function named(const char *name, int32_t count, corm_function_callback call) {
    corm_function function = CORM_FUNCTION_INIT;
    function.name = name;
    function.argument_count = count;
    function.call = call;
    return function;
}

/* Twice its argument, which is any value. */
static corm_status twice(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                         corm_error **out_error) {
    (void)context;
    assert_int_equal(count, 1);
    corm_value value = arguments[0];
    char text[64];
    if (value.type == CORM_VALUE_INTEGER)
        value.as.integer *= 2;
    if (value.type == CORM_VALUE_REAL)
        value.as.real *= 2;
    if (value.type == CORM_VALUE_TEXT || value.type == CORM_VALUE_BLOB) {
        size_t size = value.as.bytes.size;
        memcpy(text, value.as.bytes.data, size);
        memcpy(text + size, value.as.bytes.data, size);
        value.as.bytes.data = text;
        value.as.bytes.size = 2 * size;
    }
    return corm_answer_set(answer, &value, out_error);
}

static corm_status failing(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                           corm_error **out_error) {
    (void)arguments, (void)count, (void)answer;
    if (context == NULL)
        return -12345;
    *out_error = corm_error_create(CORM_E_RANGE, "too much", "give less");
    corm_error_set_cause(*out_error, context, release);
    return CORM_E_RANGE;
}

static void values_go_in_and_out(void **state) {
    (void)state;
    corm_function function = named("twice", 1, twice);
    OK(corm_database_register_function(db, &function, &failure));
    assert_int_equal(select_int("SELECT twice(21)"), 42);
    assert_int_equal(select_int("SELECT TWICE(NULL) IS NULL AND twice(1.5) = 3.0"), 1);
    assert_string_equal(select_text("SELECT twice('ab')"), "abab");
    assert_int_equal(select_int("SELECT twice('') = '' AND twice(x'') = x'' AND twice(x'0001') = x'00010001'"), 1);
    GIVES(CORM_E_SQL, corm_database_execute_script(db, "SELECT twice(1, 2)", &failure));
}

static void an_error_is_that_of_the_statement(void **state) {
    (void)state;
    static int cause;
    released = 0;
    corm_function function = named("failing", 1, failing);
    OK(corm_database_register_function(db, &function, &failure));
    insert_people(3);
    GIVES(CORM_E_CALLBACK,
          corm_database_execute(db, "UPDATE person SET name = failing(name)", NULL, 0, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "failing"));
    function.context = &cause;
    OK(corm_database_register_function(db, &function, &failure));
    GIVES(CORM_E_RANGE, corm_database_execute(db, "UPDATE person SET name = iif(id < 3, 'x', failing(name))", NULL, 0,
                                              NULL, &failure));
    assert_string_equal(corm_error_message(failure), "too much");
    assert_string_equal(corm_error_hint(failure), "give less");
    assert_non_null(strstr(corm_error_info_get(failure)->sql, "UPDATE"));
    assert_ptr_equal(corm_error_cause(failure), &cause);
    assert_int_equal(select_int("SELECT count(*) FROM person WHERE name = 'x'"), 0);
}

static corm_status using_the_database(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                                      corm_error **out_error) {
    (void)arguments, (void)count, (void)answer, (void)context;
    return corm_database_execute(db, "DELETE FROM person", NULL, 0, NULL, out_error);
}

static void a_function_may_not_use_its_database(void **state) {
    (void)state;
    insert_people(2);
    corm_function function = named("inward", 0, using_the_database);
    OK(corm_database_register_function(db, &function, &failure));
    GIVES(CORM_E_MISUSE, corm_database_execute_script(db, "SELECT inward()", &failure));
    assert_non_null(strstr(corm_error_message(failure), "function"));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
    OK(corm_database_execute(db, "DELETE FROM person", NULL, 0, NULL, &failure));
}

static corm_result *running;

static corm_status closing_its_result(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                                      corm_error **out_error) {
    (void)arguments, (void)count, (void)context;
    corm_result_close(running);
    corm_value one = corm_value_int64(1);
    return corm_answer_set(answer, &one, out_error);
}

static void a_function_that_closes_the_result_it_runs_in(void **state) {
    (void)state;
    insert_people(3);
    corm_function function = named("closing", 0, closing_its_result);
    OK(corm_database_register_function(db, &function, &failure));
    OK(corm_result_open(db, "SELECT closing() FROM person", NULL, 0, &running, &failure));
    forget_failure();
    corm_result_next(running, &failure);
    forget_failure();
    assert_true(corm_result_next(running, &failure) < 0);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 3);
}

static void *close_running(void *context) {
    corm_result_close(running);
    return context;
}

/* As a watchdog closes what hangs in a function, which then makes a call that is refused. */
static corm_status closed_by_another_thread(const corm_value *arguments, size_t count, corm_answer *answer,
                                            void *context, corm_error **out_error) {
    pthread_t thread;
    pthread_create(&thread, NULL, close_running, context);
    pthread_join(thread, NULL);
    corm_error *refusal = NULL;
    assert_int_equal(corm_database_execute(db, "DELETE FROM person", NULL, 0, NULL, &refusal), CORM_E_MISUSE);
    corm_error_free(refusal);
    assert_int_equal(count, 1);
    return corm_answer_set(answer, arguments, out_error);
}

static void a_result_that_another_thread_closes_in_a_function_ends_behind_it(void **state) {
    (void)state;
    insert_people(3);
    corm_function function = named("watched", 1, closed_by_another_thread);
    OK(corm_database_register_function(db, &function, &failure));
    OK(corm_result_open(db, "SELECT watched(name) || 'x' FROM person ORDER BY name DESC", NULL, 0, &running, &failure));
    corm_result_next(running, &failure);
    forget_failure();
    assert_int_equal(select_int("SELECT count(*) FROM person"), 3);
}

/* An aggregate: the product of integers. */
static int open_groups = 0;

static corm_status multiply(void **state, const corm_value *arguments, size_t count, void *context,
                            corm_error **out_error) {
    (void)count, (void)context, (void)out_error;
    if (*state == NULL) {
        *state = malloc(sizeof(int64_t));
        *(int64_t *)*state = 1;
        open_groups += 1;
    }
    if (arguments[0].type != CORM_VALUE_INTEGER)
        return CORM_E_TYPE;
    *(int64_t *)*state *= arguments[0].as.integer;
    return CORM_OK;
}

static corm_status divide(void **state, const corm_value *arguments, size_t count, void *context,
                          corm_error **out_error) {
    (void)count, (void)context, (void)out_error;
    *(int64_t *)*state /= arguments[0].as.integer;
    return CORM_OK;
}

static corm_status product(void *state, corm_answer *answer, void *context, corm_error **out_error) {
    (void)context;
    corm_value value = state == NULL ? corm_value_null() : corm_value_int64(*(int64_t *)state);
    return corm_answer_set(answer, &value, out_error);
}

static void end_group(void *state) {
    free(state);
    open_groups -= 1;
}

static void aggregates_over_groups_and_windows(void **state) {
    (void)state;
    insert_people(4);
    corm_function function = named("product", 1, NULL);
    function.step = multiply;
    function.value = product;
    function.release_state = end_group;
    OK(corm_database_register_function(db, &function, &failure));
    assert_int_equal(select_int("SELECT product(age) FROM person"), 24);
    assert_int_equal(select_int("SELECT product(age) IS NULL FROM person WHERE 0"), 1);
    assert_string_equal(
        select_text("SELECT group_concat(p) FROM (SELECT product(age) AS p FROM person GROUP BY age % 2)"), "8,3");
    const char *window = "SELECT group_concat(p) FROM (SELECT product(age) OVER (ORDER BY id ROWS 1 PRECEDING) AS p "
                         "FROM person)";
    GIVES(CORM_E_SQL, corm_database_execute_script(db, window, &failure));
    function.inverse = divide;
    OK(corm_database_register_function(db, &function, &failure));
    assert_string_equal(select_text(window), "1,2,6,12");
    GIVES(CORM_E_TYPE, corm_database_execute_script(db, "SELECT product(name) FROM person", &failure));
    assert_int_equal(open_groups, 0);
}

static void it_lives_as_long_as_it_may_be_called(void **state) {
    (void)state;
    released = 0;
    corm_function function = named("twice", 1, twice);
    function.release = release;
    OK(corm_database_register_function(db, &function, &failure));
    insert_people(3);
    corm_result *result;
    OK(corm_result_open(db, "SELECT twice(id) FROM person", NULL, 0, &result, &failure));
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    GIVES(CORM_E_BUSY, corm_database_register_function(db, &function, &failure));
    assert_int_equal(released, 1);
    GIVES(CORM_ROW, corm_result_next(result, &failure));
    corm_result_close(result);
    OK(corm_database_register_function(db, &function, &failure));
    assert_int_equal(released, 2);
    function.call = NULL;
    OK(corm_database_register_function(db, &function, &failure));
    assert_int_equal(released, 4);
    GIVES(CORM_E_SQL, corm_database_execute_script(db, "SELECT twice(1)", &failure));
    function.call = twice;
    OK(corm_database_register_function(db, &function, &failure));
    OK(corm_database_close(db, &failure));
    db = NULL;
    assert_int_equal(released, 5);
}

static void names_and_numbers_that_cannot_be(void **state) {
    (void)state;
    released = 0;
    const char *const names[] = {"lower", "LIKE", "count", "corm_own", "", NULL, "\xff"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index += 1) {
        corm_function function = named(names[index], 1, twice);
        function.release = release;
        assert_true(corm_database_register_function(db, &function, NULL) < 0);
        assert_int_equal(released, index + 1);
    }
    released = 0;
    struct {
        corm_function known;
        int64_t added;
    } newer = {.known = named("f", 1, twice), .added = 1};
    newer.known.struct_size = sizeof newer;
    newer.known.release = release;
    GIVES(CORM_E_MISUSE, corm_database_register_function(db, &newer.known, &failure));
    assert_int_equal(released, 1);
    for (int32_t count = -2; count < 200; count += 130) {
        corm_function function = named("f", count, twice);
        GIVES(CORM_E_MISUSE, corm_database_register_function(db, &function, &failure));
    }
    corm_function both = named("f", 1, twice);
    both.step = multiply;
    GIVES(CORM_E_MISUSE, corm_database_register_function(db, &both, &failure));
    both.call = NULL;
    GIVES(CORM_E_MISUSE, corm_database_register_function(db, &both, &failure));
    GIVES(CORM_E_MISUSE, corm_database_register_function(db, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_answer_set(NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_register_collation(db, "nocase", NULL, NULL, NULL, &failure));
}

static void schemas_call_only_what_may(void **state) {
    (void)state;
    insert_people(2);
    corm_function function = named("twice", 1, twice);
    OK(corm_database_register_function(db, &function, &failure));
    run_script("CREATE VIEW doubled AS SELECT twice(id) AS n FROM person");
    GIVES(CORM_E_SQL, corm_database_execute_script(db, "SELECT * FROM doubled", &failure));
    GIVES(CORM_E_SQL, corm_database_execute_script(db, "CREATE INDEX i ON person (twice(id))", &failure));
    function.in_schema = true;
    function.is_deterministic = true;
    OK(corm_database_register_function(db, &function, &failure));
    assert_int_equal(select_int("SELECT sum(n) FROM doubled"), 6);
    run_script("CREATE INDEX i ON person (twice(id))");
    assert_int_equal(select_int("SELECT id FROM person WHERE twice(id) = 4"), 2);
}

static int32_t by_size(const char *left, size_t left_size, const char *right, size_t right_size, void *context,
                       corm_error **out_error) {
    if (context != NULL)
        *out_error = corm_error_create(CORM_E_CALLBACK, "no order", NULL);
    if (left_size != right_size)
        return left_size < right_size ? -1 : 1;
    return left_size == 0 ? 0 : memcmp(left, right, left_size);
}

static void collations_order_texts(void **state) {
    (void)state;
    static int fails;
    released = 0;
    GIVES(CORM_E_SQL, corm_database_execute_script(db, "CREATE INDEX i ON person (name COLLATE by_size)", &failure));
    assert_non_null(strstr(corm_error_message(failure), "by_size"));
    assert_non_null(corm_error_hint(failure));
    OK(corm_database_register_collation(db, "by_size", by_size, NULL, release, &failure));
    run_script("CREATE INDEX i ON person (name COLLATE by_size);"
               "INSERT INTO person (name, height) VALUES ('ccc', 1), ('', 1), ('dd', 1), ('b', 1)");
    assert_string_equal(select_text("SELECT group_concat(name) FROM (SELECT name FROM person ORDER BY name COLLATE "
                                    "by_size)"),
                        ",b,dd,ccc");
    OK(corm_database_register_collation(db, "by_size", by_size, &fails, NULL, &failure));
    assert_int_equal(released, 1);
    corm_result *result;
    OK(corm_result_open(db, "SELECT name FROM person ORDER BY name || '' COLLATE by_size", NULL, 0, &result, &failure));
    corm_status status = CORM_ROW;
    while (status == CORM_ROW)
        status = (forget_failure(), corm_result_next(result, &failure));
    assert_int_equal(status, CORM_E_CALLBACK);
    assert_string_equal(corm_error_message(failure), "no order");
    corm_result_close(result);
}

/* A function of the program's that is taken away leaves the library's of its name. */
static void the_library_keeps_its_own(void **state) {
    (void)state;
    const char *sql = "SELECT 'cat' REGEXP '^c.t$'";
    corm_function none = named("REGEXP", 2, NULL), function = named("regexp", 2, failing);
    OK(corm_database_register_function(db, &none, &failure));
    assert_int_equal(select_int(sql), 1);
    OK(corm_database_register_function(db, &function, &failure));
    GIVES(CORM_E_CALLBACK, corm_database_execute_script(db, sql, &failure));
    OK(corm_database_register_function(db, &none, &failure));
    assert_int_equal(select_int(sql), 1);
    /* Nor is one taken away of what SQLite brings besides. */
    sql = "SELECT count(*) FROM pragma_function_list WHERE name IN ('bm25', 'snippet')";
    int64_t before = select_int(sql);
    none = named("bm25", -1, NULL);
    OK(corm_database_register_function(db, &none, &failure));
    assert_int_equal(select_int(sql), before);
}

static void *read_beside(void *context) {
    *(int64_t *)context = select_int("SELECT twice(21)");
    return NULL;
}

static void readers_have_them(void **state) {
    (void)state;
    int64_t found[2] = {0, 0};
    pthread_t thread;
    corm_function function = named("twice", 1, twice);
    for (int turn = 0; turn < 2; turn += 1) {
        OK(corm_database_register_function(db, &function, &failure));
        OK(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &failure));
        pthread_create(&thread, NULL, read_beside, &found[turn]);
        pthread_join(thread, NULL);
        OK(corm_transaction_commit(db, &failure));
        assert_int_equal(found[turn], 42);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(values_go_in_and_out),
        TEST(an_error_is_that_of_the_statement),
        TEST(a_function_may_not_use_its_database),
        TEST(a_function_that_closes_the_result_it_runs_in),
        TEST(a_result_that_another_thread_closes_in_a_function_ends_behind_it),
        TEST(aggregates_over_groups_and_windows),
        TEST(it_lives_as_long_as_it_may_be_called),
        TEST(names_and_numbers_that_cannot_be),
        TEST(schemas_call_only_what_may),
        TEST(collations_order_texts),
        TEST(the_library_keeps_its_own),
        TEST(readers_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
