/* What the programs of several threads, readers.c and queue.c, share: a small record, and errors that end the program. */
#ifndef ITEMS_H
#define ITEMS_H

#include <cormorant.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int64_t id;
    int64_t quantity;
    const char *name;
} item;

static const corm_column_def item_columns[] = {
    CORM_COLUMN(item, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(item, quantity, CORM_INT64),
    CORM_COLUMN(item, name, CORM_TEXT, .not_null = true),
};
static const corm_model_def item_def = CORM_MODEL(item, "Item", item_columns);

static corm_database *db;
static corm_model *items;
static corm_error *error;
static bool is_over;

static void check(corm_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", error ? corm_error_message(error) : corm_status_name(status));
        exit(1);
    }
}

static bool goes_on(void) { return !__atomic_load_n(&is_over, __ATOMIC_RELAXED); }

#endif
