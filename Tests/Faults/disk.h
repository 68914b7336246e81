/*
 * What the process asks the system to do with the files of one folder: recorded call by call, so that a power cut between any two
 * can be played, and failed at will. The calls are caught where SQLite and the library hand them to the C library, whose functions
 * disk.c defines anew; so nothing of either passes by, neither SQLite's VFS nor what the library renames, links and syncs itself.
 */
#ifndef DISK_H
#define DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind { CREATE, LINK, UNLINK, RENAME, WRITE, TRUNCATE, SYNC, SYNC_FOLDER, DONE };

typedef struct event {
    enum event_kind kind;
    /* The file that it is about, whatever its names; of DONE the number of the state that is reached. */
    int file;
    int64_t offset;
    size_t size;
    uint8_t *data;
    char name[80], new_name[80];
} event;

/* A file as it stood when recording began, all of it on the disk. */
typedef struct start_file {
    char name[80];
    uint8_t *data;
    size_t size;
} start_file;

typedef struct recording {
    start_file *files;
    int file_count;
    event *events;
    size_t count;
} recording;

/* Begins to watch a folder, without a slash at its end. Files have no open descriptors then. */
void watch(const char *folder);
/* Nothing is recorded or failed from here on; the recording is the caller's, and empty where none was asked for. */
recording stop_watching(void);
void record(bool wanted);
/* The state of this number is reached: what a program was told is done. */
void record_done(int state);
void free_recording(recording *recording);

/* Files outside of all this: whole ones, written and read. */
void put_file(const char *path, const void *data, size_t size);
uint8_t *get_file(const char *path, size_t *out_size);
/* Removes all files of a folder. */
void empty_folder(const char *folder);

/* Which call fails, counted from 1, and how. */
typedef struct fault {
    /* 0: none. */
    long at;
    /* Every call from there on; else that one alone. */
    bool lasts;
    /* Chooses among what the call can fail with. */
    unsigned choice;
} fault;

void set_fault(fault fault);
/* How many calls there were since. */
long calls_made(void);
/* The first that failed, and with what; "" for none. */
const char *failed_call(void);

#endif
