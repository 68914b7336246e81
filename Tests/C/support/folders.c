#include "folders.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool make_folder(char *path, size_t size) {
    const char *parent = getenv("TMPDIR");
    int length = snprintf(path, size, "%s/corm-test-XXXXXX", parent == NULL ? "/tmp" : parent);
    return length > 0 && (size_t)length < size && mkdtemp(path) != NULL;
}

void remove_folder(const char *path) {
    DIR *entries = opendir(path);
    if (entries == NULL)
        return;
    chmod(path, 0700);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char child[1024];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        if (unlink(child) != 0)
            remove_folder(child);
    }
    closedir(entries);
    rmdir(path);
}
