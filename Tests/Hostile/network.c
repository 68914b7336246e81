/* Loaded into programs by test_network_files.py: what lies in a folder with "network" in its name is on a file system of the network, as
   far as they can tell. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int statfs(const char *path, struct statfs *info) {
    int status = (int)syscall(SYS_statfs, path, info);
    char whole[PATH_MAX + 1];
    if (status == 0 && realpath(path, whole) != NULL && strstr(strcat(whole, "/"), "/network/") != NULL)
        info->f_type = 0x6969;
    return status;
}
