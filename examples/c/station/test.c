#include "station.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)

static bool one_sensor_has_many_readings(station *s) {
    int64_t sensors, readings;
    CHECK(station_add(s, "kitchen", &(reading){.at = 1, .celsius = 20}));
    CHECK(station_add(s, "kitchen", &(reading){.at = 2, .celsius = 21}));
    CHECK(corm_query_count(s->db, s->sensors, NULL, &sensors, &s->error) == CORM_OK && sensors == 1);
    CHECK(corm_query_count(s->db, s->readings, NULL, &readings, &s->error) == CORM_OK && readings == 2);
    return true;
}

static bool a_refused_reading_leaves_no_sensor(station *s) {
    int64_t sensors;
    CHECK(!station_add(s, "oven", &(reading){.at = 3, .celsius = 220}));
    CHECK(corm_error_code(s->error) == CORM_E_CHECK);
    CHECK(strcmp(corm_error_info_get(s->error)->table, "reading") == 0);
    corm_error_free(s->error);
    s->error = NULL;
    CHECK(corm_query_count(s->db, s->sensors, NULL, &sensors, &s->error) == CORM_OK && sensors == 0);
    return true;
}

static bool a_long_name_is_refused(station *s) {
    CHECK(!station_add(s, "the small room behind the kitchen", &(reading){.at = 4}));
    CHECK(corm_error_code(s->error) == CORM_E_RANGE);
    corm_error_free(s->error);
    s->error = NULL;
    return true;
}

static bool the_last_release_is_migrated(station *s) {
    reading one;
    CHECK(corm_database_execute_script(s->db,
                                       "ALTER TABLE reading DROP COLUMN humidity;"
                                       "INSERT INTO sensor VALUES (1, 'attic');"
                                       "INSERT INTO reading VALUES (7, 1, corm_datetime('2026-01-31 08:30:00'), 9.5)",
                                       &s->error) == CORM_OK);
    CHECK(corm_migration_sync(s->db, CORM_MODELS(s->readings), NULL, NULL, &s->error) == CORM_OK);
    CHECK(corm_record_find(s->db, s->readings, CORM_VALUES(corm_value_int64(7)), &one, NULL, &s->error) == CORM_OK);
    CHECK(one.celsius == 9.5 && !one.humidity.has_value);
    return true;
}

static int run(bool (*test)(station *s)) {
    station s;
    return station_close(&s, station_open(&s, ":memory:") && test(&s));
}

int main(void) {
    return run(one_sensor_has_many_readings) + run(a_refused_reading_leaves_no_sensor) + run(a_long_name_is_refused) +
           run(the_last_release_is_migrated);
}
