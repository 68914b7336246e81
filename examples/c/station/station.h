/* What the programs of the station share: two models in one file. */
#pragma once

#include <cormorant.h>

/* A place that is measured. */
typedef struct sensor {
    int64_t id;
    char name[32];
} sensor;

/* One measurement of one place. */
typedef struct reading {
    int64_t id;
    int64_t sensorId;
    corm_datetime at; /* microseconds since 1970 */
    double celsius;
    corm_optional_double humidity; /* in per cent, where the sensor measures it */
} reading;

typedef struct station {
    corm_database *db;
    corm_model *sensors;
    corm_model *readings;
    corm_error *error; /* of the call that failed */
} station;

/* Opens the file, or makes it. After false, station_close still wants to be called. */
bool station_open(station *s, const char *path);

/* Closes what is open and says what failed, if anything did. What main returns. */
int station_close(station *s, bool done);

/* Adds one measurement of a sensor, which is added, too, if it is not there. */
bool station_add(station *s, const char *name, const reading *values);
