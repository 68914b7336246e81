/* JSON: documents read into records, written from them, imported. */
#include "music.h"
#include <string.h>

static const char document[] =
    "{\"data\": {\"artists\": ["
    "  {\"name\": \"Pia\", \"albums\": [{\"title\": \"Tides\", \"year\": 2020}, {\"title\": \"Ebb\", \"year\": 2022}]},"
    "  {\"name\": \"Ron\"}"
    "]}}";

/* A document becomes records, their related ones beside them, and JSON again. */
static bool exchange(app *a) {
    const corm_json_options options = {.struct_size = sizeof options, .path = "$.data.artists"};
    corm_json_reader *reader = NULL;
    corm_records *artists = NULL;
    corm_related *albums = NULL;
    corm_arena *arena = corm_arena_create();
    const char *text = NULL;
    size_t size;
    bool done = corm_json_reader_create(a->artists, &options, &reader, &a->error) == CORM_OK &&
                corm_json_reader_feed(reader, document, strlen(document), &a->error) == CORM_OK &&
                corm_json_reader_end(reader, &a->error) == CORM_OK &&
                corm_json_reader_fetch(reader, 0, &artists, &a->error) == CORM_ROW &&
                corm_json_reader_related(reader, "albums", &albums, &a->error) == CORM_OK;
    const corm_json_nested nested[] = {{sizeof(corm_json_nested), "albums", albums}};
    done = done && corm_json_write(a->artists, corm_records_data(artists), corm_records_count(artists), nested, 1, NULL,
                                   arena, &text, &size, &a->error) == CORM_OK;
    if (done)
        printf("%s\n", text);
    corm_arena_free(arena);
    corm_related_free(albums);
    corm_records_free(artists);
    corm_json_reader_free(reader);
    return done;
}

/* The same goes straight into the database, in as many feeds as it takes. */
static bool import(app *a) {
    const corm_json_options options = {.struct_size = sizeof options, .path = "$.data.artists"};
    corm_json_reader *reader = NULL;
    int64_t count = 0;
    bool done = corm_json_reader_create(a->artists, &options, &reader, &a->error) == CORM_OK &&
                corm_json_reader_feed(reader, document, strlen(document), &a->error) == CORM_OK &&
                corm_json_reader_end(reader, &a->error) == CORM_OK &&
                corm_json_reader_import(a->db, reader, CORM_WRITE_INSERT, &count, &a->error) == CORM_OK;
    if (done)
        printf("%" PRId64 " artists imported\n", count);
    corm_json_reader_free(reader);
    return done;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && exchange(&a) && import(&a));
}
