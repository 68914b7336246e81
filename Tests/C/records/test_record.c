/* Single records as C structs. */
#include "support.h"

#include <sqlite3.h>
#include <string.h>

static corm_arena *arena;

static int set_up_record(void **state) {
    arena = corm_arena_create();
    return set_up(state);
}

static int tear_down_record(void **state) {
    corm_arena_free(arena);
    return tear_down(state);
}

typedef struct ranked {
    corm_optional_int64 id;
    const char *name;
} ranked;

static const corm_column_def ranked_columns[] = {
    CORM_COLUMN(ranked, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(ranked, name, CORM_TEXT, .not_null = true),
};
static const corm_model_def ranked_def = CORM_MODEL(ranked, "Person", ranked_columns);

/* finding reliability.md A3: 0 in a plain integer is no key yet, so that a row with that key cannot be read into one. */
static void the_key_0_wants_an_optional_integer(void **state) {
    (void)state;
    OK(corm_database_execute(db, "INSERT INTO person (id, name, height) VALUES (0, 'zero', 1.0)", NULL, 0, NULL,
                             &failure));
    person found = {0};
    GIVES(CORM_E_RANGE, corm_record_find(db, people, CORM_VALUES(corm_value_int64(0)), &found, arena, &failure));
    assert_string_equal(corm_error_message(failure),
                        "person.id is the key 0, which in a plain integer means that there is none yet");
    assert_string_equal(corm_error_hint(failure),
                        "make the property a corm_optional_int64, where 0 is a key like any other");
    corm_records *all = NULL;
    GIVES(CORM_E_RANGE, corm_query_fetch(db, people, NULL, &all, &failure));
    /* A struct of zeros has no key: it is no row's, not even that one's. */
    person none = {.name = "new"};
    GIVES(CORM_E_NO_RECORD, corm_record_update(db, people, &none, NULL, NULL, &failure));
    GIVES(CORM_NOT_FOUND, corm_record_delete(db, people, &none, &failure));
    OK(corm_record_save(db, people, &none, NULL, &failure));
    assert_int_equal(none.id, 1);

    corm_model *model = NULL;
    OK(corm_model_create(&ranked_def, &model, &failure));
    ranked zero = {0};
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(0)), &zero, arena, &failure));
    assert_true(zero.id.has_value && zero.id.value == 0);
    zero.name = "nought";
    OK(corm_record_update(db, model, &zero, NULL, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 2);
    assert_string_equal(select_text("SELECT name FROM person WHERE id = 0"), "nought");
    corm_model_free(model);
}

