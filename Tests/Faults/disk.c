#define _GNU_SOURCE
#include "disk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_FILE (-1)
#define FOLDER (-2)
#define SHARED_MEMORY (-3)

typedef struct name {
    char text[80];
    int file;
} name;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[400];
static bool watching, recording_wanted;
static recording current;
static name names[64];
static int name_count, file_count;
/* By descriptor, 0: nothing of the folder; else the file's number and 4. */
static int opened[4096];
static fault plan;
static long calls;
static char failure_text[160];

/* The C library's own. */
#define REAL(result, function, ...)                                                                                    \
    typedef result (*function##_type)(__VA_ARGS__);                                                                    \
    static function##_type real_##function(void) {                                                                     \
        static function##_type found;                                                                                  \
        if (found == NULL)                                                                                             \
            found = (function##_type)dlsym(RTLD_NEXT, #function);                                                      \
        return found;                                                                                                  \
    }

REAL(int, open64, const char *, int, ...)
REAL(int, close, int)
REAL(ssize_t, pread64, int, void *, size_t, off64_t)
REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)
REAL(ssize_t, read, int, void *, size_t)
REAL(ssize_t, write, int, const void *, size_t)
REAL(int, ftruncate64, int, off64_t)
REAL(int, unlink, const char *)
REAL(int, rename, const char *, const char *)
REAL(int, link, const char *, const char *)
REAL(int, fcntl64, int, int, ...)
REAL(int, fstat64, int, struct stat64 *)
REAL(int, stat64, const char *, struct stat64 *)
REAL(void *, mmap64, void *, size_t, int, int, int, off64_t)
REAL(int, usleep, unsigned)

static void give_up(const char *what) {
    fprintf(stderr, "disk.c: %s\n", what);
    _exit(4);
}

/* The name of a path in the folder; NULL for another; "" for the folder itself. */
static const char *name_of(const char *path) {
    size_t length = strlen(folder);
    if (!watching || path == NULL || strncmp(path, folder, length) != 0)
        return NULL;
    if (path[length] == 0 || strcmp(path + length, "/") == 0)
        return "";
    return path[length] == '/' && strchr(path + length + 1, '/') == NULL ? path + length + 1 : NULL;
}

static name *find(const char *text) {
    for (int index = 0; index < name_count; index += 1)
        if (strcmp(names[index].text, text) == 0)
            return &names[index];
    return NULL;
}

static void give_name(const char *text, int file) {
    name *there = find(text);
    if (there == NULL) {
        if (name_count == 64 || strlen(text) >= 80)
            give_up("too many names, or one too long");
        there = &names[name_count++];
        strcpy(there->text, text);
    }
    there->file = file;
}

static void drop_name(const char *text) {
    name *there = find(text);
    if (there != NULL)
        *there = names[--name_count];
}

static bool is_shared_memory(const char *text) {
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, "-shm") == 0;
}

static void add(event added, const void *data) {
    if (!recording_wanted)
        return;
    if ((current.count & (current.count - 1)) == 0)
        current.events = realloc(current.events, (current.count == 0 ? 1 : current.count * 2) * sizeof(event));
    if (data != NULL) {
        added.data = malloc(added.size);
        memcpy(added.data, data, added.size);
    }
    current.events[current.count++] = added;
}

static event about(enum event_kind kind, int file, const char *text) {
    event made = {.kind = kind, .file = file};
    snprintf(made.name, sizeof made.name, "%s", text);
    return made;
}

/* Counts a call, and says whether it fails: 0, or the error. The last of the errors stands for half of the bytes, where there is
   such a thing. */
