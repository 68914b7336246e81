/* Related records of many records, loaded with one statement per relation and level. */
#include "relations.h"

#include <stdio.h>
#include <string.h>

static int statements;

static void count_statement(const char *sql, int64_t nanoseconds, void *context) {
    (void)sql;
    (void)nanoseconds;
    (void)context;
    statements += 1;
}

static const person *all_people(corm_records **records, size_t *count) {
    corm_query query = {.struct_size = sizeof query, .order_by = (const char *const[]){"id"}, .order_by_count = 1};
    OK(corm_query_fetch(db, people, &query, records, &failure));
    *count = corm_records_count(*records);
    return corm_records_data(*records);
}

/* "Rex,Tom;;" : the pets' names of each record. */
static const char *pet_names(const corm_related *related, size_t count) {
    static char text[400];
    text[0] = '\0';
    for (size_t position = 0; position < count; position += 1) {
        const pet *found = corm_related_data(related, position);
        for (size_t index = 0; index < corm_related_count(related, position); index += 1)
            sprintf(text + strlen(text), "%s%s", index == 0 ? "" : ",", found[index].name);
        strcat(text, ";");
    }
    return text;
}

static void to_many_of_every_record_in_one_statement(void **state) {
    (void)state;
    corm_records *records;
    corm_related *related;
    size_t count;
    const person *everybody = all_people(&records, &count);
    corm_load_options in_order = {
        .struct_size = sizeof in_order, .order_by = (const char *const[]){"-name"}, .order_by_count = 1};
    OK(corm_database_set_trace(db, count_statement, NULL, &failure));
    statements = 0;
    OK(corm_relation_load(db, people, "pets", everybody, count, &in_order, &related, &failure));
    assert_int_equal(statements, 1);
    assert_string_equal(pet_names(related, count), "Tom,Rex;;;Ivy;Tom;;");
    assert_null(corm_related_data(related, 1));
    assert_int_equal(corm_related_count(related, 6), 0);
    assert_null(corm_related_data(related, 6));
    size_t all;
    assert_non_null(corm_related_all(related, &all));
    assert_int_equal(all, 4);
    corm_related_free(related);
    corm_related_free(related);
    assert_int_equal(corm_related_count(related, 0), 0);
    assert_null(corm_related_data(related, 0));
    assert_null(corm_related_all(related, &all));
    corm_records_free(records);
}

static void conditions_and_a_limit_for_each_record(void **state) {
    (void)state;
    corm_records *records;
    corm_related *related;
    size_t count;
    const person *everybody = all_people(&records, &count);
    corm_expr *light = CORM_LT(pets, "weight", corm_value_int64(8));
    corm_load_options options = {.struct_size = sizeof options, .condition = light};
    OK(corm_relation_load(db, people, "pets", everybody, count, &options, &related, &failure));
    assert_string_equal(pet_names(related, count), "Tom;;;Ivy;Tom;;");
    corm_related_free(related);
    OK(corm_database_execute(db, "UPDATE pet SET owner_id = 1 WHERE id < 5", CORM_NO_VALUES, NULL, &failure));
    options = (corm_load_options){.struct_size = sizeof options,
                                  .order_by = (const char *const[]){"-weight", "id"},
                                  .order_by_count = 2,
                                  .limit = 2};
    OK(corm_relation_load(db, people, "pets", everybody, count, &options, &related, &failure));
    assert_string_equal(pet_names(related, count), "Rex,Ivy;;;;Tom;;");
    corm_related_free(related);
    options.limit = -1;
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", everybody, count, &options, &related, &failure));
    options = (corm_load_options){.struct_size = sizeof options, .condition = column("name")};
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "pets", everybody, count, &options, &related, &failure));
    FAILURE_SAYS("does not read from Person");
    corm_expr_free((corm_expr *)options.condition);
    corm_expr_free(light);
    corm_records_free(records);
}

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

static void many_to_many_gives_a_record_to_each(void **state) {
    (void)state;
    corm_related *related;
    pet beasts[] = {{1, {0}, "", {0}}, {2, {0}, "", {0}}, {3, {0}, "", {0}}, {4, {0}, "", {0}}};
    corm_load_options options = {
        .struct_size = sizeof options, .order_by = (const char *const[]){"word"}, .order_by_count = 1};
    OK(corm_relation_load(db, pets, "tags", beasts, 4, &options, &related, &failure));
    const size_t counts[] = {2, 0, 1, 1};
    for (size_t index = 0; index < 4; index += 1)
        assert_int_equal(corm_related_count(related, index), counts[index]);
    assert_string_equal(((tag *)corm_related_data(related, 0))[1].word, "old");
    assert_string_equal(((tag *)corm_related_data(related, 2))->word, "old");
    assert_string_equal(((tag *)corm_related_data(related, 3))->word, "loud");
    corm_related_free(related);
}

static void level_by_level(void **state) {
    (void)state;
    corm_related *children;
    corm_related *grandchildren;
    node root = {.id = 1, .name = "root"};
    corm_load_options options = {
        .struct_size = sizeof options, .order_by = (const char *const[]){"id"}, .order_by_count = 1};
    size_t count;
    OK(corm_relation_load(db, nodes, "children", &root, 1, &options, &children, &failure));
    node *found = corm_related_all(children, &count);
    assert_int_equal(count, 2);
    assert_string_equal(found[1].name, "right");
    OK(corm_relation_load(db, nodes, "children", found, count, NULL, &grandchildren, &failure));
    assert_int_equal(corm_related_count(grandchildren, 0), 1);
    assert_string_equal(((node *)corm_related_data(grandchildren, 0))->name, "leaf");
    assert_int_equal(corm_related_count(grandchildren, 1), 0);
    corm_related_free(children);
    corm_related_free(grandchildren);
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

static void a_thousand_with_ten_each(void **state) {
    (void)state;
    static person many[1000];
    corm_related *related;
    OK(corm_database_execute_script(db,
                                    "DELETE FROM pet_tag; DELETE FROM pet; DELETE FROM person;"
                                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
                                    "INSERT INTO person (id, name, height) SELECT i, 'p' || i, 1 FROM n;"
                                    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
                                    "INSERT INTO pet (owner_id, name) SELECT 1 + i % 1000, 'b' || i FROM n;",
                                    &failure));
    for (int index = 0; index < 1000; index += 1)
        many[index].id = 1000 - index;
    OK(corm_relation_load(db, people, "pets", many, 1000, NULL, &related, &failure));
    for (size_t index = 0; index < 1000; index += 1) {
        const pet *found = corm_related_data(related, index);
        assert_int_equal(corm_related_count(related, index), 10);
        for (int number_of = 0; number_of < 10; number_of += 1)
            assert_int_equal(found[number_of].owner_id.value, 1000 - (int64_t)index);
    }
    corm_related_free(related);
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
        RELATION_TEST(to_many_of_every_record_in_one_statement),
        RELATION_TEST(conditions_and_a_limit_for_each_record),
        RELATION_TEST(to_one_is_one_or_none),
        RELATION_TEST(many_to_many_gives_a_record_to_each),
        RELATION_TEST(level_by_level),
        RELATION_TEST(text_keys_are_told_apart_by_their_bytes),
        RELATION_TEST(a_thousand_with_ten_each),
        RELATION_TEST(loads_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
