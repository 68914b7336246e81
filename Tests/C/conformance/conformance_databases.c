/* The steps of scenario files about further databases, and about databases by name. */
#include "conformance.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One that a step opened or used, by the name that the step gave it. */
struct named_database {
    struct named_database *next;
    const char *name;
    corm_database *database;
};

/* The link that leads to the database; reports an unknown name. */
static struct named_database **find_link(scenario *run, const char *name) {
    struct named_database **link = &run->others;
    while (*link != NULL && (name == NULL || strcmp((*link)->name, name) != 0))
        link = &(*link)->next;
    if (*link == NULL)
        fail(run, "there is no database \"%s\"", name ? name : "");
    return link;
}

corm_database *database_named(scenario *run, const char *name) {
    struct named_database *found = *find_link(run, name);
    return found == NULL ? NULL : found->database;
}

static bool keep(step *s, corm_database *database) {
    struct named_database *named = allocate(s->run, sizeof *named);
    const char *name = json_string_value(member(s, "as"));
    *named = (struct named_database){s->run->others, name, database};
    s->run->others = named;
    return name != NULL || fail(s->run, "the database needs a name: \"as\"");
}

void close_databases(scenario *run) {
    for (; run->others != NULL; run->others = run->others->next)
        corm_database_close(run->others->database, NULL);
    corm_registry_close(run->registry, NULL);
    run->registry = NULL;
}

bool parse_cipher(step *s, const char *name, corm_cipher_options *out_cipher) {
    json_t *json = member(s, name);
    *out_cipher = (corm_cipher_options)CORM_CIPHER_OPTIONS_INIT;
    corm_value key;
    if (json == NULL)
        return true;
    if (!parse_value(s->run, json_object_get(json, "key"), 0, &key))
        return false;
    out_cipher->key = key.as.bytes.data;
    out_cipher->key_size = key.as.bytes.size;
    out_cipher->compatibility = (int32_t)json_integer_value(json_object_get(json, "compatibility"));
    out_cipher->page_size = (int32_t)json_integer_value(json_object_get(json, "pageSize"));
    out_cipher->rounds = (int32_t)json_integer_value(json_object_get(json, "rounds"));
    out_cipher->plain_header_size = (int32_t)json_integer_value(json_object_get(json, "plainHeader"));
    static const char *const algorithms[] = {"default", "sha1", "sha256", "sha512", "off"};
    const char *kdf = json_string_value(json_object_get(json, "kdf"));
    const char *hmac = json_string_value(json_object_get(json, "hmac"));
    for (int32_t i = 0; i < 5; i++) {
        if (kdf != NULL && strcmp(kdf, algorithms[i]) == 0)
            out_cipher->kdf_algorithm = i;
        if (hmac != NULL && strcmp(hmac, algorithms[i]) == 0)
            out_cipher->hmac_algorithm = i;
    }
    return check_members(s->run, json, "the cipher", " key compatibility pageSize rounds plainHeader kdf hmac ");
}

static corm_status set_up(corm_connection *connection, void *context, corm_error **out_error) {
    return corm_connection_execute_script(connection, context, out_error);
}

/* What was told of damage, on threads of the library's own, since the newest database that wants to know was opened. */
static pthread_mutex_t damage_lock = PTHREAD_MUTEX_INITIALIZER;
static json_t *damages;

static void note_damage(const corm_damage *damage, void *context) {
    (void)context;
    char line[64];
    snprintf(line, sizeof line, "%s %" PRIu32, corm_status_name(damage->status), damage->page);
    pthread_mutex_lock(&damage_lock);
    json_array_append_new(damages, json_string(line));
    pthread_mutex_unlock(&damage_lock);
}

bool step_damages(step *s) {
    size_t count = json_array_size(wanted(s, "damages"));
    json_t *told = NULL;
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&damage_lock);
        json_decref(told);
        told = json_deep_copy(damages);
        pthread_mutex_unlock(&damage_lock);
        if (json_array_size(told) >= count)
            break;
        usleep(10000);
    }
    s->status = CORM_OK;
    return check_json(s, "damages", told);
}