static int fails(const char *call, const char *of, const int *errors, unsigned count) {
    pthread_mutex_lock(&lock);
    calls += 1;
    bool hit = plan.at != 0 && (calls == plan.at || (plan.lasts && calls > plan.at));
    int error = hit ? errors[plan.choice % count] : 0;
    if (hit && failure_text[0] == 0)
        snprintf(failure_text, sizeof failure_text, "%s of %s: %s", call, of, error < 0 ? "half" : strerror(error));
    pthread_mutex_unlock(&lock);
    return error;
}
#define FAILS(call, of, ...)                                                                                           \
    fails(call, of, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static int file_of(int descriptor) {
    if (!watching || descriptor < 0 || descriptor >= 4096 || opened[descriptor] == 0)
        return NO_FILE;
    return opened[descriptor] - 4;
}

static const char *text_of(int file) {
    for (int index = 0; index < name_count; index += 1)
        if (names[index].file == file)
            return names[index].text;
    return file == FOLDER ? "the folder" : file == SHARED_MEMORY ? "shared memory" : "a file without name";
}

static int fail_with(int error) {
    errno = error;
    return -1;
}

static int open_any(const char *path, int flags, int mode) {
    const char *text = name_of(path);
    if (text == NULL)
        return real_open64()(path, flags, mode);
    int error =
        flags & O_CREAT ? FAILS("open", text, EMFILE, EACCES, ENOSPC, EIO) : FAILS("open", text, EMFILE, EACCES, EIO);
    if (error != 0)
        return fail_with(error);
    pthread_mutex_lock(&lock);
    int descriptor = real_open64()(path, flags, mode);
    if (descriptor >= 4096)
        give_up("too many descriptors");
    if (descriptor >= 0) {
        int file = text[0] == 0 ? FOLDER : is_shared_memory(text) ? SHARED_MEMORY : NO_FILE;
        if (file == NO_FILE) {
            name *there = find(text);
            if (there == NULL) {
                file = file_count++;
                give_name(text, file);
                add(about(CREATE, file, text), NULL);
            } else {
                file = there->file;
            }
            if (flags & O_TRUNC)
                add(about(TRUNCATE, file, text), NULL);
        }
        opened[descriptor] = file + 4;
    }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

static int mode_of(int flags, va_list arguments) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0; }

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(path, flags, mode);
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < 4096)
        opened[descriptor] = 0;
    return real_close()(descriptor);
}

static ssize_t read_any(int descriptor, void *buffer, size_t size, off64_t offset) {
    int file = file_of(descriptor);
    if (file != NO_FILE) {
        int error = FAILS("read", text_of(file), EIO, -1);
        if (error > 0)
            return fail_with(error);
        if (error < 0 && size > 1)
            size /= 2;
    }
    return offset < 0 ? real_read()(descriptor, buffer, size) : real_pread64()(descriptor, buffer, size, offset);
}

ssize_t read(int descriptor, void *buffer, size_t size) { return read_any(descriptor, buffer, size, -1); }
ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset) {
    return read_any(descriptor, buffer, size, offset);
}
ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t offset) {
    return read_any(descriptor, buffer, size, offset);
}

