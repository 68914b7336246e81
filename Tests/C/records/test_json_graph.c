/* Records within records, chunks, imports into a database, and how a reader and a writer are used wrongly. */
#include "json_support.h"

#include <stdio.h>
#include <stdlib.h>

static const char families[] =
    "[{\"name\":\"Ada\",\"height\":1.7,\"pets\":[{\"name\":\"Rex\",\"weight\":30,\"tags\":[{\"word\":\"loud\"}]},"
    "{\"name\":\"Tom\",\"weight\":5}]},{\"name\":\"Ben\",\"height\":1.8},{\"name\":\"Cy\",\"height\":1.9,\"pets\":[]},"
    "{\"name\":\"Di\",\"height\":1.5,\"pets\":[{\"name\":\"Ivy\",\"weight\":7,\"tags\":[{\"word\":\"x\"},{\"word\":"
    "\"y\"}]}]}]";

static void related_records_come_by_level(void **state) {
    (void)state;
    for (size_t chunk = 1; chunk < 400; chunk += 7) {
        corm_json_reader *reader = reader_of(people, families, sizeof families - 1, chunk, NULL);
        corm_records *records;
        corm_related *owned, *words;
        GIVES(CORM_ROW, corm_json_reader_fetch(reader, 0, &records, &failure));
        assert_int_equal(corm_records_count(records), 4);
        OK(corm_json_reader_related(reader, "pets", &owned, &failure));
        OK(corm_json_reader_related(reader, "pets.tags", &words, &failure));
        GIVES(CORM_NOT_FOUND, corm_json_reader_related(reader, "pets.tags", &words, &failure));
        GIVES(CORM_NOT_FOUND, corm_json_reader_related(reader, "pets.owner", &words, &failure));
        GIVES(CORM_E_MISUSE, corm_json_reader_related(reader, "pests", &words, &failure));
        corm_json_reader_free(reader);
        assert_int_equal(related_count(owned, 0), 2);
        assert_int_equal(related_count(owned, 1), 0);
        assert_int_equal(related_count(owned, 3), 1);
        assert_string_equal(((const pet *)corm_related_get(owned, 3, NULL))->name, "Ivy");
        assert_int_equal(related_count(words, 2), 2);
        corm_json_nested nested[] = {{sizeof(corm_json_nested), "pets", owned},
                                     {sizeof(corm_json_nested), "pets.tags", words}};
        char *first = strdup(written(people, corm_records_data(records), 4, nested, 2, NULL));
        corm_related_free(owned);
        corm_related_free(words);
        corm_records_free(records);
        /* What was written reads back as the same text. */
        reader = reader_of(people, first, strlen(first), chunk, NULL);
        GIVES(CORM_ROW, corm_json_reader_fetch(reader, 0, &records, &failure));
        OK(corm_json_reader_related(reader, "pets", &owned, &failure));
        OK(corm_json_reader_related(reader, "pets.tags", &words, &failure));
        nested[0].related = owned;
        nested[1].related = words;
        assert_string_equal(written(people, corm_records_data(records), 4, nested, 2, NULL), first);
        free(first);
        corm_related_free(owned);
        corm_related_free(words);
        corm_records_free(records);
        corm_json_reader_free(reader);
    }
}

static void a_long_array_streams_in_flat_memory(void **state) {
    (void)state;
    static const char element[] = "{\"id\":7,\"word\":\"0123456789012345678901234567890123456789\"},";
    corm_json_reader *reader;
    OK(corm_json_reader_create(tags, NULL, &reader, &failure));
    OK(corm_json_reader_feed(reader, "[", 1, &failure));
    OK(corm_json_reader_feed(reader, "", 0, &failure));
    tag record;
    int rounds = many(400000); /* 23 MB */
    int64_t found = 0, before = peak_memory();
    for (int round = 0; round < rounds; round += 1) {
        OK(corm_json_reader_feed(reader, element, 20, &failure));
        GIVES(CORM_DONE, corm_json_reader_next(reader, &record, &failure));
        OK(corm_json_reader_feed(reader, element + 20, sizeof element - 21, &failure));
        GIVES(CORM_ROW, corm_json_reader_next(reader, &record, &failure));
        found += record.id;
    }
    assert_int_equal(found, 7 * rounds);
    assert_true(peak_memory() - before < 4000);
    corm_json_reader_free(reader);
}

