#ifndef FOLDERS_H
#define FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a folder of a new name in TMPDIR, or /tmp, and writes its path. */
bool make_folder(char *path, size_t size);

/* Removes a folder and all that is in it. */
void remove_folder(const char *path);

#endif
