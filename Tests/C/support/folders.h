#ifndef FOLDERS_H
#define FOLDERS_H

/* Removes a folder and all that is in it. */
void remove_folder(const char *path);

#endif
