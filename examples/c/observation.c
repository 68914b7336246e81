/* Being told of what is committed, and rows that are kept in memory. */
#include "music.h"

/* On the thread that has committed, when no lock is held: it may use the database. */
static void show_changes(corm_event *event, corm_error *error, void *context) {
    static const char *const kinds[] = {"unknown", "insert", "update", "delete"};
    (void)error;
    (void)context;
    for (size_t index = 0; index < corm_event_info_get(event)->change_count; index += 1) {
        const corm_change *change = corm_event_change_get(event, index);
        printf("%s %s %" PRId64 "\n", kinds[change->kind], change->table, change->row_id);
    }
}

static bool watch(app *a) {
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observer *observer = NULL;
    options.model = a->artists;
    options.callback = show_changes;
    bool done = corm_observer_open(a->db, &options, &observer, &a->error) == CORM_OK &&
                corm_database_execute_script(a->db,
                                             "BEGIN; INSERT INTO artist(name) VALUES ('Pia');"
                                             "UPDATE artist SET name = 'Pia K.' WHERE name = 'Pia'; COMMIT",
                                             &a->error) == CORM_OK;
    corm_observer_close(observer);
    return done;
}

/* Without a callback events wait: at a descriptor, for poll() and loops of events. */
static bool wait_for(app *a) {
    corm_region prices = {.struct_size = sizeof(corm_region), .table = "album", .columns = "price"};
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observer *observer = NULL;
    corm_event *event = NULL;
    int32_t descriptor;
    options.regions = &prices;
    options.region_count = 1;
    options.latest_only = true;
    bool done = corm_observer_open(a->db, &options, &observer, &a->error) == CORM_OK &&
                corm_observer_descriptor(observer, &descriptor, &a->error) == CORM_OK &&
                corm_database_execute(a->db, "UPDATE album SET price = 9", NULL, 0, NULL, &a->error) == CORM_OK &&
                corm_observer_next(observer, &event, &a->error) == CORM_ROW;
    if (done)
        printf("%zu prices changed\n", corm_event_info_get(event)->change_count);
    corm_event_free(event);
    corm_observer_close(observer);
    return done;
}

static void show_albums(corm_event *event, corm_error *error, void *context) {
    corm_records *records;
    (void)context;
    if (error != NULL || corm_event_records(event, &records, NULL) != CORM_OK)
        return;
    const album *albums = corm_records_data(records);
    for (size_t index = 0; index < corm_records_count(records); index += 1)
        printf("%s ", albums[index].title);
    printf("(%zu are new, changed or gone)\n", corm_event_info_get(event)->change_count);
    corm_records_free(records);
}

/* The query's result now, and after each change of it. */
static bool follow(app *a) {
    corm_query query = CORM_QUERY_INIT;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observer *observer = NULL;
    query.sql = "SELECT * FROM album WHERE year > 1970 ORDER BY title";
    options.model = a->albums;
    options.query = &query;
    options.live = true;
    options.callback = show_albums;
    bool done = corm_observer_open(a->db, &options, &observer, &a->error) == CORM_OK &&
                corm_database_execute(a->db, "UPDATE album SET year = year + 1", NULL, 0, NULL, &a->error) == CORM_OK;
    corm_observer_close(observer);
    return done;
}

/* Reads of any number of statements, made now and again when what they read has changed. */
static corm_status read_counts(corm_database *database, void *context, corm_error **out_error) {
    app *a = context;
    int64_t artists = 0, albums = 0;
    corm_status status = corm_query_count(database, a->artists, NULL, &artists, out_error);
    if (status == CORM_OK)
        status = corm_query_count(database, a->albums, NULL, &albums, out_error);
    if (status == CORM_OK)
        printf("%" PRId64 " artists, %" PRId64 " albums\n", artists, albums);
    return status;
}

static bool reads(app *a) {
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observer *observer = NULL;
    options.reads = read_counts;
    options.context = a;
    bool done =
        corm_observer_open(a->db, &options, &observer, &a->error) == CORM_OK &&
        corm_database_execute(a->db, "DELETE FROM album WHERE price > 100", NULL, 0, NULL, &a->error) == CORM_OK;
    corm_observer_close(observer);
    return done;
}

/* Rows that are found again come from memory, unless anybody has changed them. */
static bool remember(app *a) {
    corm_value key = corm_value_int64(1);
    corm_cache_statistics cache = CORM_CACHE_STATISTICS_INIT;
    artist found;
    bool done = corm_database_set_cache(a->db, a->artists, 1000, 1000000, &a->error) == CORM_OK;
    for (int index = 0; done && index < 3; index += 1)
        done = corm_record_find(a->db, a->artists, &key, 1, &found, a->arena, &a->error) == CORM_OK;
    done = done && corm_database_cache_statistics(a->db, a->artists, &cache, &a->error) == CORM_OK;
    if (done)
        printf("%" PRId64 " of %" PRId64 " finds from memory\n", cache.hits, cache.hits + cache.misses);
    return done;
}

int main(void) {
    app a = {0};
    bool done = open_music(&a) && watch(&a) && wait_for(&a) && follow(&a) && reads(&a) && remember(&a);
    return close_music(&a, done);
}
