#include "station.h"

#include <stdio.h>

static const corm_column_def sensor_columns[] = {
    CORM_COLUMN(sensor, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(sensor, name, CORM_TEXT, .not_null = true, .unique = true, .check_sql = "name <> ''"),
};
static const corm_model_def sensor_def = CORM_MODEL(sensor, "Sensor", sensor_columns);

static const corm_column_def reading_columns[] = {
    CORM_COLUMN(reading, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(reading, sensorId, CORM_INT64, .indexed = true, .references_table = "sensor"),
    CORM_COLUMN(reading, at, CORM_DATETIME),
    CORM_COLUMN(reading, celsius, CORM_DOUBLE, .check_sql = "celsius BETWEEN -100 AND 100"),
    CORM_COLUMN(reading, humidity, CORM_DOUBLE, .check_sql = "humidity BETWEEN 0 AND 100"),
};
static const corm_model_def reading_def = CORM_MODEL(reading, "Reading", reading_columns);

static bool create_models(station *s) {
    corm_relation_def owner = CORM_RELATION_DEF_INIT;
    if (corm_model_create(&sensor_def, &s->sensors, &s->error) != CORM_OK ||
        corm_model_create(&reading_def, &s->readings, &s->error) != CORM_OK)
        return false;
    owner.name = "sensor";
    owner.kind = CORM_TO_ONE;
    owner.target = s->sensors;
    return corm_relation_add(s->readings, &owner, &s->error) == CORM_OK;
}

static bool prepare_tables(station *s) {
    return corm_migration_sync(s->db, CORM_MODELS(s->sensors, s->readings), NULL, NULL, &s->error) == CORM_OK;
}

bool station_open(station *s, const char *path) {
    *s = (station){0};
    return create_models(s) && corm_database_open(path, NULL, &s->db, &s->error) == CORM_OK && prepare_tables(s);
}

int station_close(station *s, bool done) {
    if (!done && s->error != NULL) {
        fprintf(stderr, "%s: %s\n", corm_status_name(corm_error_code(s->error)), corm_error_message(s->error));
        if (corm_error_hint(s->error) != NULL)
            fprintf(stderr, "  %s\n", corm_error_hint(s->error));
    }
    corm_error_free(s->error);
    corm_model_free(s->readings);
    corm_model_free(s->sensors);
    return corm_database_close(s->db, NULL) == CORM_OK && done ? 0 : 1;
}

static bool add_to_sensor(station *s, const char *name, const reading *values) {
    corm_value names[] = {corm_value_named("name", corm_value_text(name))};
    corm_query named = CORM_QUERY_INIT;
    sensor one = {0};
    reading row = *values;
    if (snprintf(one.name, sizeof one.name, "%s", name) >= (int)sizeof one.name) {
        s->error = corm_error_create(CORM_E_RANGE, "the name of a sensor has at most 31 bytes", "write a shorter one");
        return false;
    }
    named.values = names;
    named.value_count = 1;
    if (corm_record_insert(s->db, s->sensors, &one, CORM_CONFLICT_IGNORE, NULL, &s->error) < 0 ||
        corm_query_first(s->db, s->sensors, &named, &one, NULL, &s->error) != CORM_OK)
        return false;
    row.sensorId = one.id;
    return corm_record_insert(s->db, s->readings, &row, CORM_CONFLICT_ABORT, NULL, &s->error) == CORM_OK;
}

bool station_add(station *s, const char *name, const reading *values) {
    if (corm_transaction_begin(s->db, CORM_TRANSACTION_IMMEDIATE, &s->error) != CORM_OK)
        return false;
    if (add_to_sensor(s, name, values))
        return corm_transaction_commit(s->db, &s->error) == CORM_OK;
    corm_transaction_rollback(s->db, NULL);
    return false;
}
