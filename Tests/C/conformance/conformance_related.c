/* The steps of scenario files about related records: loaded level by level, and saved together with a record. */
#include "conformance.h"

#include <string.h>

/* The model that a relation leads to; NULL where there is no such relation. */
static json_t *relation_of(scenario *run, const char *model, const char *relation) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(json_object_get(run->models, model), "relations"), index, item) {
        if (strcmp(json_string_value(json_object_get(item, "name")), relation) == 0)
            return item;
    }
    return NULL;
}

static const dynamic_model *target_of(scenario *run, const char *model, const char *relation, const char **out_name) {
    json_t *item = relation_of(run, model, relation);
    if (item == NULL)
        return NULL;
    *out_name = json_string_value(json_object_get(item, "target"));
    return find_model(run, *out_name);
}

/* Related records of one level; those of `next` belong to them. */
typedef struct level {
    const dynamic_model *target;
    corm_related *related;
    struct level *next;
} level;

/* The lists of related records of `count` records that lie at `first` and after among those of their level. */
static bool check_lists(step *s, const level *found, json_t *expected, size_t first, size_t count);

static bool check_list(step *s, const level *found, json_t *expected, size_t owner) {
    size_t count;
    const corm_value *records = corm_related_get(found->related, owner, &count);
    const corm_value *all = corm_related_all(found->related, NULL);
    json_t *below = json_array();
    size_t index;
    json_t *item;
    bool good = json_array_size(expected) == count ||
                fail(s->run, "expected %zu related records of %zu, found %zu", json_array_size(expected), owner, count);
    if (good && found->next == NULL) {
        good = check_records(s->run, found->target, expected, records, count);
    } else if (good) {
        json_array_foreach(expected, index, item) {
            json_t *record = json_copy(item);
            json_array_append(below, json_object_get(item, "related"));
            json_object_del(record, "related");
            good = good && check_record(s->run, found->target, record, records + index * found->target->column_count);
            json_decref(record);
        }
        if (good && count > 0)
            good = check_lists(s, found->next, below, (size_t)(records - all) / found->target->column_count, count);
    }
    json_decref(below);
    return good;
}

static bool check_lists(step *s, const level *found, json_t *expected, size_t first, size_t count) {
    size_t index;
    json_t *item;
    if (expected == NULL)
        return true;
    if (json_array_size(expected) != count)
        return fail(s->run, "expected the related records of %zu records, not of %zu", json_array_size(expected),
                    count);
    json_array_foreach(expected, index, item) {
        if (!check_list(s, found, item, first + index))
            return false;
    }
    return true;
}

static void count_reading(const char *sql, int64_t nanoseconds, void *context) {
    (void)nanoseconds;
    *(int64_t *)context += strstr(sql, "FROM") != NULL;
}

static corm_status load_level(step *s, json_t *json, corm_model *model, const void *records, size_t count,
                              level *loaded) {
    scenario *run = s->run;
    corm_load_options options = CORM_LOAD_OPTIONS_INIT;
    json_t *where = json_object_get(json, "where");
    corm_expr *condition = where == NULL ? NULL : make_expression(run, where);
    if (!check_members(run, json, "a level", " relation where orderBy limit ") ||
        !parse_list(run, json_object_get(json, "orderBy"), &options.order_by)) {
        return CORM_E_INTERNAL;
    }
    options.condition = condition;
    options.limit = json_integer_value(json_object_get(json, "limit"));
    if (json_object_get(json, "limit") != NULL && options.limit == 0)
        options.limit = CORM_LIMIT_NO_ROWS;
    corm_status status = corm_relation_load(run->database, model, json_string_value(json_object_get(json, "relation")),
                                            records, count, &options, &loaded->related, &run->error);
    corm_expr_free(condition);
    return status;
}

bool step_load(step *s) {
    scenario *run = s->run;
    const char *name = json_string_value(member(s, "model"));
    json_t *levels = member(s, "levels");
    level *loaded = allocate(run, json_array_size(levels) * sizeof *loaded);
    int64_t statements = 0;
    corm_value *records;
    size_t owners;
    size_t index;
    json_t *json;
    if (!parse_records(run, &s->model, s->json, &records, &owners))
        return false;
    corm_model *model = s->model.model;
    const void *start = records;
    size_t count = owners;
    s->status = corm_database_set_trace(run->database, count_reading, &statements, &run->error);
    json_array_foreach(levels, index, json) {
        loaded[index].target = target_of(run, name, json_string_value(json_object_get(json, "relation")), &name);
        if (s->status >= 0)
            s->status = load_level(s, json, model, start, count, &loaded[index]);
        if (s->status < 0 || loaded[index].target == NULL)
            break;
        if (index > 0)
            loaded[index - 1].next = &loaded[index];
        model = loaded[index].target->model;
        start = corm_related_all(loaded[index].related, &count);
    }
    bool good = corm_database_set_trace(run->database, NULL, NULL, NULL) == CORM_OK;
    if (s->status >= 0) {
        corm_related_all(loaded[0].related, &count);
        good = good && check_int(s, "statements", statements) && check_int(s, "count", (int64_t)count) &&
               check_lists(s, loaded, wanted(s, "related"), 0, owners);
    }
    for (index = 0; index < json_array_size(levels); index += 1)
        corm_related_free(loaded[index].related);
    return good && !run->failed;
}

