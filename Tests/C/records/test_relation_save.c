/* Saves of related records, as far as they are C's own; the others are in Tests/Conformance/relations-saved.json. */
#include "relations.h"

#include <string.h>

static void a_circle_of_one(void **state) {
    (void)state;
    node own = {.name = "own"};
    OK(corm_relation_save(db, nodes, &own, 1,
                          CORM_LEVELS(CORM_LEVEL(.relation = "parent", .records = &own, .count = 1)), NULL, &failure));
    assert_int_equal(own.id, 5);
    assert_int_equal(own.parent_id.value, 5);
    assert_int_equal(select_int("SELECT parent_id FROM node WHERE name = 'own'"), 5);
    assert_int_equal(select_int("SELECT count(*) FROM node"), 5);
}

/* One level below a record. */
static corm_status save_one(corm_database *database, const corm_model *model, const char *relation, void *record,
                            void *related, size_t count, corm_removed removed) {
    return corm_relation_save(
        database, model, record, 1,
        CORM_LEVELS(CORM_LEVEL(.removed = removed, .relation = relation, .records = related, .count = count)), NULL,
        &failure);
}

static void saves_that_cannot_be(void **state) {
    (void)state;
    person zoe = {.name = "Zoe"};
    pet kit = {.name = "Kit"};
    person owners[2] = {{.name = "a"}, {.name = "b"}};
    GIVES(CORM_E_MISUSE, save_one(db, people, "petz", &zoe, &kit, 1, CORM_REMOVED_KEEP));
    FAILURE_SAYS("did you mean pets?");
    GIVES(CORM_E_MISUSE, save_one(db, people, NULL, &zoe, &kit, 1, CORM_REMOVED_KEEP));
    GIVES(CORM_E_MISUSE, save_one(db, people, "pets", NULL, &kit, 1, CORM_REMOVED_KEEP));
    GIVES(CORM_E_MISUSE, save_one(db, people, "pets", &zoe, NULL, 1, CORM_REMOVED_KEEP));
    GIVES(CORM_E_MISUSE, save_one(db, people, "pets", &zoe, &kit, 1, 2));
    FAILURE_SAYS("CORM_REMOVED_");
    GIVES(CORM_E_MISUSE, save_one(db, pets, "owner", &kit, owners, 2, CORM_REMOVED_KEEP));
    GIVES(CORM_E_MISUSE, save_one(db, pets, "owner", &kit, owners, 1, CORM_REMOVED_DELETE));
    GIVES(CORM_E_MISUSE, save_one(NULL, people, "pets", &zoe, &kit, 1, CORM_REMOVED_KEEP));
    GIVES(CORM_E_MISUSE, save_one(db, NULL, "pets", &zoe, &kit, 1, CORM_REMOVED_KEEP));
    GIVES(CORM_E_MISUSE, corm_relation_save(db, people, &zoe, 1, NULL, 1, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 6);
}

static void records_of_several_owners(void **state) {
    (void)state;
    person owners[2] = {{.name = "Zoe"}, {.name = "Yan"}};
    pet four[4] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};
    OK(corm_relation_save(db, people, owners, 2,
                          CORM_LEVELS(CORM_LEVEL(.relation = "pets", .records = four, .count = 4)), NULL, &failure));
    assert_true(four[1].owner_id.value == owners[0].id && four[2].owner_id.value == owners[1].id);
    pet three[3] = {{.name = "e"}, {.name = "f"}, {.name = "g"}};
    OK(corm_relation_save(
        db, people, owners, 2,
        CORM_LEVELS(CORM_LEVEL(.relation = "pets", .records = three, .count = 3, CORM_LINKS({1, 0}, {0, 1}, {1, 2}))),
        NULL, &failure));
    assert_true(three[0].owner_id.value == owners[1].id && three[1].owner_id.value == owners[0].id);
    /* One owner of several, and one that is given none and keeps what it has. */
    person shared = {.name = "Xu"};
    pet both[3] = {{.name = "h"}, {.name = "i", .owner_id = {true, owners[1].id}}, {.name = "j"}};
    OK(corm_relation_save(
        db, pets, both, 3,
        CORM_LEVELS(CORM_LEVEL(.relation = "owner", .records = &shared, .count = 1, CORM_LINKS({0, 0}, {2, 0}))), NULL,
        &failure));
    assert_true(both[0].owner_id.value == shared.id && both[2].owner_id.value == shared.id);
    assert_true(both[1].owner_id.has_value && both[1].owner_id.value == owners[1].id);
    assert_int_equal(select_int("SELECT count(*) FROM pet WHERE owner_id = (SELECT id FROM person WHERE name = 'Xu')"),
                     2);
}

#define SAVE_PETS(...)                                                                                                 \
    corm_relation_save(db, people, owners, 2,                                                                          \
                       CORM_LEVELS(CORM_LEVEL(.relation = "pets", .records = three, .count = 3, __VA_ARGS__)), NULL,   \
                       &failure)

