/* Cormorant from C: records as structs, through cormorant.h and libcormorant.so. */
#include <cormorant.h>

#include "workload.h"

static const corm_column_def item_columns[] = {
    CORM_COLUMN(item, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(item, quantity, CORM_INT64),
    CORM_COLUMN(item, grade, CORM_INT64),
    CORM_COLUMN(item, region, CORM_INT64),
    CORM_COLUMN(item, price, CORM_DOUBLE),
    CORM_COLUMN(item, weight, CORM_DOUBLE),
    CORM_COLUMN(item, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(item, city, CORM_TEXT, .not_null = true),
    CORM_COLUMN(item, code, CORM_TEXT, .not_null = true),
    CORM_COLUMN(item, note, CORM_TEXT),
};
static const corm_model_def item_def = CORM_MODEL(item, "Item", item_columns);

static corm_database *db;
static corm_model *model;
static corm_error *error;

static void check(corm_status status) {
    if (status < 0) {
        fprintf(stderr, "cormorant: %s\n", error ? corm_error_message(error) : corm_status_name(status));
        exit(1);
    }
}

static void create_tables(void) {
    corm_model *models[] = {model};
    check(corm_model_create_tables(db, models, 1, &error));
}

static void insert(const arguments *arguments, bool each) {
    item *rows = items_make(arguments->count, 0, NULL);
    create_tables();
    timer_start();
    if (each) {
        check(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error));
        for (int64_t i = 0; i < arguments->count; i++) {
            check(corm_record_insert(db, model, &rows[i], CORM_CONFLICT_ABORT, NULL, &error));
        }
        check(corm_transaction_commit(db, &error));
    } else {
        check(corm_record_insert_many(db, model, rows, (size_t)arguments->count, CORM_CONFLICT_ABORT, NULL, NULL,
                                      &error));
    }
    timer_stop();
    workload_report(0);
}

static void autocommit(const arguments *arguments) {
    item *rows = items_make(arguments->count, 0, NULL);
    for (int64_t i = 0; i < arguments->count; i++) {
        rows[i].id += arguments->rows;
    }
    timer_start();
    for (int64_t i = 0; i < arguments->count; i++) {
        check(corm_record_insert(db, model, &rows[i], CORM_CONFLICT_ABORT, NULL, &error));
    }
    timer_stop();
    workload_report(0);
}

/* What the first read of a server costs, a connection, is no part of a fetch or lookup. */
static void read_one(const arguments *arguments) {
    if (strncmp(arguments->path, "postgres", 8) == 0) {
        corm_records *one;
        check(corm_query_fetch(db, model, CORM_QUERY(.limit = 1), &one, &error));
        corm_records_free(one);
    }
}

static void fetch(const corm_query *query) {
    corm_records *records;
    timer_start();
    check(corm_query_fetch(db, model, query, &records, &error));
    timer_stop();
    const item *rows = corm_records_data(records);
    uint64_t sum = 0;
    for (size_t i = 0; i < corm_records_count(records); i++) {
        sum += item_sum(&rows[i], i);
    }
    corm_records_free(records);
    workload_report(sum);
}

static void filter(void) {
    const corm_value region = corm_value_named("region", corm_value_int64(FILTER_REGION));
    corm_query query = CORM_QUERY_INIT;
    query.values = &region;
    query.value_count = 1;
    query.order_by = "quantity, id";
    fetch(&query);
}

static void lookup(const arguments *arguments, bool transaction) {
    corm_arena *arena = corm_arena_create();
    uint64_t sum = 0;
    read_one(arguments);
    timer_start();
    if (transaction) {
        check(corm_transaction_begin(db, CORM_TRANSACTION_DEFERRED, &error));
    }
    for (int64_t i = 0; i < arguments->count; i++) {
        item row;
        corm_value key = corm_value_int64(lookup_key(i, arguments->rows));
        corm_status status = corm_record_find(db, model, &key, 1, &row, arena, &error);
        check(status);
        if (status == CORM_OK) {
            sum += lookup_sum(&row);
        }
        corm_arena_clear(arena);
    }
    if (transaction) {
        check(corm_transaction_commit(db, &error));
    }
    timer_stop();
    corm_arena_free(arena);
    workload_report(sum);
}

static void update(const arguments *arguments, const char *properties, bool batch) {
    item *rows = items_make(arguments->count, 1, update_key);
    timer_start();
    if (batch) {
        check(corm_record_update_many(db, model, rows, (size_t)arguments->count, properties, NULL, &error));
    } else {
        check(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error));
        for (int64_t i = 0; i < arguments->count; i++) {
            check(corm_record_update(db, model, &rows[i], properties, NULL, &error));
        }
        check(corm_transaction_commit(db, &error));
    }
    timer_stop();
    workload_report(0);
}

