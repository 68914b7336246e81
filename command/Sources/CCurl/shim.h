#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* libcurl is opened when a URL is read, so that nothing needs it for the rest. Its functions that are variadic, which
   Swift cannot call, are called here; the numbers are those of curl.h, which keep their meaning
   (https://curl.se/libcurl/abi.html). */

enum {
    CCURL_WRITEDATA = 10001,
    CCURL_URL = 10002,
    CCURL_ERRORBUFFER = 10010,
    CCURL_USERAGENT = 10018,
    CCURL_WRITEFUNCTION = 20011,
    CCURL_TIMEOUT = 13,
    CCURL_LOW_SPEED_LIMIT = 19,
    CCURL_LOW_SPEED_TIME = 20,
    CCURL_FAILONERROR = 45,
    CCURL_FOLLOWLOCATION = 52,
    CCURL_MAXREDIRS = 68,
    CCURL_CONNECTTIMEOUT = 78,
    CCURL_NOSIGNAL = 99,
    CCURL_PROTOCOLS = 181,
    CCURL_REDIR_PROTOCOLS = 182,
    CCURL_RESPONSE_CODE = 0x200002,
    CCURL_CONTENT_LENGTH = 0x60000F,
    CCURL_ERROR_SIZE = 256,
    CCURL_HTTP_ERROR = 22,
};

typedef struct ccurl_message {
    int kind;
    void *easy;
    union {
        void *pointer;
        int code;
    } result;
} ccurl_message;

typedef size_t (*ccurl_write)(char *bytes, size_t size, size_t count, void *context);

static inline int ccurl_set_long(void *setopt, void *easy, int option, long value) {
    return ((int (*)(void *, int, ...))setopt)(easy, option, value);
}

static inline int ccurl_set_pointer(void *setopt, void *easy, int option, const void *value) {
    return ((int (*)(void *, int, ...))setopt)(easy, option, value);
}

static inline int ccurl_set_write(void *setopt, void *easy, ccurl_write value) {
    return ((int (*)(void *, int, ...))setopt)(easy, CCURL_WRITEFUNCTION, value);
}

static inline long ccurl_response_code(void *getinfo, void *easy) {
    long code = 0;
    ((int (*)(void *, int, ...))getinfo)(easy, CCURL_RESPONSE_CODE, &code);
    return code;
}

/* -1: not told. */
static inline int64_t ccurl_content_length(void *getinfo, void *easy) {
    int64_t length = -1;
    ((int (*)(void *, int, ...))getinfo)(easy, CCURL_CONTENT_LENGTH, &length);
    return length;
}

#endif