static void levels_and_links_that_do_not_fit(void **state) {
    (void)state;
    person owners[2] = {{.name = "Zoe"}, {.name = "Yan"}};
    pet three[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    GIVES(CORM_E_MISUSE, SAVE_PETS(.removed = CORM_REMOVED_KEEP));
    FAILURE_SAYS("not the same number for each of 2 owners");
    GIVES(CORM_E_MISUSE, SAVE_PETS(CORM_LINKS({0, 0}, {1, 1})));
    FAILURE_SAYS("record 2 of relation pets belongs to no owner");
    GIVES(CORM_E_MISUSE, SAVE_PETS(CORM_LINKS({0, 0}, {1, 1}, {1, 2}, {0, 2})));
    FAILURE_SAYS("belongs to several owners");
    GIVES(CORM_E_MISUSE, SAVE_PETS(CORM_LINKS({0, 0}, {2, 1}, {1, 2})));
    FAILURE_SAYS("from owner 2 to record 1");
    GIVES(CORM_E_MISUSE, SAVE_PETS(CORM_LINKS({0, 0}, {SIZE_MAX, 1}, {1, 2})));
    GIVES(CORM_E_MISUSE,
          corm_relation_save(db, people, owners, 2,
                             CORM_LEVELS(CORM_LEVEL(.relation = "pets.owner", .records = owners, .count = 2)), NULL,
                             &failure));
    FAILURE_SAYS("not given before it");
    assert_int_equal(select_int("SELECT count(*) FROM person"), 6);
}

static void nothing_stays_of_a_failure(void **state) {
    (void)state;
    person owners[2] = {{.name = "Zoe"}, {.name = "Yan"}};
    pet two[2] = {{.name = "a"}, {.name = NULL}};
    GIVES(CORM_E_NOT_NULL,
          corm_relation_save(db, people, owners, 2,
                             CORM_LEVELS(CORM_LEVEL(.relation = "pets", .records = two, .count = 2)), NULL, &failure));
    assert_int_equal(corm_error_info_get(failure)->record_index, 1);
    assert_true(owners[0].id == 0 && owners[1].id == 0 && two[0].id == 0 && !two[0].owner_id.has_value);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 6);
}

typedef struct author {
    const char *code;
} author;

typedef struct note {
    int64_t id;
    const char *author_code;
} note;

/* A foreign key that is a text is memory, which an arena would own. */
static void foreign_keys_that_are_texts(void **state) {
    (void)state;
    const corm_column_def author_columns[] = {CORM_COLUMN(author, code, CORM_TEXT, .primary_key = true)};
    const corm_column_def note_columns[] = {
        CORM_COLUMN(note, id, CORM_INT64, .primary_key = true),
        CORM_COLUMN(note, author_code, CORM_TEXT, .references_table = "author", .relation = "author",
                    .inverse = "notes"),
    };
    const corm_model_def defs[] = {CORM_MODEL(author, "author", author_columns),
                                   CORM_MODEL(note, "note", note_columns)};
    corm_model *authors, *notes;
    const corm_model_slot slots[] = {{&defs[0], &authors}, {&defs[1], &notes}};
    OK(corm_model_create_all(slots, 2, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(authors, notes), &failure));

    author ada = {.code = "ada"}, bob = {.code = "bob"};
    note two[2] = {{.author_code = "ada"}, {.author_code = NULL}};
    GIVES(CORM_E_MISUSE, save_one(db, authors, "notes", &ada, two, 2, CORM_REMOVED_KEEP));
    FAILURE_SAYS("note.author_code has a text or blob that refers to another record; pass an arena, which owns it");
    GIVES(CORM_E_MISUSE, save_one(db, notes, "author", &two[0], &bob, 1, CORM_REMOVED_KEEP));
    assert_int_equal(select_int("SELECT count(*) FROM author"), 0);
    OK(save_one(db, authors, "notes", &ada, two, 1, CORM_REMOVED_KEEP));
    assert_int_equal(select_int("SELECT count(*) FROM note WHERE author_code = 'ada'"), 1);

    corm_arena *arena = corm_arena_create();
    OK(corm_relation_save(db, authors, &bob, 1,
                          CORM_LEVELS(CORM_LEVEL(.relation = "notes", .records = two, .count = 2)), arena, &failure));
    assert_string_equal(two[1].author_code, "bob");
    assert_int_equal(select_int("SELECT count(*) FROM note WHERE author_code = 'bob'"), 2);
    corm_arena_free(arena);
    corm_model_free(notes);
    corm_model_free(authors);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RELATION_TEST(a_circle_of_one),
        RELATION_TEST(saves_that_cannot_be),
        RELATION_TEST(records_of_several_owners),
        RELATION_TEST(levels_and_links_that_do_not_fit),
        RELATION_TEST(nothing_stays_of_a_failure),
        RELATION_TEST(foreign_keys_that_are_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
