/* Related records of many records, loaded with one statement per relation and level. */
#include "relations.h"

#include <stdio.h>
#include <string.h>

static void to_one_is_one_or_none(void **state) {
    (void)state;
    corm_related *related;
    pet beasts[] = {{3, {true, 4}, "Ivy", {true, 7}},
                    {4, {false, 0}, "Stray", {false, 0}},
                    {9, {true, 99}, "Lost", {0}},
                    {2, {true, 1}, "Tom", {0}},
                    {1, {true, 1}, "Rex", {0}}};
    OK(corm_relation_load(db, pets, "owner", beasts, 5, NULL, &related, &failure));
    const size_t counts[] = {1, 0, 0, 1, 1};
    for (size_t index = 0; index < 5; index += 1)
        assert_int_equal(corm_related_count(related, index), counts[index]);
    assert_string_equal(((person *)corm_related_data(related, 0))->name, "Dan");
    assert_string_equal(((person *)corm_related_data(related, 3))->city, "London");
    assert_string_equal(((person *)corm_related_data(related, 4))->name, "Ada");
    corm_related_free(related);
}

typedef struct word {
    const char *text;
    const char *of;
} word;

static void text_keys_are_told_apart_by_their_bytes(void **state) {
    (void)state;
    static const corm_column_def columns[] = {CORM_COLUMN(word, text, CORM_TEXT, .primary_key = true),
                                              CORM_COLUMN(word, of, CORM_TEXT, .references_table = "word")};
    static const corm_model_def definition = CORM_MODEL(word, "Word", columns);
    corm_model *words;
    corm_related *related;
    word roots[] = {{"\xc3\xa9", NULL}, {"e\xcc\x81", NULL}, {"\xc3\xa9", NULL}};
    OK(corm_model_create(&definition, &words, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){words}, 1, &failure));
    OK(add_relation(words, "parts", CORM_TO_MANY, words, NULL));
    OK(corm_database_execute(db, "INSERT INTO word VALUES (?1, NULL), (?2, NULL), ('a', ?1), ('b', ?2)",
                             CORM_VALUES(corm_value_text(roots[0].text), corm_value_text(roots[1].text)), NULL,
                             &failure));
    OK(corm_relation_load(db, words, "parts", roots, 3, NULL, &related, &failure));
    static const char *const parts[] = {"a", "b", "a"};
    for (size_t index = 0; index < 3; index += 1) {
        assert_int_equal(corm_related_count(related, index), 1);
        assert_string_equal(((word *)corm_related_data(related, index))->text, parts[index]);
    }
    corm_related_free(related);
    corm_model_free(words);
}

static void loads_that_cannot_be(void **state) {
    (void)state;
    person one = {.id = 1, .name = "Ada"};
    corm_related *related = NULL;
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "petz", &one, 1, NULL, &related, &failure));
    FAILURE_SAYS("did you mean pets?");
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, NULL, &one, 1, NULL, &related, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", NULL, 1, NULL, &related, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", &one, 1, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(NULL, people, "pets", &one, 1, NULL, &related, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_load(db, NULL, "pets", &one, 1, NULL, &related, &failure));
    corm_load_options options = {
        .struct_size = sizeof options, .order_by = (const char *const[]){"nmae"}, .order_by_count = 1};
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", &one, 1, &options, &related, &failure));
    FAILURE_SAYS("did you mean name?");
    options = (corm_load_options){0};
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", &one, 1, &options, &related, &failure));
    OK(corm_database_execute(db, "DROP TABLE pet_tag", CORM_NO_VALUES, NULL, &failure));
    pet rex = {.id = 1};
    GIVES(CORM_E_SCHEMA, corm_relation_load(db, pets, "tags", &rex, 1, NULL, &related, &failure));
    assert_null(related);
    OK(corm_relation_load(db, people, "pets", NULL, 0, NULL, &related, &failure));
    assert_int_equal(corm_related_count(related, 0), 0);
    corm_related_free(related);
    corm_related_free((corm_related *)people);
    assert_int_equal(corm_related_count((corm_related *)db, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RELATION_TEST(to_one_is_one_or_none),
        RELATION_TEST(text_keys_are_told_apart_by_their_bytes),
        RELATION_TEST(loads_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
