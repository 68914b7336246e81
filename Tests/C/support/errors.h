#ifndef ERRORS_H
#define ERRORS_H

#include <cormorant.h>

/* The columns of an error, separated by ", ", until the thread's next call; NULL for none. */
const char *columns_of(const corm_error *error);

#endif