static void save_batch(const arguments *arguments) {
    item *rows = items_make(arguments->count, 1, update_key);
    timer_start();
    check(corm_record_save_many(db, model, rows, (size_t)arguments->count, NULL, &error));
    timer_stop();
    workload_report(0);
}

static void delete_rows(const arguments *arguments, bool batch) {
    item *rows = items_make(arguments->count, 0, delete_key);
    timer_start();
    if (batch) {
        check(corm_record_delete_many(db, model, rows, (size_t)arguments->count, NULL, &error));
    } else {
        check(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error));
        for (int64_t i = 0; i < arguments->count; i++) {
            check(corm_record_delete(db, model, &rows[i], &error));
        }
        check(corm_transaction_commit(db, &error));
    }
    timer_stop();
    workload_report(0);
}

static void stream(const arguments *arguments) {
    const corm_value count = corm_value_int64(arguments->count);
    corm_query query = CORM_QUERY_INIT;
    query.sql = ITEM_STREAM;
    query.values = &count;
    query.value_count = 1;
    corm_cursor *cursor;
    uint64_t sum = 0;
    timer_start();
    check(corm_cursor_open(db, model, &query, &cursor, &error));
    item row;
    corm_status status;
    while ((status = corm_cursor_next(cursor, &row, &error)) == CORM_ROW) {
        sum += lookup_sum(&row);
    }
    check(status);
    corm_cursor_close(cursor);
    timer_stop();
    workload_report(sum);
}

/* Opens the file and lets it meet `count` models whose tables are there already (or are made, the first time). */
static void open_models(const arguments *arguments) {
    corm_model **models = malloc((size_t)arguments->count * sizeof *models);
    timer_start();
    check(corm_database_open(arguments->path, NULL, &db, &error));
    for (int64_t i = 0; i < arguments->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "Item%lld", (long long)i);
        corm_model_def definition = item_def;
        definition.name = name;
        check(corm_model_create(&definition, &models[i], &error));
    }
    check(corm_model_create_tables(db, models, (size_t)arguments->count, &error));
    timer_stop();
    workload_report(0);
}

int main(int argc, char **argv) {
    arguments arguments = arguments_read(argc, argv);
    if (is_work(&arguments, "open_models")) {
        open_models(&arguments);
        check(corm_database_close(db, &error));
        return 0;
    }
    check(corm_database_open(arguments.path, NULL, &db, &error));
    check(corm_model_create(&item_def, &model, &error));
    if (is_work(&arguments, "insert") || is_work(&arguments, "insert_each")) {
        insert(&arguments, is_work(&arguments, "insert_each"));
    } else if (is_work(&arguments, "autocommit")) {
        autocommit(&arguments);
    } else if (is_work(&arguments, "fetch")) {
        read_one(&arguments);
        fetch(NULL);
    } else if (is_work(&arguments, "filter")) {
        filter();
    } else if (is_work(&arguments, "lookup") || is_work(&arguments, "lookup_transaction")) {
        lookup(&arguments, is_work(&arguments, "lookup_transaction"));
    } else if (is_work(&arguments, "stream")) {
        stream(&arguments);
    } else if (is_work(&arguments, "update3") || is_work(&arguments, "update3_batch")) {
        update(&arguments, "quantity, price, name", is_work(&arguments, "update3_batch"));
    } else if (is_work(&arguments, "update9") || is_work(&arguments, "update9_batch")) {
        update(&arguments, NULL, is_work(&arguments, "update9_batch"));
    } else if (is_work(&arguments, "save_batch")) {
        save_batch(&arguments);
    } else if (is_work(&arguments, "delete") || is_work(&arguments, "delete_batch")) {
        delete_rows(&arguments, is_work(&arguments, "delete_batch"));
    } else {
        fprintf(stderr, "cormorant: no work named %s\n", arguments.work);
        return 2;
    }
    check(corm_database_close(db, &error));
    corm_model_free(model);
    return 0;
}