/* SQLite makes it where the greatest key is -1. */
static void a_key_0_that_sqlite_makes_is_refused(void **state) {
    (void)state;
    person first = {.id = -1, .name = "first"}, second = {.name = "second"};
    OK(corm_record_insert(db, people, &first, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_RANGE, corm_record_insert(db, people, &second, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_RANGE, corm_record_save(db, people, &second, NULL, &failure));
    GIVES(CORM_E_RANGE, corm_record_insert_many(db, people, &second, 1, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "the key 0"));
    assert_int_equal(second.id, 0);
    assert_string_equal(select_text("SELECT group_concat(id) FROM person"), "-1");
    second.id = 1;
    OK(corm_record_insert(db, people, &second, CORM_CONFLICT_ABORT, NULL, &failure));
    person third = {.name = "third"};
    OK(corm_record_save(db, people, &third, NULL, &failure));
    assert_int_equal(third.id, 2);
}

/* The row that it would replace stays, too. */
static void a_key_0_replaces_nothing(void **state) {
    (void)state;
    OK(corm_database_execute_script(db, "CREATE UNIQUE INDEX by_name ON person (name)", &failure));
    person first = {.id = -1, .name = "same"}, second = {.name = "same"};
    OK(corm_record_insert(db, people, &first, CORM_CONFLICT_ABORT, NULL, &failure));
    GIVES(CORM_E_RANGE, corm_record_insert(db, people, &second, CORM_CONFLICT_REPLACE, NULL, &failure));
    assert_string_equal(select_text("SELECT group_concat(id) FROM person"), "-1");
}

static void delete_find_exists_refresh(void **state) {
    (void)state;
    insert_people(3);
    person one = {.id = 2, .name = "mine"};
    OK(corm_record_refresh(db, people, &one, arena, &failure));
    assert_string_equal(one.name, "p2");
    OK(corm_record_exists(db, people, CORM_VALUES(corm_value_int64(2)), &failure));
    OK(corm_record_delete(db, people, &one, &failure));
    GIVES(CORM_NOT_FOUND, corm_record_delete(db, people, &one, &failure));
    GIVES(CORM_NOT_FOUND, corm_record_exists(db, people, CORM_VALUES(corm_value_int64(2)), &failure));
    GIVES(CORM_E_NO_RECORD, corm_record_refresh(db, people, &one, arena, &failure));
    person untouched;
    memset(&untouched, 0x55, sizeof untouched);
    person copy = untouched;
    GIVES(CORM_NOT_FOUND, corm_record_find(db, people, CORM_VALUES(corm_value_int64(2)), &copy, arena, &failure));
    assert_memory_equal(&copy, &untouched, sizeof copy);
    OK(corm_record_delete_key(db, people, CORM_VALUES(corm_value_int64(3)), &failure));
    GIVES(CORM_NOT_FOUND, corm_record_delete_key(db, people, CORM_VALUES(corm_value_int64(3)), &failure));
    int64_t count;
    OK(corm_query_delete(db, people, NULL, &count, &failure));
    assert_int_equal(count, 1);
    OK(corm_query_delete(db, people, NULL, NULL, &failure));
}

static void arguments_that_can_never_be_right(void **state) {
    (void)state;
    person one;
    GIVES(CORM_E_MISUSE, corm_record_find(db, people, CORM_NO_VALUES, &one, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_find(db, people, NULL, 1, &one, NULL, &failure));
    GIVES(CORM_E_BINDING,
          corm_record_exists(db, people, CORM_VALUES(corm_value_int64(1), corm_value_int64(2)), &failure));
    GIVES(CORM_E_MISUSE, corm_record_delete_key(db, people, CORM_NO_VALUES, &failure));
    GIVES(CORM_E_RANGE, corm_record_exists(db, people, CORM_VALUES(corm_value_uint64(UINT64_MAX)), &failure));
    GIVES(CORM_NOT_FOUND, corm_record_exists(db, people, CORM_VALUES(corm_value_null()), &failure));
    one = (person){.id = 1, .name = "one"};
    GIVES(CORM_E_MISUSE, corm_record_insert(db, people, &one, 5, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_insert(db, people, &one, -1, NULL, &failure));
    GIVES(CORM_IGNORED, corm_record_update(db, people, &one, "", NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_update(db, people, &one, "name, nmae", NULL, &failure));
}

/* findings c.md 7 and code.md 2: what was in the texts before stayed there, often nothing that could be read. */
static void texts_are_not_read_without_an_arena(void **state) {
    (void)state;
    insert_people(1);
    person one = {.id = 1, .name = "mine", .height = 9};
    GIVES(CORM_E_MISUSE, corm_record_refresh(db, people, &one, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "Person.name"));
    GIVES(CORM_E_MISUSE, corm_record_find(db, people, CORM_VALUES(corm_value_int64(1)), &one, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_query_first(db, people, NULL, &one, NULL, &failure));
    assert_string_equal(one.name, "mine");
    assert_true(one.height == 9);
    struct {
        int64_t id;
        double height;
    } small = {0};
    const corm_column_def columns[] = {
        {.name = "id", .size = 8, .field = CORM_FIELD_INTEGER, .type = CORM_INT64, .primary_key = true},
        {.name = "height", .offset = 8, .size = 8, .field = CORM_FIELD_DOUBLE, .type = CORM_DOUBLE},
    };
    corm_model *numbers;
    OK(corm_model_create(&(corm_model_def)CORM_MODEL(small, "Person", columns), &numbers, &failure));
    OK(corm_record_find(db, numbers, CORM_VALUES(corm_value_int64(1)), &small, NULL, &failure));
    assert_int_equal(small.id, 1);
    corm_model_free(numbers);
}

typedef struct item {
    int64_t id;
    const char *title;
    corm_optional_int64 price;
    const char *state;
    int64_t twice;
    corm_text label;
} item;

static const corm_column_def item_columns[] = {
    CORM_COLUMN(item, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(item, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(item, price, CORM_INT64, .default_sql = "10"),
    CORM_COLUMN(item, state, CORM_TEXT, .default_sql = "'new'"),
    CORM_COLUMN(item, twice, CORM_INT64, .computed_sql = "price * 2"),
    CORM_COLUMN(item, label, CORM_TEXT, .computed_sql = "upper(title)"),
};
static const corm_model_def item_def = CORM_MODEL(item, "Item", item_columns);

static void what_the_database_makes_comes_back(void **state) {
    (void)state;
    corm_model *items;
    OK(corm_model_create(&item_def, &items, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(items), &failure));
    char title[] = "nut";
    item one = {.title = title, .twice = 999};
    OK(corm_record_insert(db, items, &one, CORM_CONFLICT_ABORT, arena, &failure));
    assert_int_equal(one.id, 1);
    assert_true(one.price.has_value && one.price.value == 10);
    assert_string_equal(one.state, "new");
    assert_int_equal(one.twice, 20);
    assert_int_equal(one.label.size, 3);
    assert_memory_equal(one.label.data, "NUT", 3);
    assert_ptr_equal(one.title, title);

    one.price.value = 7;
    one.title = "bolt";
    OK(corm_record_update(db, items, &one, NULL, arena, &failure));
    assert_int_equal(one.twice, 14);
    assert_memory_equal(one.label.data, "BOLT", 4);
    one.price.value = 8;
    OK(corm_record_save(db, items, &one, arena, &failure));
    assert_int_equal(one.twice, 16);
    corm_model_free(items);
}

static void texts_that_the_database_makes_are_refused_without_an_arena(void **state) {
    (void)state;
    static const corm_column_def columns[] = {
        CORM_COLUMN(item, id, CORM_INT64, .primary_key = true),
        CORM_COLUMN(item, title, CORM_TEXT, .not_null = true),
        CORM_COLUMN(item, price, CORM_INT64, .default_sql = "10"),
        CORM_COLUMN(item, state, CORM_TEXT, .default_sql = "'new'"),
        CORM_COLUMN(item, twice, CORM_INT64, .computed_sql = "price * 2"),
    };
    corm_model *labelled = NULL, *items = NULL;
    OK(corm_model_create(&item_def, &labelled, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(labelled), &failure));
    OK(corm_model_create(&(corm_model_def)CORM_MODEL(item, "Item", columns), &items, &failure));
    item bare = {.title = "nut"}, whole[] = {{.title = "nut", .state = "old"}, {.title = "bolt", .state = "old"}};
    /* computed: in each write */
    whole[0].id = 1;
    GIVES(CORM_E_MISUSE, corm_record_insert(db, labelled, &whole[0], CORM_CONFLICT_ABORT, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "Item.label"));
    GIVES(CORM_E_MISUSE, corm_record_save(db, labelled, &whole[0], NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_update(db, labelled, &whole[0], NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_update_many(db, labelled, whole, 2, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_upsert(db, labelled, whole, 1, NULL, NULL, NULL, &failure));
    GIVES(CORM_NOT_FOUND, corm_record_delete(db, labelled, &whole[0], &failure));
    /* with a default: where it is NULL, in a new row */
    whole[0].id = 0;
    GIVES(CORM_E_MISUSE, corm_record_insert(db, items, &bare, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "Item.state"));
    assert_int_equal(bare.id, 0);
    OK(corm_record_insert_many(db, items, whole, 2, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(whole[1].id, 2);
    assert_int_equal(whole[1].twice, 20);
    whole[1].state = NULL;
    OK(corm_record_update_many(db, items, whole, 2, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_save_many(db, items, whole, 2, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_relation_save(db, items, whole, 2, NULL, 0, NULL, &failure));
    int64_t count = 0;
    OK(corm_query_count(db, items, NULL, &count, &failure));
    assert_int_equal(count, 2);
    corm_model_free(items);
    corm_model_free(labelled);
}

static const corm_column_def tagged_columns[] = {
    CORM_COLUMN(ranked, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(ranked, name, CORM_TEXT, .not_null = true, .unique = true),
};
static const corm_model_def tagged_def = CORM_MODEL(ranked, "Tag", tagged_columns);

static void an_upsert_reads_texts_into_the_arena(void **state) {
    (void)state;
    corm_model *tags = NULL;
    int64_t inserted = -1;
    OK(corm_model_create(&tagged_def, &tags, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(tags), &failure));
    ranked soul = {.name = "soul"}, same = {{true, 1}, "rock"};
    OK(corm_record_upsert(db, tags, &soul, 1, CORM_UPSERT(.on = "name"), arena, &inserted, &failure));
    assert_int_equal(inserted, 0);
    assert_int_equal(soul.id.value, 1);
    GIVES(CORM_E_MISUSE, corm_record_upsert(db, tags, &same, 1, CORM_UPSERT(.keep = "name"), NULL, NULL, &failure));
    assert_string_equal(same.name, "rock");
    OK(corm_record_upsert(db, tags, &same, 1, CORM_UPSERT(.keep = "name"), arena, NULL, &failure));
    assert_string_equal(same.name, "soul");
    GIVES(CORM_E_MISUSE, corm_record_upsert(db, tags, &same, 1, NULL, NULL, NULL, &failure));

    ranked many[] = {{.name = "soul"}, {.name = "jazz"}, {.name = "jazz"}};
    GIVES(CORM_E_MISUSE, corm_record_upsert(db, tags, many, 3, CORM_UPSERT(.keep_row = true), NULL, NULL, &failure));
    OK(corm_record_upsert(db, tags, many, 3, CORM_UPSERT(.on = "name", .keep_row = true), arena, &inserted, &failure));
    assert_int_equal(inserted, 1);
    assert_int_equal(many[2].id.value, 2);
    GIVES(CORM_E_MISUSE,
          corm_record_upsert(db, tags, many, 3, CORM_UPSERT(.keep_row = true, .keep = "name"), arena, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_upsert(db, tags, many, 1, CORM_UPSERT(.on = ""), arena, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_upsert(db, tags, NULL, 1, NULL, arena, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_record_upsert(db, tags, NULL, 2, NULL, arena, NULL, &failure));
    OK(corm_record_upsert(db, tags, NULL, 0, NULL, arena, NULL, &failure));
    corm_model_free(tags);
}

typedef struct account {
    int64_t id;
    int64_t balance;
    int32_t version;
} account;

static const corm_column_def account_columns[] = {
    CORM_COLUMN(account, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(account, balance, CORM_INT64),
    CORM_COLUMN(account, version, CORM_INT32, .version = true),
};
static const corm_model_def account_def = CORM_MODEL(account, "Account", account_columns);

static void a_struct_has_its_own_version_again_when_its_batch_is_rolled_back(void **state) {
    (void)state;
    corm_model *accounts = NULL;
    OK(corm_model_create(&account_def, &accounts, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(accounts), &failure));
    account both[2] = {{.balance = 1}, {.balance = 2}};
    OK(corm_record_insert_many(db, accounts, both, 2, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    account stale = both[1];
    OK(corm_record_update(db, accounts, &both[1], "balance", NULL, &failure));
    assert_int_equal(both[1].version, 2);
    account mixed[2] = {both[0], stale};
    GIVES(CORM_E_STALE_RECORD, corm_record_update_many(db, accounts, mixed, 2, NULL, NULL, &failure));
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    assert_int_equal(mixed[0].version, 1);
    GIVES(CORM_E_STALE_RECORD, corm_record_save_many(db, accounts, mixed, 2, NULL, &failure));
    assert_int_equal(mixed[0].version, 1);
    GIVES(CORM_E_STALE_RECORD, corm_record_delete(db, accounts, &stale, &failure));
    OK(corm_record_update_many(db, accounts, both, 2, NULL, NULL, &failure));
    assert_int_equal(both[0].version, 2);
    assert_int_equal(both[1].version, 3);
    corm_model_free(accounts);
}

/* A check of all records before the first is written left off at the last one, from which versions were then kept. */
static void versions_come_back_without_an_arena_too(void **state) {
    (void)state;
    typedef struct {
        int64_t id;
        const char *state;
        int32_t version;
    } entry;
    static const corm_column_def columns[] = {
        CORM_COLUMN(entry, id, CORM_INT64, .primary_key = true),
        CORM_COLUMN(entry, state, CORM_TEXT, .unique = true, .default_sql = "'new'"),
        CORM_COLUMN(entry, version, CORM_INT32, .version = true),
    };
    corm_model *entries = NULL;
    OK(corm_model_create(&(corm_model_def)CORM_MODEL(entry, "Entry", columns), &entries, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(entries), &failure));
    entry both[2] = {{.state = "one"}, {.state = "one"}};
    GIVES(CORM_E_UNIQUE, corm_record_insert_many(db, entries, both, 2, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    assert_int_equal(both[0].version, 0);
    assert_int_equal(both[0].id, 0);
    corm_model_free(entries);
}

typedef struct page {
    int64_t id;
    const char *title;
    char state[8];
    corm_datetime created;
    corm_datetime updated;
    int32_t version;
    corm_text shouted;
} page;

static const corm_column_def page_columns[] = {
    CORM_COLUMN(page, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(page, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(page, state, CORM_TEXT),
    CORM_COLUMN(page, created, CORM_DATETIME, .stamp = CORM_STAMP_CREATED),
    CORM_COLUMN(page, updated, CORM_DATETIME, .stamp = CORM_STAMP_UPDATED),
    CORM_COLUMN(page, version, CORM_INT32, .version = true),
    CORM_COLUMN(page, shouted, CORM_TEXT, .computed_sql = "upper(title)"),
};
static const corm_model_def page_def = CORM_MODEL(page, "Page", page_columns);

static void an_update_of_a_property_reads_and_writes_no_other_field(void **state) {
    (void)state;
    corm_model *pages = NULL;
    OK(corm_model_create(&page_def, &pages, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(pages), &failure));
    page first = {.title = "first", .state = "new"};
    OK(corm_record_insert(db, pages, &first, CORM_CONFLICT_ABORT, arena, &failure));
    assert_true(first.created > 1577836800000000 && first.created == first.updated);
    corm_datetime created = first.created;
    /* A field that is not written need not be one that could be. */
    memset(first.state, 'x', sizeof first.state);
    first.title = "second";
    first.updated = 5;
    OK(corm_record_update(db, pages, &first, "title", arena, &failure));
    assert_string_equal(first.shouted.data, "SECOND");
    assert_int_equal(first.version, 2);
    assert_true(first.updated >= created && first.state[7] == 'x');
    strcpy(first.state, "old");
    first.created = 0;
    OK(corm_record_update(db, pages, &first, NULL, arena, &failure));
    assert_true(first.created == created);
    corm_model_free(pages);
}

static void a_struct_has_its_own_times_again_when_its_batch_is_rolled_back(void **state) {
    (void)state;
    corm_model *pages = NULL;
    OK(corm_model_create(&page_def, &pages, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(pages), &failure));
    page both[2] = {{.title = "a", .updated = 7}, {.title = NULL}};
    GIVES(CORM_E_NOT_NULL, corm_record_insert_many(db, pages, both, 2, CORM_CONFLICT_ABORT, arena, NULL, &failure));
    assert_true(both[0].created == 0 && both[0].updated == 7 && both[0].version == 0 && both[0].id == 0);
    corm_model_free(pages);
}

static void what_changed_is_a_list(void **state) {
    (void)state;
    corm_model *pages = NULL;
    OK(corm_model_create(&page_def, &pages, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(pages), &failure));
    page first = {.title = "first", .state = "new"};
    OK(corm_record_insert(db, pages, &first, CORM_CONFLICT_ABORT, arena, &failure));
    page old = first;
    char copied[] = "first";
    first.title = copied;
    const char *changed = "";
    GIVES(CORM_IGNORED, corm_record_changes(pages, &first, &old, arena, &changed, &failure));
    assert_null(changed);
    GIVES(CORM_IGNORED, corm_record_update_changes(db, pages, &first, &old, arena, &failure));
    copied[0] = 'F';
    strcpy(first.state, "old");
    OK(corm_record_changes(pages, &first, &old, arena, &changed, &failure));
    assert_string_equal(changed, "title, state");
    OK(corm_record_update_changes(db, pages, &first, &old, arena, &failure));
    assert_int_equal(first.version, 2);
    memset(first.state, 'x', sizeof first.state);
    GIVES(CORM_E_ENCODING, corm_record_changes(pages, &first, &old, arena, &changed, &failure));
    GIVES(CORM_E_MISUSE, corm_record_changes(pages, NULL, &old, arena, &changed, &failure));
    GIVES(CORM_E_MISUSE, corm_record_changes(pages, &first, NULL, arena, &changed, &failure));
    GIVES(CORM_E_MISUSE, corm_record_changes(pages, &first, &old, NULL, &changed, &failure));
    GIVES(CORM_E_MISUSE, corm_record_changes(NULL, &first, &old, arena, &changed, &failure));
    GIVES(CORM_E_MISUSE, corm_record_update_changes(NULL, pages, &first, &old, arena, &failure));
    corm_model_free(pages);
}

typedef struct wide {
    int64_t id;
    int64_t c0, c1, c2, c3, c4, c5, c6, c7;
} wide;

static const corm_column_def wide_columns[] = {
    CORM_COLUMN(wide, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(wide, c0, CORM_INT64),
    CORM_COLUMN(wide, c1, CORM_INT64),
    CORM_COLUMN(wide, c2, CORM_INT64),
    CORM_COLUMN(wide, c3, CORM_INT64),
    CORM_COLUMN(wide, c4, CORM_INT64),
    CORM_COLUMN(wide, c5, CORM_INT64),
    CORM_COLUMN(wide, c6, CORM_INT64),
    CORM_COLUMN(wide, c7, CORM_INT64),
};
static const corm_model_def wide_def = CORM_MODEL(wide, "Wide", wide_columns);

static corm_status count_statements(corm_connection *connection, void *context, corm_error **out_error) {
    (void)out_error;
    sqlite3 *handle = corm_connection_sqlite3(connection);
    for (sqlite3_stmt *one = sqlite3_next_stmt(handle, NULL); one != NULL; one = sqlite3_next_stmt(handle, one))
        *(int *)context += 1;
    return CORM_OK;
}

/* 8 columns have 255 sets to update, 20 a million: not each keeps a statement for ever. */
static void updates_of_every_set_of_columns_keep_few_statements(void **state) {
    (void)state;
    corm_model *model = NULL;
    OK(corm_model_create(&wide_def, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    wide one = {0};
    OK(corm_record_insert(db, model, &one, CORM_CONFLICT_ABORT, NULL, &failure));
    for (int set = 1; set < 256; set += 1) {
        wide old = one;
        int64_t *fields = &one.c0;
        for (int column = 0; column < 8; column += 1)
            fields[column] += set >> column & 1;
        OK(corm_record_update_changes(db, model, &one, &old, NULL, &failure));
    }
    assert_int_equal(select_int("SELECT sum(c0 = 128 AND c7 = 128) FROM wide"), 1);
    int count = 0;
    OK(corm_database_use_connection(db, count_statements, &count, &failure));
    assert_in_range(count, 1, 150);
    corm_model_free(model);
}

#define RECORD(function) cmocka_unit_test_setup_teardown(function, set_up_record, tear_down_record)

int main(void) {
    const struct CMUnitTest tests[] = {
        RECORD(the_key_0_wants_an_optional_integer),
        RECORD(a_key_0_that_sqlite_makes_is_refused),
        RECORD(a_key_0_replaces_nothing),
        RECORD(delete_find_exists_refresh),
        RECORD(arguments_that_can_never_be_right),
        RECORD(texts_are_not_read_without_an_arena),
        RECORD(texts_that_the_database_makes_are_refused_without_an_arena),
        RECORD(what_the_database_makes_comes_back),
        RECORD(a_struct_has_its_own_version_again_when_its_batch_is_rolled_back),
        RECORD(versions_come_back_without_an_arena_too),
        RECORD(an_update_of_a_property_reads_and_writes_no_other_field),
        RECORD(a_struct_has_its_own_times_again_when_its_batch_is_rolled_back),
        RECORD(what_changed_is_a_list),
        RECORD(updates_of_every_set_of_columns_keep_few_statements),
        RECORD(an_upsert_reads_texts_into_the_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