/* Records of a level that are to be saved, as the scenario has them and as C takes them. */
typedef struct saved_level {
    const dynamic_model *target;
    json_t *items;
    corm_value *records;
    corm_link *links;
    char *path;
} saved_level;

/* The items of the next level, those of each owner after the other, and whose they are. */
static bool gather_level(scenario *run, json_t *owners, saved_level *out) {
    size_t count = 0, owner, index;
    json_t *above, *item;
    out->items = json_array();
    json_array_foreach(owners, owner, above) count += json_array_size(json_object_get(above, "related"));
    out->links = allocate(run, (count + 1) * sizeof *out->links);
    out->records = allocate(run, count * out->target->column_count * sizeof *out->records);
    count = 0;
    json_array_foreach(owners, owner, above) {
        json_array_foreach(json_object_get(above, "related"), index, item) {
            json_t *record = json_copy(item);
            json_object_del(record, "related");
            bool good = parse_record(run, out->target, record, (int64_t)count,
                                     out->records + count * out->target->column_count);
            json_decref(record);
            if (!good)
                return false;
            out->links[count] = (corm_link){owner, count};
            json_array_append(out->items, item);
            count += 1;
        }
    }
    return true;
}

/* What the record has below it, and that what it has, compared with `related`; `next` is the first record of the level. */
static bool check_saved(step *s, const saved_level *level, json_t *expected, size_t depth, size_t *next) {
    size_t index;
    json_t *item;
    json_array_foreach(expected, index, item) {
        json_t *record = json_copy(item);
        json_object_del(record, "related");
        bool good = check_record(s->run, level->target, record, level->records + next[0] * level->target->column_count);
        json_decref(record);
        next[0] += 1;
        if (!good ||
            (json_object_get(item, "related") != NULL &&
             (depth == 0 || !check_saved(s, level + 1, json_object_get(item, "related"), depth - 1, next + 1))))
            return false;
    }
    return true;
}

bool step_save_related(step *s) {
    enum { deepest = 4 };
    static const char *const choices[] = {"keep", "delete"};
    scenario *run = s->run;
    const char *name = json_string_value(member(s, "model"));
    saved_level levels[deepest] = {{0}};
    corm_save_level given[deepest] = {CORM_SAVE_LEVEL_INIT};
    size_t count = 0, next[deepest] = {0};
    corm_value *record = allocate(run, s->model.column_count * sizeof *record);
    json_t *owners = json_pack("[{s:O}]", "related", member(s, "related"));
    json_t *above = owners;
    corm_removed removed = choice(s, "removed", choices, 2);
    char path[256];
    bool good = parse_record(run, &s->model, member(s, "record"), 0, record) &&
                snprintf(path, sizeof path, "%s", json_string_value(member(s, "relation"))) > 0;
    for (char *part = path; good && part != NULL; count++) {
        char *dot = strchr(part, '.');
        if (dot != NULL)
            *dot = '\0';
        saved_level *level = &levels[count];
        const char *kind = json_string_value(json_object_get(relation_of(run, name, part), "kind"));
        bool is_one = kind != NULL && strcmp(kind, "toOne") == 0;
        level->target = target_of(run, name, part, &name);
        good = level->target != NULL && gather_level(run, above, level);
        above = level->items;
        level->path = allocate(run, sizeof path);
        memcpy(level->path, path, strlen(path) + 1);
        given[count] =
            (corm_save_level)CORM_LEVEL(.removed = is_one ? CORM_REMOVED_KEEP : removed, .relation = level->path,
                                        .records = level->records, .count = json_array_size(level->items),
                                        .links = level->links, .link_count = json_array_size(level->items));
        if (dot != NULL)
            *dot = '.';
        part = dot == NULL ? NULL : dot + 1;
    }
    if (!good)
        fail(run, "the relation %s cannot be saved so", path);
    else
        s->status = corm_relation_save(run->database, s->model.model, record, 1, given, count, run->arena, &run->error);
    for (size_t i = 0; i < count; i++)
        json_decref(levels[i].items);
    json_decref(owners);
    return good && (s->status < 0 || (check_record(run, &s->model, wanted(s, "record"), record) &&
                                      check_saved(s, levels, wanted(s, "related"), count - 1, next)));
}
