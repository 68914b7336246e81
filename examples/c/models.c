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

typedef struct call {
    int64_t id;
    corm_offset_datetime at;
} call;

static const corm_column_def call_columns[] = {
    CORM_COLUMN(call, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(call, at, CORM_OFFSET_DATETIME), /* as the caller's clock shows it */
};
static const corm_model_def call_def = CORM_MODEL(call, "Call", call_columns);

/* A time comes back with its offset, and compares as the moment that it is. */
static bool calls(app *a) {
    corm_model *model = NULL;
    call one = {.at = {1769860800000000, 9 * 3600}}; /* 2026-01-31 12:00 UTC, 21:00 where they called */
    corm_offset_datetime noon = {one.at.microseconds, 0};
    corm_value when = corm_value_named("at", corm_value_offset_datetime(noon));
    call found;
    bool done = corm_model_create(&call_def, &model, &a->error) == CORM_OK &&
                corm_model_create_tables(a->db, CORM_MODELS(model), &a->error) == CORM_OK &&
                corm_record_insert(a->db, model, &one, CORM_CONFLICT_ABORT, a->arena, &a->error) == CORM_OK &&
                corm_query_first(a->db, model, CORM_QUERY(.values = &when, .value_count = 1), &found, a->arena,
                                 &a->error) == CORM_OK;
    if (done)
        printf("a call %" PRId32 " hours ahead of UTC\n", found.at.offset_seconds / 3600);
    corm_model_free(model);
    return done;
}

typedef enum boat_kind { SAIL, MOTOR } boat_kind;
#define BOAT_KINDS CORM_CHOICES({"sail", SAIL}, {"motor", MOTOR})

/* All boats, with the columns of each kind. */
typedef struct boat {
    int64_t id;
    boat_kind kind;
    const char *name;
    corm_optional_int64 masts;
    corm_optional_double power;
} boat;

static const corm_column_def boat_columns[] = {
    CORM_COLUMN(boat, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(boat, kind, CORM_TEXT, BOAT_KINDS),
    CORM_COLUMN(boat, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(boat, masts, CORM_INT64),
    CORM_COLUMN(boat, power, CORM_DOUBLE),
};
static const corm_model_def boat_def = CORM_MODEL(boat, "Boat", boat_columns);

/* Those of one kind. */
typedef struct sailboat {
    int64_t id;
    boat_kind kind;
    const char *name;
    int64_t masts;
} sailboat;

static const corm_column_def sailboat_columns[] = {
    CORM_COLUMN(sailboat, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(sailboat, kind, CORM_TEXT, BOAT_KINDS, .discriminator = "sail"),
    CORM_COLUMN(sailboat, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(sailboat, masts, CORM_INT64),
};
static const corm_model_def sailboat_def = CORM_MODEL(sailboat, "Sailboat", sailboat_columns, .table = "boat");

/* One table has the boats of all kinds; each model is about its own. */
static bool boats(app *a) {
    corm_model *all = NULL, *sailing = NULL;
    sailboat ann = {.name = "Ann", .masts = 2};
    boat bob = {.kind = MOTOR, .name = "Bob", .power = {true, 25.5}};
    int64_t some = 0, every = 0;
    bool done = corm_model_create(&boat_def, &all, &a->error) == CORM_OK &&
                corm_model_create(&sailboat_def, &sailing, &a->error) == CORM_OK &&
                corm_model_create_tables(a->db, CORM_MODELS(all, sailing), &a->error) == CORM_OK &&
                corm_record_insert(a->db, sailing, &ann, CORM_CONFLICT_ABORT, a->arena, &a->error) == CORM_OK &&
                corm_record_insert(a->db, all, &bob, CORM_CONFLICT_ABORT, a->arena, &a->error) == CORM_OK &&
                corm_query_count(a->db, sailing, NULL, &some, &a->error) == CORM_OK &&
                corm_query_count(a->db, all, NULL, &every, &a->error) == CORM_OK;
    if (done)
        printf("%" PRId64 " of %" PRId64 " boats sail\n", some, every);
    corm_model_free(sailing);
    corm_model_free(all);
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
    if (corm_record_upsert(a->db, a->artists, &miles, 1, CORM_UPSERT(.keep_row = true, .on = "name"), a->arena,
                           &created, &a->error) != CORM_OK)
        return false;
    printf("%" PRId64 " %" PRId64 " %" PRId64 " created\n", nina.id, miles.id, created);
    return true;
}

typedef struct entry {
    int64_t id;
    char text[64];
} entry;

static const corm_column_def entry_columns[] = {
    CORM_COLUMN(entry, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(entry, text, CORM_TEXT),
};
static const corm_model_def entry_def = CORM_MODEL(entry, "Entry", entry_columns);
static corm_model *entries;

typedef struct account {
    int64_t id;
    const char *owner;
    double balance;
} account;

static corm_status not_negative(const void *field, void *context, corm_error **error) {
    (void)context;
    if (*(const double *)field >= 0)
        return CORM_OK;
    *error = corm_error_create(CORM_E_VALIDATION, "it is negative", NULL);
    return CORM_E_VALIDATION;
}

static corm_status trim_owner(corm_database *db, void *record, corm_arena *arena, void *context, corm_error **error) {
    (void)db, (void)arena, (void)context, (void)error;
    account *one = record;
    one->owner += strspn(one->owner, " ");
    return CORM_OK;
}

static corm_status log_deletion(corm_database *db, void *record, corm_arena *arena, void *context, corm_error **error) {
    (void)context;
    entry made = {0};
    snprintf(made.text, sizeof made.text, "%s is gone", ((const account *)record)->owner);
    return corm_record_insert(db, entries, &made, CORM_CONFLICT_ABORT, arena, error);
}

static corm_status has_owner(const void *record, void *context, corm_error **error) {
    (void)context;
    if (*((const account *)record)->owner != '\0')
        return CORM_OK;
    *error = corm_error_create(CORM_E_VALIDATION, "it has no owner", NULL);
    return CORM_E_VALIDATION;
}

static const corm_column_def account_columns[] = {
    CORM_COLUMN(account, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(account, owner, CORM_TEXT, .not_null = true),
    CORM_COLUMN(account, balance, CORM_DOUBLE, .validate = not_negative),
};
static const corm_record_hooks account_hooks = {.struct_size = sizeof(corm_record_hooks),
                                                .before_save = trim_owner,
                                                .after_delete = log_deletion,
                                                .validate = has_owner};
static const corm_model_def account_def = CORM_MODEL(account, "Account", account_columns, .hooks = &account_hooks);

/* What a hook sets is written, what it writes is part of the transaction, and what it fails with undoes all of it. */
static bool look_after(app *a, corm_model *accounts) {
    account ada = {.owner = " Ada"};
    account others[] = {{.owner = "Bo"}, {.owner = "Cy", .balance = -1}};
    corm_error *refused = NULL;
    if (corm_model_create_tables(a->db, CORM_MODELS(entries, accounts), &a->error) != CORM_OK ||
        corm_record_insert(a->db, accounts, &ada, CORM_CONFLICT_ABORT, a->arena, &a->error) != CORM_OK)
        return false;
    if (corm_record_insert_many(a->db, accounts, others, 2, CORM_CONFLICT_ABORT, a->arena, NULL, &refused) ==
        CORM_E_VALIDATION)
        printf("%s\n", corm_error_message(refused));
    corm_error_free(refused);
    if (corm_record_delete(a->db, accounts, &ada, &a->error) != CORM_OK)
        return false;
    entry last = {0};
    if (corm_record_find(a->db, entries, CORM_VALUES(corm_value_int64(1)), &last, a->arena, &a->error) != CORM_OK)
        return false;
    printf("%s\n", last.text);
    return true;
}

static bool hooks(app *a) {
    corm_model *accounts = NULL;
    bool done = corm_model_create(&entry_def, &entries, &a->error) == CORM_OK &&
                corm_model_create(&account_def, &accounts, &a->error) == CORM_OK && look_after(a, accounts);
    corm_model_free(accounts);
    corm_model_free(entries);
    return done;
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
    return close_music(&a, open_music(&a) && define(&a) && sails(&a) && calls(&a) && boats(&a) && change(&a) &&
                               meet(&a) && hooks(&a) && many(&a));
}
