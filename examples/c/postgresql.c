/* The same models on a PostgreSQL server: postgresql URL. */
#define _POSIX_C_SOURCE 200809L
#include <cormorant.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define END                                                                                                            \
    "DO 'BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ''served'' "           \
    "AND state = ''idle in transaction''; END'"

typedef struct account {
    int64_t id;
    const char *owner;
    int64_t balance;
} account;

static const corm_column_def account_columns[] = {
    CORM_COLUMN(account, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(account, owner, CORM_TEXT, .not_null = true, .unique = true),
    CORM_COLUMN(account, balance, CORM_INT64, .check_sql = "balance >= 0"),
};
static const corm_model_def account_def = CORM_MODEL(account, "Account", account_columns);

typedef struct app {
    corm_database *db;
    corm_model *accounts;
    corm_error *error;
} app;

/* Nothing here says which engine it is. */
static bool use(app *a) {
    account accounts[] = {{.owner = "Ada", .balance = 100}, {.owner = "Bob", .balance = 20}};
    corm_query rich = CORM_QUERY_INIT;
    corm_records *records = NULL;
    rich.sql = "SELECT * FROM account WHERE balance > 50";
    if (corm_model_create_tables(a->db, CORM_MODELS(a->accounts), &a->error) != CORM_OK ||
        corm_record_insert_many(a->db, a->accounts, accounts, 2, CORM_CONFLICT_ABORT, NULL, NULL, &a->error) < 0 ||
        corm_query_fetch(a->db, a->accounts, &rich, &records, &a->error) != CORM_OK)
        return false;
    const account *found = corm_records_data(records);
    for (size_t index = 0; index < corm_records_count(records); index += 1)
        printf("%s %" PRId64 "\n", found[index].owner, found[index].balance);
    corm_records_free(records);
    return true;
}

static corm_status change(app *a, const char *owner, int64_t amount) {
    const corm_value named = corm_value_named("owner", corm_value_text(owner));
    corm_query query = CORM_QUERY_INIT;
    corm_records *records = NULL;
    query.values = &named;
    query.value_count = 1;
    corm_status status = corm_query_fetch(a->db, a->accounts, &query, &records, &a->error);
    if (status == CORM_OK && corm_records_count(records) == 1) {
        account one = *(const account *)corm_records_data(records);
        one.balance += amount;
        status = corm_record_update(a->db, a->accounts, &one, NULL, NULL, &a->error);
    }
    corm_records_free(records);
    return status;
}

/* Of transactions that are in each other's way one is rolled back, and is run again. */
static corm_status transfer(app *a, const char *payer, const char *payee, int64_t amount) {
    corm_status status;
    do {
        corm_error_free(a->error);
        a->error = NULL;
        status = corm_transaction_begin(a->db, CORM_TRANSACTION_IMMEDIATE, &a->error);
        if (status < 0)
            return status;
        if ((status = change(a, payer, -amount)) >= 0 && (status = change(a, payee, amount)) >= 0)
            status = corm_transaction_commit(a->db, &a->error);
        if (status < 0)
            corm_transaction_rollback(a->db, NULL);
    } while (status == CORM_E_CONFLICT);
    return status;
}

/* In a transaction, what may fail goes into a nested one, which alone is rolled back then. */
static bool refuse(app *a) {
    account cid = {.owner = "Cid", .balance = 5}, ada = {.owner = "Ada", .balance = 1};
    account dan = {.owner = "Dan", .balance = 5};
    int64_t count = 0;
    if (corm_transaction_begin(a->db, CORM_TRANSACTION_IMMEDIATE, &a->error) != CORM_OK ||
        corm_record_insert(a->db, a->accounts, &cid, CORM_CONFLICT_ABORT, NULL, &a->error) < 0 ||
        corm_transaction_begin(a->db, CORM_TRANSACTION_IMMEDIATE, &a->error) != CORM_OK)
        return false;
    if (corm_record_insert(a->db, a->accounts, &ada, CORM_CONFLICT_ABORT, NULL, &a->error) == CORM_E_UNIQUE) {
        printf("%s\n", corm_error_message(a->error));
        corm_error_free(a->error);
        a->error = NULL;
    }
    bool done = corm_transaction_rollback(a->db, &a->error) == CORM_OK &&
                corm_record_insert(a->db, a->accounts, &dan, CORM_CONFLICT_ABORT, NULL, &a->error) >= 0 &&
                corm_transaction_commit(a->db, &a->error) == CORM_OK &&
                corm_query_count(a->db, a->accounts, NULL, &count, &a->error) == CORM_OK;
    printf("%" PRId64 " accounts\n", count);
    return done;
}

/* What an engine does not have is refused by name. */
static bool lack(app *a) {
    if (corm_database_vacuum(a->db, &a->error) >= 0)
        return false;
    printf("%s\n", corm_status_name(corm_error_code(a->error)));
    corm_error_free(a->error);
    a->error = NULL;
    return true;
}

/* What only reads is answered by a standby among the hosts, as far as there is one, and shows what was written: the URL of
 * `served` has readers=standby. */
static bool serve(app *a, corm_database *served) {
    account eve = {.owner = "Eve", .balance = 10}, fay = {.owner = "Fay", .balance = 10};
    account gus = {.owner = "Gus", .balance = 10};
    int64_t count = 0;
    if (corm_record_insert(served, a->accounts, &eve, CORM_CONFLICT_ABORT, NULL, &a->error) < 0 ||
        corm_transaction_begin(served, CORM_TRANSACTION_READ, &a->error) != CORM_OK ||
        corm_query_count(served, a->accounts, NULL, &count, &a->error) != CORM_OK ||
        corm_transaction_commit(served, &a->error) != CORM_OK)
        return false;
    printf("%" PRId64 " accounts\n", count);
    /* As a primary does that fails. */
    if (corm_transaction_begin(served, CORM_TRANSACTION_IMMEDIATE, &a->error) != CORM_OK ||
        corm_record_insert(served, a->accounts, &fay, CORM_CONFLICT_ABORT, NULL, &a->error) < 0 ||
        corm_database_execute(a->db, END, NULL, 0, NULL, &a->error) != CORM_OK)
        return false;
    if (corm_record_insert(served, a->accounts, &gus, CORM_CONFLICT_ABORT, NULL, &a->error) == CORM_E_CONNECTION) {
        printf("%s\n", corm_error_hint(a->error));
        corm_error_free(a->error);
        a->error = NULL;
    }
    /* The next call outside the transaction finds the new primary, or says that there is none yet. */
    bool done = corm_transaction_rollback(served, &a->error) == CORM_OK &&
                corm_query_count(served, a->accounts, NULL, &count, &a->error) == CORM_OK;
    printf("%" PRId64 " accounts\n", count);
    return done;
}

/* Commits of this program are told at once, those of others within half a second: its URL has outbox=install&poll=500. */
static bool watch(app *a, corm_database *watched) {
    corm_database *writers[] = {watched, a->db};
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observer *observer = NULL;
    options.model = a->accounts;
    bool done = corm_observer_open(watched, &options, &observer, &a->error) == CORM_OK;
    for (int index = 0; done && index < 2; index += 1) {
        corm_event *event = NULL;
        done = corm_database_execute(writers[index], "UPDATE account SET balance = balance + 1 WHERE owner = 'Bob'",
                                     NULL, 0, NULL, &a->error) == CORM_OK &&
               corm_observer_wait(observer, -1, &a->error) == CORM_OK &&
               corm_observer_next(observer, &event, &a->error) == CORM_ROW;
        if (done)
            printf("%s %s\n", corm_event_change_get(event, 0)->kind == CORM_CHANGE_UPDATE ? "update" : "another change",
                   corm_event_info_get(event)->is_foreign ? "by others" : "by this program");
        corm_event_free(event);
    }
    corm_observer_close(observer);
    return done;
}

/* The same table, a year later. */
typedef struct grown {
    int64_t id;
    const char *owner;
    int64_t balance;
    const char *currency;
} grown;

static const corm_column_def grown_columns[] = {
    CORM_COLUMN(grown, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(grown, owner, CORM_TEXT, .not_null = true, .unique = true),
    CORM_COLUMN(grown, balance, CORM_INT64, .check_sql = "balance >= 0"),
    CORM_COLUMN(grown, currency, CORM_TEXT, .not_null = true, .indexed = true, .default_sql = "'EUR'"),
};
static const corm_model_def grown_def = CORM_MODEL(grown, "Grown", grown_columns, .table = "account");

/* A table of millions of rows would be changed so, too: the index by itself, while others write. */
static bool grow(app *a, corm_model *model) {
    corm_plan *plan = NULL, *rest = NULL;
    bool done = corm_migration_plan(a->db, CORM_MODELS(model), NULL, &plan, &a->error) == CORM_OK;
    for (size_t index = 0; index < corm_plan_info_get(plan)->step_count; index += 1) {
        const corm_plan_step *step = corm_plan_step_get(plan, index);
        printf("%s - %s\n", step->summary, step->risk == CORM_RISK_SAFE ? "safe" : "to be looked at");
    }
    done = done && corm_migration_sync(a->db, CORM_MODELS(model), NULL, NULL, &a->error) == CORM_OK &&
           corm_migration_plan(a->db, CORM_MODELS(model), NULL, &rest, &a->error) == CORM_OK;
    if (done)
        printf("%zu steps are left\n", corm_plan_info_get(rest)->step_count);
    corm_plan_free(plan);
    corm_plan_free(rest);
    return done;
}

/* A step of a bundle, with SQL for the server beside that for files. */
static bool write_step(app *a, corm_model *model, const char *folder) {
    corm_migration_options options = CORM_MIGRATION_OPTIONS_INIT;
    corm_bundle *bundle = NULL;
    corm_bundle_states *states = NULL;
    options.server = a->db;
    bool done = corm_bundle_generate(folder, "accounts", CORM_MODELS(model), &options, NULL, &a->error) == CORM_OK &&
                corm_bundle_create(folder, &bundle, &a->error) == CORM_OK &&
                corm_bundle_adopt(a->db, bundle, NULL, &a->error) == CORM_OK &&
                corm_bundle_status(a->db, bundle, &states, &a->error) == CORM_OK;
    for (size_t index = 0; index < corm_bundle_states_count(states); index += 1)
        printf("%s\n", corm_bundle_states_get(states, index)->state == CORM_STEP_APPLIED ? "applied" : "not applied");
    corm_bundle_states_free(states);
    corm_bundle_free(bundle);
    return done;
}

static bool show(app *a) {
    corm_query by_owner = CORM_QUERY_INIT;
    corm_records *records = NULL;
    by_owner.order_by = "owner";
    if (corm_query_fetch(a->db, a->accounts, &by_owner, &records, &a->error) != CORM_OK)
        return false;
    const account *found = corm_records_data(records);
    for (size_t index = 0; index < corm_records_count(records); index += 1)
        printf("%s%" PRId64, index == 0 ? "[" : ", ", found[index].balance);
    printf("]\n");
    corm_records_free(records);
    return true;
}

int main(int argument_count, char **arguments) {
    app a = {0};
    if (argument_count != 2) {
        fprintf(stderr, "usage: %s URL\n", arguments[0]);
        return 2;
    }
    char url[1000], hosts[1000], folder[] = "/tmp/postgresql-XXXXXX", steps[sizeof folder + 6];
    corm_database *served = NULL, *watched = NULL;
    corm_model *model = NULL;
    snprintf(url, sizeof url, "%s?outbox=install&poll=500", arguments[1]);
    snprintf(hosts, sizeof hosts, "%s?readers=standby&application_name=served", arguments[1]);
    snprintf(steps, sizeof steps, "%s/steps", mkdtemp(folder));
    bool done = corm_model_create(&account_def, &a.accounts, &a.error) == CORM_OK &&
                corm_database_open(arguments[1], NULL, &a.db, &a.error) == CORM_OK && use(&a) &&
                transfer(&a, "Ada", "Bob", 30) == CORM_OK && show(&a) && refuse(&a) && lack(&a) &&
                corm_database_open(hosts, NULL, &served, &a.error) == CORM_OK && serve(&a, served) &&
                corm_database_open(url, NULL, &watched, &a.error) == CORM_OK && watch(&a, watched) &&
                corm_model_create(&grown_def, &model, &a.error) == CORM_OK && grow(&a, model) &&
                write_step(&a, model, steps);
    if (!done)
        fprintf(stderr, "%s\n", a.error == NULL ? "it failed" : corm_error_message(a.error));
    corm_error_free(a.error);
    corm_database_close(served, NULL);
    corm_database_close(watched, NULL);
    corm_database_close(a.db, NULL);
    corm_model_free(model);
    corm_model_free(a.accounts);
    return done ? 0 : 1;
}
