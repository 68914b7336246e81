#include "errors.h"

#include <stdio.h>
#include <string.h>

const char *columns_of(const corm_error *error) {
    static _Thread_local char text[500];
    size_t count;
    const char *const *columns = corm_error_columns(error, &count);
    text[0] = 0;
    for (size_t index = 0; index < count; index += 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", index > 0 ? ", " : "", columns[index]);
    return columns == NULL ? NULL : text;
}
