#include "folders.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
