/* station-add FILE SENSOR CELSIUS: adds a measurement of now. */
#include "station.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words) {
    station s;
    reading now = {.at = (corm_datetime)time(NULL) * 1000000};
    char *end = NULL;
    if (count == 4)
        now.celsius = strtod(words[3], &end);
    if (end == NULL || end == words[3] || *end != '\0') {
        fprintf(stderr, "usage: station-add FILE SENSOR CELSIUS\n");
        return 2;
    }
    return station_close(&s, station_open(&s, words[1]) && station_add(&s, words[2], &now));
}
