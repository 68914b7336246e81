/* Relations that columns name, among models that are made together; paths along them. */
#include "support.h"

#include <string.h>

typedef struct shelf {
    int64_t id;
    corm_optional_int64 parent_id;
} shelf;
typedef struct title {
    int64_t id;
    int64_t shelf_id;
} title;
typedef struct word {
    int64_t id;
    const char *text;
} word;
typedef struct title_word {
    int64_t title_id;
    int64_t word_id;
} title_word;

#define KEY .primary_key = true
static const corm_column_def shelf_columns[] = {
    CORM_COLUMN(shelf, id, CORM_INT64, KEY),
    CORM_COLUMN(shelf, parent_id, CORM_INT64, .references_table = "shelf", .relation = "parent", .inverse = "shelves"),
};
static const corm_column_def title_columns[] = {
    CORM_COLUMN(title, id, CORM_INT64, KEY),
    CORM_COLUMN(title, shelf_id, CORM_INT64, .references_table = "shelf", .relation = "shelf", .inverse = "titles"),
};
static const corm_column_def word_columns[] = {
    CORM_COLUMN(word, id, CORM_INT64, KEY),
    CORM_COLUMN(word, text, CORM_TEXT),
};
static const corm_column_def title_word_columns[] = {
    CORM_COLUMN(title_word, title_id, CORM_INT64, KEY, .references_table = "title", .across = "words"),
    CORM_COLUMN(title_word, word_id, CORM_INT64, KEY, .references_table = "word", .across = "titles"),
};
CORM_DEFINE(shelf, "Shelf", shelf_columns);
CORM_DEFINE(title, "Title", title_columns);
CORM_DEFINE(word, "Word", word_columns);
CORM_DEFINE(title_word, "TitleWord", title_word_columns);

static const corm_model_slot slots[] = {CORM_SLOT(title_word), CORM_SLOT(title), CORM_SLOT(shelf), CORM_SLOT(word)};

static void make(void) {
    OK(corm_model_create_all(slots, 4, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(shelf_model, title_model, word_model, title_word_model), &failure));
    run_script("INSERT INTO shelf VALUES (1, NULL), (2, 1), (3, 1); INSERT INTO title VALUES (1, 2), (2, 2), (3, 3);"
               "INSERT INTO word VALUES (1, 'one'), (2, 'two'); INSERT INTO title_word VALUES (1, 1), (1, 2), (3, 2)");
}

static void clear(void) {
    for (int index = 0; index < 4; index += 1)
        corm_model_free(*slots[index].out_model);
}

static void columns_name_relations(void **state) {
    (void)state;
    int64_t count;
    make();
    corm_expr *two = CORM_EQ(CORM_COL(word, text), CORM_STR("two"));
    OK(corm_query_count(db, shelf_model,
                        CORM_QUERY(.where = corm_relation_exists(shelf_model, NULL, "titles.words", two)), &count,
                        &failure));
    assert_int_equal(count, 2);
    corm_expr *below =
        corm_relation_exists(shelf_model, NULL, "shelves.titles.words", CORM_EQ(CORM_COL(word, text), CORM_STR("one")));
    OK(corm_query_count(db, shelf_model, CORM_QUERY(.where = below), &count, &failure));
    assert_int_equal(count, 1);
    corm_expr *parent = CORM_EQ(corm_expr_column(title_model, "shelf.parent.id"), CORM_INT(1));
    OK(corm_query_count(db, title_model, CORM_QUERY(.where = parent), &count, &failure));
    assert_int_equal(count, 3);
    clear();
}

static void levels_are_loaded_by_a_path(void **state) {
    (void)state;
    corm_arena *arena = corm_arena_create();
    shelf *shelves;
    size_t count;
    corm_related *titles;
    make();
    OK(CORM_FETCH(shelf, db, CORM_QUERY(.order_by = "id"), arena, &shelves, &count, &failure));
    OK(corm_relation_load(db, shelf_model, "titles.words", shelves, count, CORM_LOAD(.order_by = "-id"), &titles,
                          &failure));
    assert_int_equal(related_count(titles, 0), 0);
    assert_int_equal(related_count(titles, 1), 2);
    const title *second = corm_related_get(titles, 1, NULL);
    assert_int_equal(second[0].id, 2);
    assert_int_equal(second[1].id, 1);
    corm_related *words = corm_related_next(titles);
    assert_int_equal(related_count(words, 0), 0);
    assert_int_equal(related_count(words, 1), 2);
    assert_int_equal(related_count(words, 2), 1);
    assert_string_equal(((const word *)corm_related_get(words, 2, NULL))->text, "two");
    assert_null(corm_related_next(words));
    corm_related_free(titles);
    assert_int_equal(related_count(words, 1), 0);
    GIVES(CORM_E_MISUSE, corm_relation_load(db, shelf_model, "titles.wrods", shelves, count, NULL, &titles, &failure));
    assert_non_null(strstr(corm_error_hint(failure), "words"));
    GIVES(CORM_E_MISUSE, corm_relation_load(db, shelf_model, "titles.", shelves, count, NULL, &titles, &failure));
    clear();
    corm_arena_free(arena);
}

static void models_that_do_not_fit_together(void **state) {
    (void)state;
    corm_model *model = NULL;
    GIVES(CORM_E_MODEL, corm_model_create(&title_def, &model, &failure));
    assert_non_null(strstr(corm_error_message(failure), "column \"shelf_id\" of model Title"));
    assert_null(model);
    OK(corm_model_create(&shelf_def, &model, &failure));
    corm_model_free(model);
    corm_column_def columns[2] = {shelf_columns[0], shelf_columns[1]};
    corm_model_def wrong = shelf_def;
    wrong.columns = columns;
    columns[1].references_table = NULL;
    GIVES(CORM_E_MODEL, corm_model_create(&wrong, &model, &failure));
    columns[1] = shelf_columns[1];
    columns[1].inverse = "parent";
    GIVES(CORM_E_MODEL, corm_model_create(&wrong, &model, &failure));
    columns[1].inverse = "id";
    GIVES(CORM_E_MODEL, corm_model_create(&wrong, &model, &failure));
    columns[1].inverse = NULL;
    columns[1].across = "far";
    GIVES(CORM_E_MODEL, corm_model_create(&wrong, &model, &failure));
    assert_non_null(strstr(corm_error_message(failure), "leads across 0 columns"));
    GIVES(CORM_E_MISUSE, corm_model_create_all(NULL, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_all(&(corm_model_slot){&shelf_def, NULL}, 1, &failure));
    GIVES(CORM_E_MISUSE, corm_model_create_all(&(corm_model_slot){NULL, &model}, 1, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(columns_name_relations),
        TEST(levels_are_loaded_by_a_path),
        TEST(models_that_do_not_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