/* A text of pieces of JSON in random order, and of random bytes. */
static void random_text(unsigned *seed, char *text, size_t *size) {
    static const char *const pieces[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "\"",
                                         "\\",
                                         "\"name\"",
                                         "\"pets\"",
                                         "\"owner\"",
                                         "\"id\"",
                                         "1",
                                         "-1.5e9",
                                         "null",
                                         "true",
                                         "\"\\u0000\"",
                                         "\\ud83d",
                                         " ",
                                         "\n",
                                         "[{\"name\":\"a\",\"height\":1,",
                                         "{\"weight\":1}",
                                         "\xC3\xA4",
                                         "\xFF"};
    *size = 0;
    for (int count = rand_r(seed) % 40; count > 0; count -= 1) {
        const char *piece = pieces[(unsigned)rand_r(seed) % (sizeof pieces / sizeof *pieces)];
        memcpy(text + *size, piece, strlen(piece));
        *size += strlen(piece);
    }
    if (rand_r(seed) % 4 == 0 && *size > 0)
        text[(unsigned)rand_r(seed) % *size] = (char)rand_r(seed);
}

static void random_text_never_crashes_and_chunks_make_no_difference(void **state) {
    (void)state;
    unsigned seed = 4711;
    for (int round = 0; round < 5 * many(400); round += 1) {
        char text[2000];
        size_t size;
        if (round % 2 == 0) {
            random_text(&seed, text, &size);
        } else { /* A good document with one byte wrong. */
            size = sizeof families - 1;
            memcpy(text, families, size);
            text[(unsigned)rand_r(&seed) % size] = (char)rand_r(&seed);
        }
        corm_status statuses[2];
        size_t counts[2] = {0, 0};
        for (int way = 0; way < 2; way += 1) {
            corm_json_reader *reader = reader_of(people, text, size, way == 0 ? SIZE_MAX : 3, NULL);
            corm_records *records = NULL;
            statuses[way] = corm_json_reader_fetch(reader, 0, &records, NULL);
            counts[way] = corm_records_count(records);
            corm_records_free(records);
            corm_json_reader_free(reader);
        }
        if (statuses[0] != statuses[1] || counts[0] != counts[1])
            fail_msg("%d and %d of %.*s", statuses[0], statuses[1], (int)size, text);
    }
}

/* A fault within related records has their owner not come, either. */
static void records_before_an_error_come_first(void **state) {
    (void)state;
    static const char *const faults[] = {"{\"name\":7}", "{\"name\":\"Eve\",\"height\":1,\"pets\":[{\"name\":\"Tim\","
                                                         "\"weight\":1,\"tags\":[{\"word\":\"x\"},{\"word\":7}]}]}"};
    for (size_t fault = 0; fault < 2; fault += 1) {
        char text[1000];
        int size = snprintf(text, sizeof text, "%.*s,%s]", (int)sizeof families - 2, families, faults[fault]);
        corm_json_reader *reader = reader_of(people, text, (size_t)size, SIZE_MAX, NULL);
        corm_records *records;
        corm_related *owned, *words;
        GIVES(CORM_ROW, corm_json_reader_fetch(reader, 100, &records, &failure));
        assert_int_equal(corm_records_count(records), 4);
        OK(corm_json_reader_related(reader, "pets", &owned, &failure));
        OK(corm_json_reader_related(reader, "pets.tags", &words, &failure));
        assert_int_equal(related_count(owned, 3), 1);
        assert_int_equal(related_count(words, 2), 2);
        corm_related_free(owned);
        corm_related_free(words);
        corm_records_free(records);
        GIVES(CORM_E_TYPE, corm_json_reader_fetch(reader, 100, &records, &failure));
        corm_json_reader_free(reader);
        /* All or an error. */
        reader = reader_of(people, text, (size_t)size, SIZE_MAX, NULL);
        GIVES(CORM_E_TYPE, corm_json_reader_fetch(reader, 0, &records, &failure));
        corm_json_reader_free(reader);
    }
}

