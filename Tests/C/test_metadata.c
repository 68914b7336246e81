/* Metadata: what introspection knows of files and schemas. */
#include "migrations.h"

#include <string.h>

static const char music[] =
    "CREATE TABLE artist (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE /* of it */, "
    "CONSTRAINT named CHECK (length(name) > 0));"
    "CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist ON DELETE CASCADE, title TEXT, "
    "price REAL DEFAULT (1 + 1), upper_title TEXT AS (upper(title)), UNIQUE (artist_id, title));"
    "CREATE TABLE tag (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;"
    "CREATE TABLE album_tag (album INTEGER REFERENCES album, tag TEXT REFERENCES tag, PRIMARY KEY (album, tag));"
    "CREATE INDEX album_title ON album (title COLLATE NOCASE DESC, lower(title)) WHERE price > 0;"
    "CREATE VIEW titles AS SELECT title FROM album;"
    "CREATE TRIGGER no_x BEFORE UPDATE OF title ON album BEGIN SELECT 1; END;"
    "CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter ascii');";

static corm_metadata *metadata;

static int free_metadata(void **state) {
    corm_metadata_free(metadata);
    metadata = NULL;
    return tear_down_migrations(state);
}

#define TEST_METADATA(function) cmocka_unit_test_setup_teardown(function, set_up_empty, free_metadata)

static const corm_table_metadata *table(const char *name) {
    for (size_t index = 0; index < corm_metadata_table_count(metadata); index += 1) {
        const corm_table_metadata *found = corm_metadata_table_get(metadata, index);
        if (strcmp(found->name, name) == 0)
            return found;
    }
    fail_msg("there is no table %s", name);
    return NULL;
}

static void read_music(void) {
    run(music);
    OK(corm_metadata_read(db, &metadata, &failure));
}

static void tables_are_told_with_their_kinds(void **state) {
    (void)state;
    read_music();
    assert_int_equal(corm_metadata_table_count(metadata), 6);
    assert_int_equal(corm_metadata_problem_count(metadata), 0);
    assert_int_equal(table("artist")->kind, CORM_TABLE_ORDINARY);
    assert_true(table("artist")->is_auto_increment);
    assert_string_equal(table("artist")->rowid_column, "id");
    assert_null(strstr(table("artist")->sql, "of it"));
    assert_int_equal(table("titles")->kind, CORM_TABLE_VIEW);
    assert_int_equal(table("titles")->column_count, 1);
    const corm_table_metadata *texts = table("texts");
    assert_int_equal(texts->kind, CORM_TABLE_VIRTUAL);
    assert_string_equal(texts->module, "fts5");
    assert_int_equal(texts->module_argument_count, 2);
    assert_string_equal(texts->module_arguments[1], "tokenize = 'porter ascii'");
    assert_true(texts->columns[1]->is_hidden);
    assert_true(table("tag")->is_strict && table("tag")->is_without_rowid);
    assert_null(table("tag")->rowid_column);
    assert_string_equal(table("tag")->primary_key[0], "name");
    const corm_check_metadata *check = table("artist")->checks[0];
    assert_string_equal(check->name, "named");
    assert_string_equal(check->sql, "length(name) > 0");
    assert_null(check->column);
}

static void columns_are_told_with_types(void **state) {
    (void)state;
    read_music();
    const corm_table_metadata *album = table("album");
    assert_int_equal(album->column_count, 5);
    assert_int_equal(album->columns[0]->type, CORM_INT64);
    assert_int_equal(album->columns[0]->key_position, 1);
    assert_false(album->columns[0]->is_nullable);
    assert_string_equal(album->columns[1]->c_type, "corm_optional_int64");
    assert_true(album->columns[1]->is_foreign_key);
    assert_string_equal(album->columns[2]->affinity, "TEXT");
    assert_string_equal(album->columns[3]->default_sql, "1 + 1");
    assert_true(album->columns[3]->is_simple_type);
    assert_string_equal(album->columns[4]->generated_sql, "upper(title)");
    assert_false(album->columns[4]->is_stored);
    assert_string_equal(table("artist")->columns[1]->collation, "NOCASE");
}

