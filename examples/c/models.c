/* Models and records: keys, defaults, own conversions; one record at a time, and many. */
#include "music.h"

#include <string.h>

typedef enum side { PORT, STARBOARD } side;
typedef struct member {
    int64_t id;
    const char *club;
    int64_t number;
    const char *level;
    side side;
    const char *badge;
} member;

/* The file holds a word where the struct has an enum. */
static corm_status side_to_word(const void *field, corm_value *out_value, void *context, corm_error **error) {
    (void)context, (void)error;
    *out_value = corm_value_text(*(const side *)field == PORT ? "port" : "starboard");
    return CORM_OK;
}

static corm_status word_to_side(const corm_value *value, void *field, corm_arena *arena, void *context,
                                corm_error **error) {
    (void)arena, (void)context;
    if (value->type != CORM_VALUE_TEXT) {
        *error = corm_error_create(CORM_E_TYPE, "a side is no text", "write port or starboard");
        return CORM_E_TYPE;
    }
    *(side *)field = strcmp(value->as.bytes.data, "port") == 0 ? PORT : STARBOARD;
    return CORM_OK;
}

static const corm_transform side_transform = {
    .struct_size = sizeof(corm_transform), .encode = side_to_word, .decode = word_to_side};
static const corm_column_def member_columns[] = {
    CORM_COLUMN(member, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(member, club, CORM_TEXT, .not_null = true, .collation = "NOCASE"),
    CORM_COLUMN(member, number, CORM_INT64),
    CORM_COLUMN(member, level, CORM_TEXT, .default_sql = "'guest'"),
    CORM_COLUMN(member, side, CORM_TEXT, .transform = &side_transform),
    CORM_COLUMN(member, badge, CORM_TEXT, .computed_sql = "club || '-' || number"),
};
static const corm_key_def member_keys[] = {
    {.kind = CORM_KEY_UNIQUE, .columns = "club, number"},
};
static const char *const member_checks[] = {"number > 0"};
static const corm_model_def member_def =
    CORM_MODEL(member, "Member", member_columns, .table = "members", .keys = member_keys, .key_count = 1,
               .checks = member_checks, .check_count = 1);

/* The database fills in what it makes: the key, the default of a missing value, the computed column. */
static bool define(app *a) {
    corm_model *members = NULL;
    member one = {.club = "Rowing", .number = 7, .side = STARBOARD};
    bool done = corm_model_create(&member_def, &members, &a->error) == CORM_OK &&
                corm_model_create_tables(a->db, CORM_MODELS(members), &a->error) == CORM_OK &&
                corm_record_insert(a->db, members, &one, CORM_CONFLICT_ABORT, a->arena, &a->error) == CORM_OK;
    if (done)
        printf("%" PRId64 " %s %s %s\n", one.id, one.level, one.badge, one.side == PORT ? "port" : "starboard");
    corm_model_free(members);
    return done;
}

typedef struct sail {
    int64_t id;
    corm_date day;
    corm_time begins;
    corm_duration takes;
    side watch;
} sail;

/* The file holds a day, a time of day, microseconds and a word; the table refuses other words. */
static const corm_column_def sail_columns[] = {
    CORM_COLUMN(sail, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(sail, day, CORM_DATE),
    CORM_COLUMN(sail, begins, CORM_TIME),
    CORM_COLUMN(sail, takes, CORM_DURATION),
    CORM_COLUMN(sail, watch, CORM_TEXT, .check_choices = true, CORM_CHOICES({"port", PORT}, {"starboard", STARBOARD})),
};
static const corm_model_def sail_def = CORM_MODEL(sail, "Sail", sail_columns);

static bool sails(app *a) {
    corm_model *model = NULL;
    sail one = {.day = 20484, .begins = 30600000000, .takes = 7200000000, .watch = STARBOARD}; /* 2026-01-31, 08:30 */
    sail found;
    bool done =
        corm_model_create(&sail_def, &model, &a->error) == CORM_OK &&
        corm_model_create_tables(a->db, CORM_MODELS(model), &a->error) == CORM_OK &&
        corm_record_insert(a->db, model, &one, CORM_CONFLICT_ABORT, a->arena, &a->error) == CORM_OK &&
        corm_record_find(a->db, model, CORM_VALUES(corm_value_int64(one.id)), &found, a->arena, &a->error) == CORM_OK;
    if (done)
        printf("%" PRId32 " %" PRId64 " %s\n", found.day, found.takes, found.watch == PORT ? "port" : "starboard");
    corm_model_free(model);
    return done;
}

/* Records are inserted, saved, updated, read anew and deleted, each with one statement. */
static bool change(app *a) {
    album one = {.title = "Sketches", .year = 2020, .artistId = {true, 1}};
    album found;
    /* A row that is there already is an error. */
    if (corm_record_insert(a->db, a->albums, &one, CORM_CONFLICT_ABORT, a->arena, &a->error) != CORM_OK)
        return false;
    one.year = 2021;
    /* Inserts, or updates the row with the record's key. */
    if (corm_record_save(a->db, a->albums, &one, a->arena, &a->error) != CORM_OK)
        return false;
    one.title = "Sketchbook";
    /* This property alone. */
    if (corm_record_update(a->db, a->albums, &one, "title", a->arena, &a->error) != CORM_OK)
        return false;
    /* Reads the row again. */
    if (corm_record_refresh(a->db, a->albums, &one, a->arena, &a->error) != CORM_OK)
        return false;
    /* By key: CORM_OK, or CORM_NOT_FOUND. */
    if (corm_record_find(a->db, a->albums, CORM_VALUES(corm_value_int64(one.id)), &found, a->arena, &a->error) !=
        CORM_OK)
        return false;
    printf("%s %" PRId64 "\n", found.title, found.year);
    return corm_record_delete(a->db, a->albums, &one, &a->error) == CORM_OK &&
           corm_record_exists(a->db, a->albums, CORM_VALUES(corm_value_int64(one.id)), &a->error) == CORM_NOT_FOUND;
}

/* By a unique key a record is written over the row that is there, or read where it is there. */
static bool meet(app *a) {
    artist nina = {.name = "Nina"}, miles = {.name = "Miles"};
    int64_t created = 0;
    /* Inserts, or updates the row with that name; it keeps what .keep names. */
    if (corm_record_upsert(a->db, a->artists, &nina, 1, CORM_UPSERT(.on = "name"), a->arena, NULL, &a->error) !=
        CORM_OK)
        return false;
    /* Reads the row with that name, or inserts. */
    if (corm_record_upsert(a->db, a->artists, &miles, 1, CORM_UPSERT(.on = "name", .keep_row = true), a->arena,
                           &created, &a->error) != CORM_OK)
        return false;
    printf("%" PRId64 " %" PRId64 " %" PRId64 " created\n", nina.id, miles.id, created);
    return true;
}

/* A batch is one transaction: the first error takes all of it back. */
static bool many(app *a) {
    album volumes[5] = {{.title = "Volume 1"},
                        {.title = "Volume 2"},
                        {.title = "Volume 3"},
                        {.title = "Volume 4"},
                        {.title = "Volume 5"}};
    int64_t deleted = 0;
    if (corm_record_insert_many(a->db, a->albums, volumes, 5, CORM_CONFLICT_ABORT, a->arena, NULL, &a->error) !=
        CORM_OK)
        return false;
    for (int i = 0; i < 5; i++)
        volumes[i].year = 2002 + i;
    if (corm_record_update_many(a->db, a->albums, volumes, 5, "year", a->arena, &a->error) != CORM_OK ||
        corm_record_delete_many(a->db, a->albums, volumes, 5, &deleted, &a->error) != CORM_OK)
        return false;
    printf("%" PRId64 " deleted; the last had the key %" PRId64 "\n", deleted, volumes[4].id);
    return true;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && define(&a) && sails(&a) && change(&a) && meet(&a) && many(&a));
}
