/* A service: an event loop that watches the database, signals, and systemd. */
#include "../music.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What systemd's sd_notify does, without its library: one datagram to the socket that is named, if one is. */
static void notify(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || path[0] == '\0' || strlen(path) >= sizeof address.sun_path)
        return;
    memcpy(address.sun_path, path, strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (descriptor >= 0) {
        (void)sendto(descriptor, state, strlen(state), 0, (struct sockaddr *)&address, size);
        close(descriptor);
    }
}

/* Before the database is opened: threads that it starts have these signals blocked, too, and leave them to the loop. */
static int block_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void print_changes(corm_observer *observer) {
    corm_event *event;
    while (corm_observer_next(observer, &event, NULL) == CORM_ROW) {
        const corm_event_info *info = corm_event_info_get(event);
        printf("%zu artists changed%s\n", info->change_count, info->is_foreign ? " by another process" : "");
        corm_event_free(event);
    }
}

/* Until a signal comes. The observer's descriptor is readable while events wait. */
static bool loop(app *a, int signals) {
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observer *observer = NULL;
    struct epoll_event event = {.events = EPOLLIN};
    int poll = epoll_create1(EPOLL_CLOEXEC), changes = -1;
    options.model = a->artists;
    bool done = corm_observer_open(a->db, &options, &observer, &a->error) == CORM_OK &&
                corm_observer_descriptor(observer, &changes, &a->error) == CORM_OK;
    event.data.fd = changes;
    done = done && epoll_ctl(poll, EPOLL_CTL_ADD, changes, &event) == 0;
    event.data.fd = signals;
    done = done && epoll_ctl(poll, EPOLL_CTL_ADD, signals, &event) == 0;
    notify("READY=1");
    /* Stands for what a service is told from outside. */
    done = done &&
           corm_database_execute(a->db, "UPDATE artist SET name = upper(name)", NULL, 0, NULL, &a->error) == CORM_OK &&
           raise(SIGTERM) == 0;
    while (done && epoll_wait(poll, &event, 1, -1) == 1 && event.data.fd != signals)
        print_changes(observer);
    print_changes(observer);
    notify("STOPPING=1");
    corm_observer_close(observer);
    close(poll);
    return done;
}

int main(void) {
    app a = {0};
    int signals = block_signals();
    return close_music(&a, open_music(&a) && loop(&a, signals));
}