static void keys_indexes_and_triggers_are_told(void **state) {
    (void)state;
    read_music();
    const corm_table_metadata *album = table("album");
    const corm_foreign_key_metadata *key = album->foreign_keys[0];
    assert_string_equal(key->table, "artist");
    assert_int_equal(key->table_column_count, 1);
    assert_string_equal(key->table_columns[0], "id");
    assert_int_equal(key->on_delete, CORM_ACTION_CASCADE);
    assert_int_equal(album->index_count, 2);
    assert_string_equal(album->indexes[0]->origin, "unique");
    assert_null(album->indexes[0]->name);
    const corm_index_metadata *index = album->indexes[1];
    assert_string_equal(index->condition_sql, "price > 0");
    assert_string_equal(index->terms[0]->collation, "NOCASE");
    assert_true(index->terms[0]->is_descending);
    assert_null(index->terms[1]->column);
    assert_string_equal(index->terms[1]->sql, "lower(title)");
    const corm_trigger_metadata *trigger = album->triggers[0];
    assert_string_equal(trigger->timing, "before");
    assert_string_equal(trigger->event, "update");
    assert_string_equal(trigger->columns[0], "title");
}

static void relations_are_told(void **state) {
    (void)state;
    read_music();
    assert_int_equal(table("artist")->relations[0]->kind, CORM_TO_MANY);
    const corm_relation_metadata *over = table("tag")->relations[1];
    assert_int_equal(over->kind, CORM_MANY_TO_MANY);
    assert_string_equal(over->table, "album");
    assert_string_equal(over->through, "album_tag");
    assert_string_equal(over->through_columns[0], "tag");
    assert_string_equal(over->through_table_columns[0], "album");
}

static void lists_are_never_null(void **state) {
    (void)state;
    run("CREATE TABLE t (a)");
    OK(corm_metadata_read(db, &metadata, &failure));
    const corm_table_metadata *t = table("t");
    assert_true(t->module_arguments && t->primary_key && t->foreign_keys && t->indexes && t->checks && t->triggers &&
                t->relations);
    assert_int_equal(t->columns[0]->type, 0);
    assert_string_equal(t->columns[0]->c_type, "corm_value");
}

static void a_schema_tells_what_its_file_tells(void **state) {
    (void)state;
    read_music();
    corm_schema *schema;
    corm_metadata *of_schema;
    OK(corm_schema_parse(music, &schema, &failure));
    OK(corm_metadata_create(schema, &of_schema, &failure));
    corm_schema_free(schema);
    assert_string_equal(corm_metadata_json(of_schema), corm_metadata_json(metadata));
    corm_metadata_free(of_schema);
}

static void what_does_not_work_is_a_problem(void **state) {
    (void)state;
    run("CREATE VIEW v AS SELECT * FROM missing");
    OK(corm_metadata_read(db, &metadata, &failure));
    assert_int_equal(corm_metadata_problem_count(metadata), 1);
    const corm_metadata_problem *problem = corm_metadata_problem_get(metadata, 0);
    assert_string_equal(problem->type, "view");
    assert_string_equal(problem->name, "v");
    assert_non_null(strstr(problem->message, "no such table"));
    assert_null(corm_metadata_problem_get(metadata, 1));
    assert_int_equal(table("v")->column_count, 0);
}

static void handles_that_are_none(void **state) {
    (void)state;
    OK(corm_metadata_read(db, &metadata, &failure));
    assert_null(corm_metadata_table_get(metadata, 0));
    corm_metadata *gone = metadata;
    metadata = NULL;
    corm_metadata_free(gone);
    corm_metadata *const none[] = {NULL, gone, (corm_metadata *)db, (corm_metadata *)(uintptr_t)12345};
    for (size_t index = 0; index < sizeof none / sizeof none[0]; index += 1) {
        assert_int_equal(corm_metadata_table_count(none[index]), 0);
        assert_int_equal(corm_metadata_problem_count(none[index]), 0);
        assert_null(corm_metadata_table_get(none[index], 0));
        assert_null(corm_metadata_problem_get(none[index], SIZE_MAX));
        assert_null(corm_metadata_json(none[index]));
        corm_metadata_free(none[index]);
    }
    GIVES(CORM_E_MISUSE, corm_metadata_read(NULL, &gone, &failure));
    GIVES(CORM_E_MISUSE, corm_metadata_read(db, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_metadata_create(NULL, &gone, &failure));
    GIVES(CORM_E_MISUSE, corm_metadata_create((const corm_schema *)db, &gone, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_METADATA(tables_are_told_with_their_kinds),
        TEST_METADATA(columns_are_told_with_types),
        TEST_METADATA(keys_indexes_and_triggers_are_told),
        TEST_METADATA(relations_are_told),
        TEST_METADATA(lists_are_never_null),
        TEST_METADATA(a_schema_tells_what_its_file_tells),
        TEST_METADATA(what_does_not_work_is_a_problem),
        TEST_METADATA(handles_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