/* OPTIONS of a step. */
static bool parse_open_options(step *s, corm_cipher_options *cipher, corm_open_options *out_options) {
    static const char *const modes[] = {"create", "readWrite", "readOnly"};
    *out_options = (corm_open_options)CORM_OPEN_OPTIONS_INIT;
    static const char *const journals[] = {"default", "wal", "delete", "truncate", "persist", "memory", "off"};
    static const char *const syncs[] = {"default", "off", "normal", "full", "extra"};
    const char *template = json_string_value(member(s, "template"));
    out_options->mode = choice(s, "mode", modes, 3);
    out_options->journal_mode = choice(s, "journalMode", journals, 7);
    out_options->synchronous = choice(s, "synchronous", syncs, 5);
    out_options->foreign_keys_off = json_is_false(member(s, "foreignKeys"));
    out_options->template_path = template == NULL ? NULL : beside(s->run, template);
    out_options->busy_timeout = (int32_t)json_integer_value(member(s, "busyTimeout"));
    out_options->cipher = member(s, "cipher") == NULL ? NULL : cipher;
    out_options->set_up = member(s, "setUp") == NULL ? NULL : set_up;
    out_options->set_up_context = (void *)json_string_value(member(s, "setUp"));
    out_options->heap_limit = (int64_t)json_integer_value(member(s, "heapLimit"));
    out_options->keep_schema = json_is_true(member(s, "keepSchema"));
    if (json_is_true(member(s, "damaged"))) {
        out_options->damaged = note_damage;
        json_decref(damages);
        damages = json_array();
    }
    return parse_cipher(s, "cipher", cipher);
}

bool step_open(step *s) {
    corm_cipher_options cipher;
    corm_open_options options;
    corm_database *database = NULL;
    if (!parse_open_options(s, &cipher, &options))
        return false;
    const char *file = json_string_value(member(s, "file"));
    const char *path = file == NULL ? ":memory:" : strcmp(file, "test.db") == 0 ? s->run->path : beside(s->run, file);
    const char *memory = json_string_value(member(s, "memory"));
    char uri[4200];
    if (memory != NULL) {
        snprintf(uri, sizeof uri, "file:%s?mode=memory&cache=shared", beside(s->run, memory));
        path = uri;
    }
    s->status = corm_database_open(path, &options, &database, &s->run->error);
    return s->status < 0 || keep(s, database);
}

bool step_close(step *s) {
    struct named_database **link = find_link(s->run, json_string_value(member(s, "on")));
    if (*link == NULL)
        return false;
    s->status = corm_database_close((*link)->database, &s->run->error);
    if (s->status == CORM_OK)
        *link = (*link)->next;
    return true;
}

bool step_registry(step *s) {
    corm_cipher_options cipher;
    corm_open_options options;
    const char *pattern = json_string_value(member(s, "pattern"));
    if (!parse_open_options(s, &cipher, &options))
        return false;
    s->status = corm_registry_open(pattern == NULL ? NULL : beside(s->run, pattern),
                                   (int32_t)json_integer_value(member(s, "limit")), &options, &s->run->registry,
                                   &s->run->error);
    return true;
}

bool step_register(step *s) {
    corm_cipher_options cipher;
    corm_open_options options;
    const char *name, *file = json_string_value(member(s, "file"));
    if (!parse_text(s->run, member(s, "name"), &name) || !parse_open_options(s, &cipher, &options))
        return false;
    s->status = corm_registry_register(s->run->registry, name, beside(s->run, file),
                                       member(s, "mode") == NULL ? NULL : &options, &s->run->error);
    return true;
}

bool step_use(step *s) {
    const char *name;
    corm_database *database = NULL;
    if (!parse_text(s->run, member(s, "name"), &name))
        return false;
    s->status = corm_registry_use(s->run->registry, name, &database, &s->run->error);
    return s->status < 0 || keep(s, database);
}

bool step_set_name(step *s) {
    bool is_default = strcmp(json_string_value(member(s, "do")), "setDefault") == 0;
    const char *name = json_string_value(member(s, "name"));
    s->status =
        (is_default ? corm_registry_set_default : corm_registry_set_current)(s->run->registry, name, &s->run->error);
    return true;
}

