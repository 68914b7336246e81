/* A program that loads the library at run time and lets go of it, while threads of the library may run: unload LIBRARY. */
#include <cormorant.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FUNCTION(name)                                                                                                 \
    __typeof__(&name) name##_ = (__typeof__(&name))dlsym(library, #name);                                              \
    if (name##_ == NULL)                                                                                               \
    return fprintf(stderr, "no %s\n", #name), 1

static int round_of(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    FUNCTION(corm_database_open);
    FUNCTION(corm_database_execute);
    FUNCTION(corm_observer_open);
    FUNCTION(corm_observer_close);
    FUNCTION(corm_database_close);
    char file[] = "/tmp/corm-unload-XXXXXX";
    close(mkstemp(file));
    corm_database *db = NULL;
    corm_observer *observer = NULL;
    corm_region region = {.struct_size = sizeof(corm_region), .table = "t"};
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    options.regions = &region;
    options.region_count = 1;
    int bad = corm_database_open_(file, NULL, &db, NULL) != CORM_OK ||
              corm_database_execute_(db, "CREATE TABLE t (a)", NULL, 0, NULL, NULL) != CORM_OK ||
              corm_observer_open_(db, &options, &observer, NULL) != CORM_OK;
    corm_observer_close_(observer);
    bad |= corm_database_close_(db, NULL) != CORM_OK;
    dlclose(library);
    unlink(file);
    return bad;
}

int main(int count, char **arguments) {
    int bad = count != 2;
    for (int round = 0; round < 20 && !bad; round += 1)
        bad = round_of(arguments[1]);
    usleep(20000);
    return bad;
}
