#define _GNU_SOURCE
#include "cuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512
#define MOST_FILES 256

typedef struct image {
    uint8_t *bytes;
    size_t size, room;
    bool is_there;
} image;

/* A name may be gone or new, as long as the folder was not synced: which file it had on the disk. */
typedef struct name {
    char text[80];
    int file;
} name;

typedef struct names {
    name all[64];
    int count;
} names;

static uint64_t state;

static uint32_t chance(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % below);
}

static void give(names *names, const char *text, int file) {
    for (int index = 0; index < names->count; index += 1)
        if (strcmp(names->all[index].text, text) == 0) {
            names->all[index].file = file;
            return;
        }
    if (names->count == 64)
        abort();
    strcpy(names->all[names->count].text, text);
    names->all[names->count++].file = file;
}

static void take(names *names, const char *text) {
    for (int index = 0; index < names->count; index += 1)
        if (strcmp(names->all[index].text, text) == 0)
            names->all[index--] = names->all[--names->count];
}

static void change_name(names *names, const event *event) {
    switch (event->kind) {
    case CREATE:
        give(names, event->name, event->file);
        break;
    case LINK:
        give(names, event->new_name, event->file);
        break;
    case UNLINK:
        take(names, event->name);
        break;
    case RENAME:
        take(names, event->name);
        give(names, event->new_name, event->file);
        break;
    default:
        break;
    }
}

static void resize(image *image, size_t size) {
    if (size > image->room) {
        image->room = size * 2;
        image->bytes = realloc(image->bytes, image->room);
    }
    if (size > image->size)
        memset(image->bytes + image->size, 0, size - image->size);
    image->size = size;
}

static void apply(image *image, const event *event) {
    if (event->kind == TRUNCATE) {
        resize(image, (size_t)event->offset);
        return;
    }
    size_t end = (size_t)event->offset + event->size;
    if (end > image->size)
        resize(image, end);
    memcpy(image->bytes + event->offset, event->data, event->size);
}

/* What is on the disk of writes that were not synced: for each sector, after how many of them it was written. */
static void apply_some(image *image, const event *const *pending, size_t count, unsigned variant) {
    static const uint32_t shares[] = {10, 50, 90, 97};
    size_t largest = image->size;
    for (size_t index = 0; index < count; index += 1) {
        size_t end = (size_t)pending[index]->offset + pending[index]->size;
        if (end > largest)
            largest = end;
    }
    size_t sectors = largest / SECTOR + 1;
    size_t *version = calloc(sectors, sizeof *version);
    uint32_t share = shares[chance(4)];
    /* A loss of one write alone, or each by chance. */
    size_t lost = variant % 3 == 0 ? chance((uint32_t)count) : count;
    size_t length_at = chance((uint32_t)count + 1);
    for (size_t index = 0; index < count; index += 1) {
        const event *written = pending[index];
        bool kept = lost < count ? index != lost : chance(100) < share, torn = chance(4) == 0;
        if (index == lost)
            torn = chance(2) == 0;
        if (written->kind == TRUNCATE) {
            for (size_t sector = (size_t)written->offset / SECTOR; kept && sector < sectors; sector += 1)
                version[sector] = index + 1;
            continue;
        }
        size_t first = (size_t)written->offset / SECTOR, last = ((size_t)written->offset + written->size - 1) / SECTOR;
        for (size_t sector = first; sector <= last; sector += 1)
            if (torn ? chance(2) == 0 : kept)
                version[sector] = index + 1;
    }
    if (lost < count || chance(2) == 0)
        length_at = count;
    bool garbage = chance(3) == 0;
    struct image done = {0}, working = {0};
    size_t synced = image->size;
    resize(&working, image->size);
    memcpy(working.bytes, image->bytes, image->size);
    resize(&done, largest);
    size_t length = length_at == 0 ? synced : 0;
    for (size_t step = 0; step <= count; step += 1) {
        if (step > 0)
            apply(&working, pending[step - 1]);
        if (step == length_at)
            length = working.size;
        for (size_t sector = 0; sector < sectors; sector += 1) {
            size_t from = sector * SECTOR;
            if (version[sector] != step || from >= largest)
                continue;
            size_t room = largest - from < SECTOR ? largest - from : SECTOR;
            size_t have = from >= working.size ? 0 : working.size - from < room ? working.size - from : room;
            if (have > 0)
                memcpy(done.bytes + from, working.bytes + from, have);
            /* The file is longer, and what stands there was never written. */
            for (size_t index = have; step == 0 && garbage && from >= synced && index < room; index += 1)
                done.bytes[from + index] = (uint8_t)chance(256);
        }
    }
    resize(&done, length);
    free(working.bytes);
    free(version);
    free(image->bytes);
    done.is_there = true;
    *image = done;
}