bool step_registry_state(step *s) {
    corm_registry *registry = s->run->registry;
    const char *const *names = NULL;
    size_t count = 0, index;
    json_t *name;
    s->status = corm_registry_names(registry, s->run->arena, &names, &count, &s->run->error);
    if (s->status < 0)
        return true;
    bool good = wanted(s, "names") == NULL || json_array_size(wanted(s, "names")) == count ||
                fail(s->run, "there are %zu names", count);
    json_array_foreach(wanted(s, "names"), index, name) {
        corm_value found = corm_value_text(good ? names[index] : NULL);
        good = good && check_value(s->run, "name", name, &found);
    }
    corm_registry_info info = CORM_REGISTRY_INFO_INIT;
    s->status = corm_registry_info_read(registry, &info, &s->run->error);
    return good && s->status == CORM_OK && check_text(s, "current", info.current_name) &&
           check_text(s, "default", info.default_name) && check_int(s, "openCount", (int64_t)info.open_count);
}

bool step_close_file(step *s) {
    s->status = corm_registry_close_file(s->run->registry, json_string_value(member(s, "name")), &s->run->error);
    return true;
}

bool step_close_registry(step *s) {
    s->status = corm_registry_close(s->run->registry, &s->run->error);
    if (s->status == CORM_OK)
        s->run->registry = NULL;
    return true;
}

bool step_attach_named(step *s) {
    s->status = corm_registry_attach(s->run->database, s->run->registry, json_string_value(member(s, "name")),
                                     json_string_value(member(s, "schema")), &s->run->error);
    return true;
}

struct fleet {
    json_t *told;
    json_int_t most;
};

static bool tell(const corm_registry_migration *migration, void *context) {
    struct fleet *fleet = context;
    json_t *code = migration->error ? json_string(corm_status_name(corm_error_code(migration->error))) : json_null();
    json_array_append_new(fleet->told, json_pack("[sIo]", migration->name, (json_int_t)migration->steps, code));
    return fleet->most == 0 || (json_int_t)json_array_size(fleet->told) < fleet->most;
}

bool step_migrate_all(step *s) {
    scenario *run = s->run;
    struct fleet fleet = {json_array(), json_integer_value(member(s, "most"))};
    const char *const *names;
    size_t count;
    size_t failed = 0;
    if (!parse_names(run, member(s, "names"), &names, &count))
        return false;
    s->status = corm_registry_migrate(run->registry, run->bundle, names, count, json_string_value(member(s, "last")),
                                      json_is_true(member(s, "allowLossy")), tell, &fleet, &failed, &run->error);
    return check_json(s, "told", fleet.told) && (s->status < 0 || check_int(s, "failed", failed));
}

/* Files: encrypted, made plain, attached, copied, damaged. */

bool step_recode(step *s) {
    scenario *run = s->run;
    const char *verb = json_string_value(member(s, "do"));
    const char *path = beside(run, json_string_value(member(s, "file")));
    corm_cipher_options cipher, to;
    if (!parse_cipher(s, "cipher", &cipher) || !parse_cipher(s, "to", &to))
        return false;
    if (strcmp(verb, "rekey") == 0)
        s->status = corm_cipher_rekey(path, &cipher, &to, NULL, NULL, &run->error);
    else
        s->status = strcmp(verb, "encrypt") == 0 ? corm_cipher_rekey(path, NULL, &cipher, NULL, NULL, &run->error)
                                                 : corm_cipher_decrypt(path, &cipher, NULL, NULL, &run->error);
    return true;
}

bool step_check_pages(step *s) {
    size_t count = 0;
    s->status = corm_cipher_check(s->run->database, NULL, 0, &count, &s->run->error);
    return s->status < 0 || check_int(s, "count", (int64_t)count);
}

bool step_attach(step *s) {
    corm_cipher_options cipher;
    if (!parse_cipher(s, "cipher", &cipher))
        return false;
    s->status = corm_database_attach(s->run->database, beside(s->run, json_string_value(member(s, "file"))),
                                     json_string_value(member(s, "schema")),
                                     member(s, "cipher") == NULL ? NULL : &cipher, &s->run->error);
    return true;
}

bool step_backup(step *s) {
    corm_cipher_options cipher;
    if (!parse_cipher(s, "cipher", &cipher))
        return false;
    s->status = corm_database_backup(s->run->database, beside(s->run, json_string_value(member(s, "file"))),
                                     member(s, "cipher") == NULL ? NULL : &cipher, progress_of(s), s, &s->run->error);
    return true;
}

bool step_look_after(step *s) {
    bool vacuums = strcmp(json_string_value(member(s, "do")), "vacuum") == 0;
    s->status = (vacuums ? corm_database_vacuum : corm_database_optimize)(s->run->database, &s->run->error);
    return true;
}

