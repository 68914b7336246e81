/* stationd FILE SOCKET: adds what comes in as datagrams, until SIGTERM. */
#include "station.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A write that waits for its turn. */
typedef struct message {
    station *s;
    char name[64];
    reading values;
} message;

/* On the queue's thread. Its own copy of the station, for the error is the write's. */
static corm_status write_message(corm_database *db, void *context, corm_error **error) {
    message *one = context;
    station s = *one->s;
    s.db = db;
    s.error = NULL;
    if (station_add(&s, one->name, &one->values))
        return CORM_OK;
    *error = s.error;
    return corm_error_code(s.error);
}

/* On the queue's thread, when it is certain how the write ended. */
static void told(corm_completion *completion, void *context) {
    message *one = context;
    corm_error *error = corm_completion_info_get(completion)->error;
    if (error != NULL)
        fprintf(stderr, "%s: %s\n", one->name, corm_error_message(error));
    free(one);
}

static bool receive(station *s, corm_queue *queue, int descriptor) {
    corm_write_options options = CORM_WRITE_OPTIONS_INIT;
    char text[128];
    ssize_t size = recv(descriptor, text, sizeof text - 1, 0);
    message *one = calloc(1, sizeof *one);
    if (size < 0 || one == NULL) {
        perror("stationd");
        free(one);
        return false;
    }
    text[size] = 0;
    one->s = s;
    one->values.at = (corm_datetime)time(NULL) * 1000000;
    int words = sscanf(text, "%63s %lf %lf", one->name, &one->values.celsius, &one->values.humidity.value);
    one->values.humidity.has_value = words == 3;
    if (words < 2) {
        fprintf(stderr, "not understood: %s\n", text);
        free(one);
        return true;
    }
    options.callback = told;
    options.context = one;
    if (corm_queue_add(queue, write_message, one, &options, NULL, &s->error) == CORM_OK)
        return true;
    free(one);
    return false;
}

static int open_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    if (descriptor >= 0 && bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
        return descriptor;
    perror(path);
    return -1;
}

static bool serve(station *s, const char *path, int signals) {
    struct pollfd waits[] = {{.fd = open_socket(path), .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    corm_queue *queue = NULL;
    bool done = waits[0].fd >= 0 && corm_queue_open(s->db, NULL, &queue, &s->error) == CORM_OK;
    while (done && waits[1].revents == 0) {
        done = poll(waits, 2, -1) > 0;
        if (done && waits[0].revents != 0)
            done = receive(s, queue, waits[0].fd);
    }
    /* Writes what waits. */
    done = corm_queue_close(queue, done ? &s->error : NULL) == CORM_OK && done;
    if (waits[0].fd >= 0)
        close(waits[0].fd);
    return done;
}

int main(int count, char **words) {
    station s;
    sigset_t stops;
    if (count != 3) {
        fprintf(stderr, "usage: stationd FILE SOCKET\n");
        return 2;
    }
    /* Before any thread is there, so that all threads leave these signals to the descriptor. */
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    return station_close(&s, station_open(&s, words[1]) && serve(&s, words[2], signalfd(-1, &stops, SFD_CLOEXEC)));
}