void put_cut(const recording *recording, size_t count, unsigned variant, unsigned seed, const char *folder) {
    image images[MOST_FILES] = {0};
    names on_disk = {0};
    const event **pending = malloc((count + 1) * sizeof *pending), **of_file = malloc((count + 1) * sizeof *of_file),
                **name_changes = malloc((count + 1) * sizeof *name_changes);
    size_t pending_count = 0, change_count = 0;
    state = 88172645463325252u ^ ((uint64_t)seed << 32) ^ (count * 2654435761u) ^ variant;
    for (int index = 0; index < 8; index += 1)
        chance(2);
    for (int file = 0; file < recording->file_count; file += 1) {
        const start_file *start = &recording->files[file];
        resize(&images[file], start->size);
        memcpy(images[file].bytes, start->data, start->size);
        give(&on_disk, start->name, file);
    }
    for (size_t index = 0; index < count; index += 1) {
        const event *event = &recording->events[index];
        size_t left = 0;
        if (event->file >= MOST_FILES)
            abort();
        switch (event->kind) {
        case WRITE:
        case TRUNCATE:
            pending[pending_count++] = event;
            break;
        case SYNC:
            for (size_t place = 0; place < pending_count; place += 1) {
                if (pending[place]->file == event->file)
                    apply(&images[event->file], pending[place]);
                else
                    pending[left++] = pending[place];
            }
            pending_count = left;
            break;
        case SYNC_FOLDER:
            for (size_t place = 0; place < change_count; place += 1)
                change_name(&on_disk, name_changes[place]);
            change_count = 0;
            break;
        case DONE:
            break;
        default:
            name_changes[change_count++] = event;
            break;
        }
    }
    /* 0: nothing, 1: all, 2: what was written under the old names, 3: the new names of what was not written. */
    size_t kept_names = variant == 1 || variant == 3 ? change_count : variant < FIXED_VARIANTS ? 0 : change_count + 1;
    if (kept_names > change_count)
        kept_names = chance((uint32_t)change_count + 1);
    for (size_t place = 0; place < kept_names; place += 1)
        change_name(&on_disk, name_changes[place]);
    for (int index = 0; index < on_disk.count; index += 1) {
        int file = on_disk.all[index].file;
        size_t own = 0;
        if (!images[file].is_there) {
            for (size_t place = 0; place < pending_count; place += 1)
                if (pending[place]->file == file)
                    of_file[own++] = pending[place];
            for (size_t place = 0; (variant == 1 || variant == 2) && place < own; place += 1)
                apply(&images[file], of_file[place]);
            if (variant >= FIXED_VARIANTS && own > 0)
                apply_some(&images[file], of_file, own, variant);
            images[file].is_there = true;
        }
        char path[500];
        snprintf(path, sizeof path, "%s/%s", folder, on_disk.all[index].text);
        put_file(path, images[file].bytes, images[file].size);
    }
    for (int file = 0; file < MOST_FILES; file += 1)
        free(images[file].bytes);
    free(pending);
    free(of_file);
    free(name_changes);
}