bool step_checkpoint(step *s) {
    static const char *const modes[] = {"passive", "full", "restart", "truncate"};
    int64_t log, copied;
    s->status = corm_database_checkpoint(s->run->database, choice(s, "mode", modes, 4), &log, &copied, &s->run->error);
    return s->status < 0 || (check_int(s, "log", log) && check_int(s, "copied", copied));
}

bool step_write_text(step *s) {
    FILE *file = fopen(beside(s->run, json_string_value(member(s, "file"))), "wb");
    const char *text;
    if (file == NULL || !parse_text(s->run, member(s, "text"), &text))
        return fail(s->run, "the file cannot be written");
    fputs(text, file);
    fclose(file);
    s->status = CORM_OK;
    return true;
}

static const char plain_header[] = "SQLite format 3";

bool step_is_plain(step *s) {
    char head[sizeof plain_header] = "";
    FILE *file = fopen(beside(s->run, json_string_value(member(s, "file"))), "rb");
    if (file == NULL)
        return fail(s->run, "there is no such file");
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    s->status = CORM_OK;
    return check_bool(s, "found", size == sizeof head && memcmp(head, plain_header, sizeof head) == 0);
}

bool step_damage(step *s) {
    long at = (long)json_integer_value(member(s, "at"));
    long count = member(s, "count") == NULL ? 1 : (long)json_integer_value(member(s, "count"));
    FILE *file = fopen(beside(s->run, json_string_value(member(s, "file"))), "r+b");
    int byte = file == NULL ? EOF : 0;
    for (long place = at; byte != EOF && place < at + count; place += 1) {
        if (fseek(file, place, SEEK_SET) == 0 && (byte = fgetc(file)) != EOF && fseek(file, place, SEEK_SET) == 0)
            fputc(byte ^ 1, file);
    }
    if (file != NULL)
        fclose(file);
    s->status = CORM_OK;
    return byte != EOF || fail(s->run, "no such byte to damage");
}

static void add_repaired(const corm_repaired_table *table, void *context) {
    char line[256];
    snprintf(line, sizeof line, "%s %" PRId64 " %" PRId64 " %" PRId64, table->name, table->rows, table->lost_rows,
             table->lost_pages);
    json_array_append_new(context, json_string(line));
}

bool step_repair(step *s) {
    corm_cipher_options cipher;
    if (!parse_cipher(s, "cipher", &cipher))
        return false;
    json_t *tables = json_array();
    corm_repair_options options = CORM_REPAIR_OPTIONS_INIT;
    options.cipher = member(s, "cipher") == NULL ? NULL : &cipher;
    options.schema = json_string_value(member(s, "schema"));
    options.repaired = add_repaired;
    options.context = tables;
    char from[4096];
    snprintf(from, sizeof from, "%s", beside(s->run, json_string_value(member(s, "file"))));
    int64_t unreadable = 0;
    int64_t found = 0;
    s->status = corm_database_repair(from, beside(s->run, json_string_value(member(s, "to"))), &options, &unreadable,
                                     &found, &s->run->error);
    return check_json(s, "tables", tables) &&
           (s->status < 0 || (check_int(s, "unreadablePages", unreadable) && check_int(s, "foundRows", found)));
}

bool step_truncate(step *s) {
    const char *path = beside(s->run, json_string_value(member(s, "file")));
    s->status = CORM_OK;
    return truncate(path, (off_t)json_integer_value(member(s, "size"))) == 0 || fail(s->run, "it cannot be cut off");
}

bool step_copy_file(step *s) {
    char from[4096];
    snprintf(from, sizeof from, "%s", beside(s->run, json_string_value(member(s, "file"))));
    FILE *source = fopen(from, "rb");
    FILE *copy = fopen(beside(s->run, json_string_value(member(s, "to"))), "wb");
    bool copied = source != NULL && copy != NULL;
    char bytes[4096];
    for (size_t count; copied && (count = fread(bytes, 1, sizeof bytes, source)) > 0;)
        copied = fwrite(bytes, 1, count, copy) == count;
    copied = (copy == NULL || fclose(copy) == 0) && copied;
    copied = (source == NULL || fclose(source) == 0) && copied;
    s->status = CORM_OK;
    return copied || fail(s->run, "it cannot be copied");
}

bool step_depth(step *s) {
    s->status = CORM_OK;
    return check_int(s, "value", corm_transaction_depth(s->run->database));
}
