#ifndef FOLDERS_H
#define FOLDERS_H

/* Removes a folder and what is in it, one level of empty folders included. */
void remove_folder(const char *path);

#endif
