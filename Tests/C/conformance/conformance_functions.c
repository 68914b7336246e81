/* The steps of scenario files about functions and collations that SQL calls. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

static corm_status joined(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                          corm_error **out_error) {
    (void)count, (void)context;
    size_t left = arguments[0].as.bytes.size, right = arguments[1].as.bytes.size;
    if (arguments[0].type != CORM_VALUE_TEXT || arguments[1].type != CORM_VALUE_TEXT) {
        corm_value null = corm_value_null();
        return corm_answer_set(answer, &null, out_error);
    }
    char *text = malloc(left + right + 1);
    memcpy(text, arguments[0].as.bytes.data, left);
    text[left] = '+';
    memcpy(text + left + 1, arguments[1].as.bytes.data, right);
    corm_value value = corm_value_text_size(text, left + right + 1);
    corm_status status = corm_answer_set(answer, &value, out_error);
    free(text);
    return status;
}

static corm_status failing(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                           corm_error **out_error) {
    (void)arguments, (void)count, (void)answer, (void)context;
    *out_error = corm_error_create(CORM_E_CALLBACK, "it fails", NULL);
    return CORM_E_CALLBACK;
}

static corm_status inward(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                          corm_error **out_error) {
    (void)arguments, (void)count, (void)answer;
    corm_error *error = NULL;
    if (corm_database_execute(context, "CREATE TABLE inward (x)", NULL, 0, NULL, &error) == CORM_OK)
        return CORM_OK;
    *out_error = corm_error_create(CORM_E_CALLBACK, corm_error_message(error), NULL);
    corm_error_free(error);
    return CORM_E_CALLBACK;
}

static corm_status multiply(void **state, const corm_value *arguments, size_t count, void *context,
                            corm_error **out_error) {
    (void)count, (void)context, (void)out_error;
    if (*state == NULL) {
        *state = malloc(sizeof(int64_t));
        *(int64_t *)*state = 1;
    }
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
    corm_value value = corm_value_int64(state == NULL ? 1 : *(int64_t *)state);
    return corm_answer_set(answer, &value, out_error);
}

bool step_register_function(step *s) {
    static const char *const bodies[] = {"", "joined", "failing", "inward", "product"};
    corm_function function = CORM_FUNCTION_INIT;
    function.name = json_string_value(member(s, "name"));
    function.is_deterministic = json_is_true(member(s, "deterministic"));
    function.in_schema = json_is_true(member(s, "inSchema"));
    switch (choice(s, "body", bodies, 5)) {
    case 1:
        function.argument_count = 2, function.call = joined;
        break;
    case 2:
        function.call = failing;
        break;
    case 3:
        function.call = inward, function.context = s->run->database;
        break;
    default:
        function.argument_count = 1;
        function.step = multiply;
        function.inverse = divide;
        function.value = product;
        function.release_state = free;
    }
    s->status = corm_database_register_function(s->run->database, &function, &s->run->error);
    return true;
}

static int32_t by_size(const char *left, size_t left_size, const char *right, size_t right_size, void *context,
                       corm_error **out_error) {
    (void)left, (void)right, (void)context, (void)out_error;
    return left_size < right_size ? -1 : left_size > right_size;
}

bool step_register_collation(step *s) {
    s->status = corm_database_register_collation(s->run->database, json_string_value(member(s, "name")), by_size, NULL,
                                                 NULL, &s->run->error);
    return true;
}