static ssize_t write_any(int descriptor, const void *buffer, size_t size, off64_t offset) {
    int file = file_of(descriptor);
    if (file == NO_FILE)
        return offset < 0 ? real_write()(descriptor, buffer, size) : real_pwrite64()(descriptor, buffer, size, offset);
    int error = FAILS("write", text_of(file), ENOSPC, EIO, -1);
    if (error > 0)
        return fail_with(error);
    if (error < 0 && size > 1)
        size /= 2;
    pthread_mutex_lock(&lock);
    off64_t place = offset < 0 ? lseek64(descriptor, 0, SEEK_CUR) : offset;
    ssize_t done =
        offset < 0 ? real_write()(descriptor, buffer, size) : real_pwrite64()(descriptor, buffer, size, offset);
    if (done > 0 && file >= 0) {
        event written = about(WRITE, file, text_of(file));
        written.offset = place;
        written.size = (size_t)done;
        add(written, buffer);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int descriptor, const void *buffer, size_t size) { return write_any(descriptor, buffer, size, -1); }
ssize_t pwrite(int descriptor, const void *buffer, size_t size, off_t offset) {
    return write_any(descriptor, buffer, size, offset);
}
ssize_t pwrite64(int descriptor, const void *buffer, size_t size, off64_t offset) {
    return write_any(descriptor, buffer, size, offset);
}

int ftruncate64(int descriptor, off64_t size) {
    int file = file_of(descriptor);
    if (file == NO_FILE)
        return real_ftruncate64()(descriptor, size);
    int error = FAILS("truncate", text_of(file), EIO, ENOSPC);
    if (error != 0)
        return fail_with(error);
    pthread_mutex_lock(&lock);
    int done = real_ftruncate64()(descriptor, size);
    if (done == 0 && file >= 0) {
        event cut = about(TRUNCATE, file, text_of(file));
        cut.offset = size;
        add(cut, NULL);
    }
    pthread_mutex_unlock(&lock);
    return done;
}
int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

/* What is in the system's memory is all that matters here: no disk need turn. */
static int sync_any(int descriptor) {
    int file = file_of(descriptor);
    if (file == NO_FILE)
        return 0;
    int error = FAILS("sync", text_of(file), EIO, ENOSPC);
    if (error != 0)
        return fail_with(error);
    pthread_mutex_lock(&lock);
    if (file != SHARED_MEMORY)
        add(about(file == FOLDER ? SYNC_FOLDER : SYNC, file, text_of(file)), NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}

int fsync(int descriptor) { return sync_any(descriptor); }
int fdatasync(int descriptor) { return sync_any(descriptor); }

int unlink(const char *path) {
    const char *text = name_of(path);
    if (text == NULL)
        return real_unlink()(path);
    int error = FAILS("unlink", text, EIO, EACCES);
    if (error != 0)
        return fail_with(error);
    pthread_mutex_lock(&lock);
    int done = real_unlink()(path);
    if (done == 0 && !is_shared_memory(text)) {
        add(about(UNLINK, NO_FILE, text), NULL);
        drop_name(text);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

static int name_again(const char *path, const char *new_path, bool moves) {
    const char *text = name_of(path), *new_text = name_of(new_path);
    if (text == NULL || new_text == NULL)
        return moves ? real_rename()(path, new_path) : real_link()(path, new_path);
    int error = FAILS(moves ? "rename" : "link", text, EIO, ENOSPC);
    if (error != 0)
        return fail_with(error);
    pthread_mutex_lock(&lock);
    int done = moves ? real_rename()(path, new_path) : real_link()(path, new_path);
    name *there = find(text);
    if (done == 0 && there != NULL) {
        int file = there->file;
        event named = about(moves ? RENAME : LINK, file, text);
        snprintf(named.new_name, sizeof named.new_name, "%s", new_text);
        add(named, NULL);
        if (moves)
            drop_name(text);
        give_name(new_text, file);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

int rename(const char *path, const char *new_path) { return name_again(path, new_path, true); }
int link(const char *path, const char *new_path) { return name_again(path, new_path, false); }

static int control(int descriptor, int command, void *argument) {
    int file = file_of(descriptor);
    if (file != NO_FILE && (command == F_SETLK || command == F_SETLK64 || command == F_OFD_SETLK)) {
        bool takes = ((struct flock *)argument)->l_type != F_UNLCK;
        /* What the system gives back it gives back. */
        int error = takes ? FAILS("lock", text_of(file), EAGAIN, EIO, ENOLCK) : 0;
        if (error != 0)
            return fail_with(error);
    }
    return real_fcntl64()(descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return control(descriptor, command, argument);
}

int fcntl(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return control(descriptor, command, argument);
}

int fstat64(int descriptor, struct stat64 *status) {
    int file = file_of(descriptor);
    int error = file == NO_FILE ? 0 : FAILS("fstat", text_of(file), EIO, EOVERFLOW);
    return error != 0 ? fail_with(error) : real_fstat64()(descriptor, status);
}
int fstat(int descriptor, struct stat *status) { return fstat64(descriptor, (struct stat64 *)status); }

int stat64(const char *path, struct stat64 *status) {
    const char *text = name_of(path);
    int error = text == NULL ? 0 : FAILS("stat", text, EIO, EACCES);
    return error != 0 ? fail_with(error) : real_stat64()(path, status);
}
int stat(const char *path, struct stat *status) { return stat64(path, (struct stat64 *)status); }

static void *map(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    int file = descriptor < 0 ? NO_FILE : file_of(descriptor);
    int error = file == NO_FILE ? 0 : FAILS("map", text_of(file), ENOMEM, ENODEV);
    if (error == 0)
        return real_mmap64()(address, size, protection, flags, descriptor, offset);
    errno = error;
    return MAP_FAILED;
}

void *mmap64(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    return map(address, size, protection, flags, descriptor, offset);
}
void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return map(address, size, protection, flags, descriptor, offset);
}

/* What waits for a lock that the plan withholds need not wait long. */
int usleep(unsigned microseconds) { return real_usleep()(plan.at != 0 && microseconds > 10 ? 10 : microseconds); }

/* ------------------------------------------------------------------------------------------------------------------ */

void watch(const char *path) {
    pthread_mutex_lock(&lock);
    snprintf(folder, sizeof folder, "%s", path);
    name_count = file_count = 0;
    memset(opened, 0, sizeof opened);
    memset(&current, 0, sizeof current);
    recording_wanted = false;
    plan = (fault){0};
    DIR *entries = opendir(path);
    if (entries == NULL)
        give_up("no folder");
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.' || is_shared_memory(entry->d_name))
            continue;
        char whole[800];
        snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name);
        current.files = realloc(current.files, (size_t)(file_count + 1) * sizeof(start_file));
        start_file *file = &current.files[file_count];
        snprintf(file->name, sizeof file->name, "%.79s", entry->d_name);
        file->data = get_file(whole, &file->size);
        give_name(file->name, file_count++);
    }
    closedir(entries);
    current.file_count = file_count;
    watching = true;
    pthread_mutex_unlock(&lock);
}

void record(bool wanted) { recording_wanted = wanted; }

recording stop_watching(void) {
    pthread_mutex_lock(&lock);
    recording made = current;
    memset(&current, 0, sizeof current);
    watching = recording_wanted = false;
    plan = (fault){0};
    pthread_mutex_unlock(&lock);
    return made;
}

void record_done(int state) {
    pthread_mutex_lock(&lock);
    add(about(DONE, state, ""), NULL);
    pthread_mutex_unlock(&lock);
}

void free_recording(recording *recording) {
    for (int index = 0; index < recording->file_count; index += 1)
        free(recording->files[index].data);
    for (size_t index = 0; index < recording->count; index += 1)
        free(recording->events[index].data);
    free(recording->files);
    free(recording->events);
    memset(recording, 0, sizeof *recording);
}

void set_fault(fault wanted) {
    pthread_mutex_lock(&lock);
    plan = wanted;
    calls = 0;
    failure_text[0] = 0;
    pthread_mutex_unlock(&lock);
}

long calls_made(void) { return calls; }
const char *failed_call(void) { return failure_text; }

void put_file(const char *path, const void *data, size_t size) {
    int descriptor = real_open64()(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0 || (size > 0 && real_pwrite64()(descriptor, data, size, 0) != (ssize_t)size))
        give_up("a file cannot be written");
    real_close()(descriptor);
}

uint8_t *get_file(const char *path, size_t *out_size) {
    struct stat64 status;
    int descriptor = real_open64()(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || real_fstat64()(descriptor, &status) != 0)
        give_up("a file cannot be read");
    uint8_t *data = malloc((size_t)status.st_size + 1);
    if (real_pread64()(descriptor, data, (size_t)status.st_size, 0) != status.st_size)
        give_up("a file cannot be read");
    real_close()(descriptor);
    *out_size = (size_t)status.st_size;
    return data;
}

void empty_folder(const char *path) {
    DIR *entries = opendir(path);
    if (entries == NULL)
        give_up("no folder");
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char whole[800];
        snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            real_unlink()(whole);
    }
    closedir(entries);
}
