#ifndef CSTUDIO_H
#define CSTUDIO_H

#include <stddef.h>

/* A file of the page that `corm studio` serves. */
typedef struct cstudio_file {
    const char *path;
    const char *type;
    const unsigned char *bytes;
    size_t count;
} cstudio_file;

/* NULL where there is none. */
const cstudio_file *cstudio_find(const char *path);

#endif
