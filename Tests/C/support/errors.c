#include "errors.h"

#include <stdio.h>
#include <string.h>

const char *columns_of(const corm_error *error) {
    static _Thread_local char text[500];
    const corm_error_info *info = corm_error_info_get(error);
    text[0] = 0;
    for (size_t index = 0; index < info->column_count; index += 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", index > 0 ? ", " : "", info->columns[index]);
    return info->columns == NULL ? NULL : text;
}