static void wrong_use_is_told(void **state) {
    (void)state;
    corm_json_reader *reader;
    corm_records *records;
    corm_arena *arena = corm_arena_create();
    const char *text;
    size_t size;
    tag record = {1, "a"};
    GIVES(CORM_E_MISUSE, corm_json_reader_create(NULL, NULL, &reader, &failure));
    GIVES(CORM_E_MISUSE, corm_json_reader_create(tags, NULL, NULL, &failure));
    corm_json_options options = {.struct_size = 3};
    GIVES(CORM_E_MISUSE, corm_json_reader_create(tags, &options, &reader, &failure));
    options = (corm_json_options){.struct_size = sizeof options, .path = "$.a", .lines = true};
    GIVES(CORM_E_MISUSE, corm_json_reader_create(tags, &options, &reader, &failure));
    GIVES(CORM_E_MISUSE, corm_json_write(tags, &record, 1, NULL, 0, &options, arena, &text, &size, &failure));
    GIVES(CORM_E_MISUSE, corm_json_write(tags, NULL, 1, NULL, 0, NULL, arena, &text, &size, &failure));
    GIVES(CORM_E_MISUSE, corm_json_write(tags, &record, 1, NULL, 1, NULL, arena, &text, &size, &failure));
    corm_json_nested nested = {sizeof(corm_json_nested), "tags", NULL};
    GIVES(CORM_E_MISUSE, corm_json_write(tags, &record, 1, &nested, 1, NULL, arena, &text, &size, &failure));
    reader = reader_of(tags, "[]", 2, 2, NULL);
    GIVES(CORM_E_MISUSE, corm_json_reader_feed(reader, "x", 1, &failure));
    GIVES(CORM_E_MISUSE, corm_json_reader_next(reader, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_json_reader_import(db, reader, 4, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_json_reader_import(NULL, reader, CORM_WRITE_INSERT, NULL, &failure));
    GIVES(CORM_DONE, corm_json_reader_next(reader, &record, &failure));
    corm_json_reader_free(reader);
    corm_json_reader_free(reader);
    corm_json_reader_free(NULL);
    GIVES(CORM_E_MISUSE, corm_json_reader_fetch(reader, 0, &records, &failure));
    GIVES(CORM_E_MISUSE, corm_json_write(tags, &record, 1, NULL, 0, NULL, NULL, &text, &size, &failure));
    GIVES(CORM_E_MISUSE, corm_json_write(tags, &record, 1, NULL, 0, NULL, arena, NULL, &size, &failure));
    corm_arena_free(arena);
}

/* What was read is not in the file, and no later call says that all is well. */
static void a_commit_that_fails_is_told_again(void **state) {
    (void)state;
    OK(corm_database_execute_script(db,
                                    "CREATE TABLE later (tag_id REFERENCES tag(id) DEFERRABLE INITIALLY DEFERRED);"
                                    "CREATE TRIGGER lost AFTER INSERT ON tag BEGIN INSERT INTO later VALUES (99); END;",
                                    &failure));
    const char *text = "[{\"word\":\"a\"}, {\"word\":\"b\"}]";
    corm_json_reader *reader = reader_of(tags, text, strlen(text), strlen(text), NULL);
    int64_t before = select_int("SELECT count(*) FROM tag");
    for (int turn = 0; turn < 2; turn++)
        GIVES(CORM_E_FOREIGN_KEY, corm_json_reader_import(db, reader, CORM_WRITE_INSERT, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM tag"), before);
    corm_json_reader_free(reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        JSON_TEST(related_records_come_by_level),
        JSON_TEST(a_long_array_streams_in_flat_memory),
        JSON_TEST(random_text_never_crashes_and_chunks_make_no_difference),
        JSON_TEST(a_commit_that_fails_is_told_again),
        JSON_TEST(records_before_an_error_come_first),
        JSON_TEST(wrong_use_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
