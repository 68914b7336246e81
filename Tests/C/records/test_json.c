/* JSON text to records and back. */
#include "json_support.h"

#include <math.h>
#include <stdlib.h>

static const char full[] = "[{\"id\":9223372036854775807,\"title\":\"a\\u0000\\ud83d\\ude00\\n\\\"ü\",\"price\":12.5,"
                           "\"sold\":true,\"photo\":\"AAEC/w==\",\"made\":\"2026-11-21T10:00:00.250000Z\","
                           "\"code\":\"00112233-4455-6677-8899-aabbccddeeff\",\"weight\":\"1.10\","
                           "\"extra\":{\"a\":[1,2.50,null]},\"in stock\":4294967295}]";

static void every_type_comes_in_and_goes_out_again(void **state) {
    (void)state;
    corm_records *records;
    GIVES(CORM_ROW, read_text(items, full, NULL, &records));
    assert_int_equal(corm_records_count(records), 1);
    const item *one = corm_records_data(records);
    assert_int_equal(one->id, INT64_MAX);
    assert_int_equal(one->title.size, 10);
    assert_memory_equal(one->title.data, "a\0\360\237\230\200\n\"\303\274", 10);
    assert_true(one->price == 12.5);
    assert_true(one->sold.has_value && one->sold.value);
    assert_int_equal(one->photo.size, 4);
    assert_memory_equal(one->photo.data, "\0\1\2\377", 4);
    assert_int_equal(one->made, 1795255200250000);
    assert_int_equal(one->code.value.bytes[15], 0xFF);
    assert_string_equal(one->weight, "1.10");
    assert_string_equal(one->extra, "{\"a\":[1,2.50,null]}");
    assert_int_equal(one->stock, UINT32_MAX);
    assert_null(one->secret);
    const char *again = written(items, one, 1, NULL, 0, NULL);
    assert_string_equal(again,
                        "[{\"id\":9223372036854775807,\"title\":\"a\\u0000\360\237\230\200\\n\\\"ü\",\"price\":12.5,"
                        "\"sold\":true,\"photo\":\"AAEC/w==\",\"made\":\"2026-11-21T10:00:00.250000Z\","
                        "\"code\":\"00112233-4455-6677-8899-aabbccddeeff\",\"weight\":\"1.10\","
                        "\"extra\":{\"a\":[1,2.50,null]},\"in stock\":4294967295}]");
    corm_records_free(records);
}

static void errors_name_the_path_and_no_value(void **state) {
    (void)state;
    refuses(CORM_E_TYPE, "$[0].price: expected a number, found a string", "[{\"price\":\"4711\"}]");
    assert_null(strstr(corm_error_message(failure), "4711"));
    refuses(CORM_E_TYPE, "$[0].title: expected a string, found a number", "[{\"title\":4711}]");
    refuses(CORM_E_TYPE, "$[0].sold: expected true or false, found a number", "[{\"sold\":1}]");
    refuses(CORM_E_TYPE, "$[0].id: expected an integer, found a number with a point", "[{\"id\":1.0}]");
    refuses(CORM_E_RANGE, "$[0].id: the integer does not fit", "[{\"id\":9223372036854775808}]");
    refuses(CORM_E_RANGE, "$[0].id: the integer does not fit", "[{\"id\":-9223372036854775809}]");
    refuses(CORM_E_RANGE, "$[0][\"in stock\"]: the integer does not fit into unsigned 32",
            "[{\"in stock\":4294967296}]");
    refuses(CORM_E_RANGE, "$[0][\"in stock\"]: the integer does not fit into unsigned 32", "[{\"in stock\":-1}]");
    refuses(CORM_E_RANGE, "$[0].price: the number does not fit", "[{\"price\":1e400}]");
    refuses(CORM_E_RANGE, "$[0].price: the number is an integer", "[{\"price\":9007199254740993}]");
    refuses(CORM_E_TYPE, "$[0].photo: the string is no base64", "[{\"photo\":\"AAE\"}]");
    refuses(CORM_E_TYPE, "$[0].photo: the string is no base64", "[{\"photo\":\"AB==\"}]");
    refuses(CORM_E_TYPE, "$[0].made: the string is no time", "[{\"made\":\"2026-02-30\"}]");
    refuses(CORM_E_TYPE, "$[0].code: the string is no UUID", "[{\"code\":\"x\"}]");
    refuses(CORM_E_TYPE, "$[0].weight: the string is no decimal", "[{\"weight\":\"1,5\"}]");
    refuses(CORM_E_JSON, "$[0].id: the key is given twice", "[{\"id\":1,\"id\":1}]");
    refuses(CORM_E_JSON, "$[0]: expected an object, found null", "[null]");
    refuses(CORM_E_JSON, "$", "\xFF\xFE{");
    refuses(CORM_E_ENCODING, "$[0].title: the string is not UTF-8", "[{\"title\":\"\xC0\x80\"}]");
    refuses(CORM_E_ENCODING, "$[0].title: the string is not UTF-8", "[{\"title\":\"\xED\xA0\x80\"}]");
    refuses(CORM_E_ENCODING, "$[0].other: the string is not UTF-8", "[{\"other\":\"\x80\"}]");
    corm_json_options options = {.struct_size = sizeof options, .names = 7};
    corm_json_reader *reader;
    GIVES(CORM_E_MISUSE, corm_json_reader_create(items, &options, &reader, &failure));
    options = (corm_json_options){.struct_size = sizeof options, .path = ""};
    GIVES(CORM_E_MISUSE, corm_json_reader_create(items, &options, &reader, &failure));
    refuses(CORM_E_JSON, "$: expected an object or an array of objects, found a string", "\"x\"");
}

static void infinities_and_the_json_of_columns_come_back(void **state) {
    (void)state;
    item two[2] = {{.title = {"", 0}, .price = -INFINITY, .extra = " [1] "}, {.title = {"", 0}, .extra = "[1"}};
    corm_records *records;
    GIVES(CORM_ROW, read_text(items, written(items, two, 1, NULL, 0, NULL), NULL, &records));
    const item *one = corm_records_data(records);
    assert_true(one->price == -INFINITY);
    assert_string_equal(one->extra, "[1]");
    corm_records_free(records);
    corm_arena *arena = corm_arena_create();
    const char *text;
    size_t size;
    GIVES(CORM_E_JSON, corm_json_write(items, two, 2, NULL, 0, NULL, arena, &text, &size, &failure));
    assert_string_equal(corm_error_message(failure), "$[1].extra: the text of the column is no JSON");
    two[1].title.data = "\xFF";
    two[1].title.size = 1;
    GIVES(CORM_E_ENCODING, corm_json_write(items, two, 2, NULL, 0, NULL, arena, &text, &size, &failure));
    assert_non_null(strstr(corm_error_message(failure), "$[1].title: "));
    corm_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        JSON_TEST(every_type_comes_in_and_goes_out_again),
        JSON_TEST(errors_name_the_path_and_no_value),
        JSON_TEST(infinities_and_the_json_of_columns_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
