/* The steps of scenario files about sync, plans and snapshots. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool named_models(step *s, json_t *names, corm_model *const **out_models, size_t *out_count) {
    corm_model **models = allocate(s->run, json_array_size(names) * sizeof *models);
    size_t index;
    json_t *name;
    json_array_foreach(names, index, name) {
        const dynamic_model *model = find_model(s->run, json_string_value(name));
        if (model == NULL)
            return false;
        models[index] = model->model;
    }
    *out_models = models;
    *out_count = json_array_size(names);
    return true;
}

const char *beside(scenario *run, const char *name) {
    size_t size = strlen(run->folder) + strlen(name) + 2;
    char *path = allocate(run, size);
    snprintf(path, size, "%s/%s", run->folder, name);
    return path;
}

static bool tell(const corm_progress *progress, void *context) {
    step *s = context;
    json_t *cancel = member(s, "cancelAt");
    const char *last = json_string_value(json_array_get(s->told, json_array_size(s->told) - 1));
    if (last == NULL || strcmp(last, progress->step) != 0)
        json_array_append_new(s->told, json_string(progress->step));
    s->calls += 1;
    return cancel == NULL || s->calls <= json_integer_value(cancel);
}

corm_progress_callback progress_of(step *s) {
    return member(s, "cancelAt") == NULL && wanted(s, "progress") == NULL ? NULL : tell;
}

bool parse_options(step *s, corm_migration_options *out_options) {
    const char *snapshot = json_string_value(member(s, "snapshot"));
    *out_options = (corm_migration_options){
        .struct_size = sizeof *out_options,
        .snapshot = snapshot == NULL ? NULL : beside(s->run, snapshot),
        .drop_snapshot = json_is_true(member(s, "dropSnapshot")),
        .allow_lossy = json_is_true(member(s, "allowLossy")),
        .progress = progress_of(s),
        .context = s,
    };
    return parse_list(s->run, member(s, "allowDrop"), &out_options->allow_drop);
}

bool check_lines(step *s, const char *name, const char *lines) {
    json_t *expected = wanted(s, name);
    size_t index;
    json_t *item;
    const char *line = lines;
    json_array_foreach(expected, index, item) {
        const char *text = json_string_value(item);
        size_t size = strcspn(line, "\n");
        if (*line == 0 || strlen(text) != size || memcmp(text, line, size) != 0)
            return fail(s->run, "%s: expected \"%s\", found \"%.*s\"", name, text, (int)size, line);
        line += size + 1;
    }
    return expected == NULL || *line == 0 || fail(s->run, "%s: more than expected: %s", name, line);
}

static bool check_steps(step *s, corm_plan *plan, char *summaries, char *problems, size_t size) {
    int64_t rows = 0;
    for (size_t index = 0; index < corm_plan_info_get(plan)->step_count; index += 1) {
        const corm_plan_step *one = corm_plan_step_get(plan, index);
        rows += one->rows;
        snprintf(summaries + strlen(summaries), size - strlen(summaries), "%s\n", one->summary);
        if (one->problems != NULL)
            snprintf(problems + strlen(problems), size - strlen(problems), "%s", one->problems);
    }
    return check_int(s, "rows", rows);
}

bool check_plan(step *s, corm_plan *plan) {
    static const char *const risks[] = {"safe", "annotated", "lossy", "unchecked", "undecided"};
    char summaries[4096] = "";
    char problems[4096] = "";
    bool good = s->status < 0 ||
                (check_steps(s, plan, summaries, problems, sizeof problems) && check_lines(s, "steps", summaries) &&
                 check_lines(s, "problems", problems) && check_text(s, "risk", risks[corm_plan_info_get(plan)->risk]) &&
                 check_contains(s, corm_plan_info_get(plan)->sql));
    corm_plan_free(plan);
    return good;
}

bool step_schema(step *s) {
    corm_schema *schema = NULL, *other = NULL;
    bool good = parse_schema(s, member(s, "of"), &schema);
    if (good && s->status >= 0 && member(s, "with") != NULL)
        good = parse_schema(s, member(s, "with"), &other);
    if (good && s->status >= 0)
        good =
            check_contains(s, corm_schema_info_get(schema)->sql) &&
            (other == NULL ||
             check_bool(s, "same", strcmp(corm_schema_info_get(schema)->hash, corm_schema_info_get(other)->hash) == 0));
    corm_schema_free(schema);
    corm_schema_free(other);
    return good;
}

bool step_sync(step *s) {
    bool plans = strcmp(json_string_value(member(s, "do")), "planSync") == 0;
    corm_model *const *models;
    size_t count;
    corm_migration_options options;
    corm_plan *plan = NULL;
    if (!named_models(s, member(s, "models"), &models, &count) || !parse_options(s, &options))
        return false;
    s->status = (plans ? corm_migration_plan : corm_migration_sync)(s->run->database, models, count, &options, &plan,
                                                                    &s->run->error);
    return check_plan(s, plan);
}

bool parse_schema(step *s, json_t *json, corm_schema **out_schema) {
    scenario *run = s->run;
    corm_model *const *models;
    size_t count;
    if (json_is_object(json)) {
        if (!check_members(run, json, "a schema", " models ") ||
            !named_models(s, json_object_get(json, "models"), &models, &count)) {
            return false;
        }
        s->status = corm_schema_create(models, count, out_schema, &run->error);
    } else if (json != NULL) {
        s->status = corm_schema_parse(json_string_value(json), out_schema, &run->error);
    } else {
        s->status = corm_schema_read(run->database, out_schema, &run->error);
    }
    return true;
}

bool step_plan(step *s) {
    scenario *run = s->run;
    corm_schema *from = NULL;
    corm_schema *to = NULL;
    corm_plan *plan = NULL;
    corm_migration_options options;
    corm_database *database = member(s, "from") == NULL ? run->database : NULL;
    bool good = parse_options(s, &options) && parse_schema(s, member(s, "from"), &from) &&
                (s->status < 0 || parse_schema(s, member(s, "to"), &to));
    if (good && s->status >= 0)
        s->status = corm_plan_create(database, from, to, &options, &plan, &run->error);
    if (good && s->status >= 0 && json_is_true(member(s, "apply")))
        s->status = corm_plan_apply(run->database, plan, &options, &run->error);
    corm_schema_free(from);
    corm_schema_free(to);
    if (good)
        return check_plan(s, plan);
    corm_plan_free(plan);
    return false;
}

bool step_restore(step *s) {
    const char *snapshot = json_string_value(member(s, "snapshot"));
    s->status = corm_migration_restore(s->run->database, beside(s->run, snapshot), NULL, &s->run->error);
    return true;
}

bool step_file_exists(step *s) {
    s->status = CORM_OK;
    return check_bool(s, "found", access(beside(s->run, json_string_value(member(s, "file"))), F_OK) == 0);
}
