/* The hooks and validators of models in scenario files. */
#include "conformance.h"

#include <string.h>

/* What the functions of a model, or of one of its columns, are handed. */
struct hooked {
    scenario *run;
    json_t *json;        /* `hooks` of a model, `refuses` of a column */
    dynamic_model model; /* without the model itself */
};

static corm_status refuse(const char *message, corm_error **out_error) {
    *out_error = corm_error_create(CORM_E_CALLBACK, message, NULL);
    return CORM_E_CALLBACK;
}

/* Whether the record has the properties of another. */
static bool has(struct hooked *hooked, json_t *properties, const corm_value *record) {
    corm_value *wanted = allocate(hooked->run, hooked->model.column_count * sizeof *wanted);
    if (!parse_record(hooked->run, &hooked->model, properties, 0, wanted))
        return false;
    for (size_t column = 0; column < hooked->model.column_count; column += 1) {
        if (json_object_get(properties, hooked->model.properties[column]) != NULL &&
            !same_value(&wanted[column], &record[column]))
            return false;
    }
    return true;
}

static corm_status insert(scenario *run, corm_database *database, json_t *json, corm_error **out_error) {
    const dynamic_model *model = find_model(run, json_string_value(json_object_get(json, "model")));
    if (model == NULL || !check_members(run, json, "an insert", " model record "))
        return refuse("the scenario is wrong", out_error);
    corm_value *record = allocate(run, model->column_count * sizeof *record);
    if (!parse_record(run, model, json_object_get(json, "record"), 0, record))
        return refuse("the scenario is wrong", out_error);
    return corm_record_insert(database, model->model, record, CORM_CONFLICT_ABORT, run->arena, out_error);
}

static corm_status called(const char *name, struct hooked *hooked, corm_database *database, corm_value *record,
                          corm_error **out_error) {
    scenario *run = hooked->run;
    corm_status status = CORM_OK;
    size_t index;
    json_t *item;
    if (run->calls == NULL)
        run->calls = json_array();
    json_array_append_new(run->calls, json_string(name));
    json_array_foreach(hooked->json, index, item) {
        json_t *refused = json_object_get(item, "refuse");
        if (!check_members(run, item, "a hook", " at if set refuse insert "))
            return refuse("the scenario is wrong", out_error);
        if (strcmp(json_string_value(json_object_get(item, "at")), name) != 0 ||
            !has(hooked, json_object_get(item, "if"), record))
            continue;
        if (!parse_record(run, &hooked->model, json_object_get(item, "set"), 0, record))
            return refuse("the scenario is wrong", out_error);
        if (json_object_get(item, "insert") != NULL)
            status = insert(run, database, json_object_get(item, "insert"), out_error);
        if (status < 0)
            return status;
        if (refused != NULL)
            return refuse(json_string_value(refused), out_error);
    }
    return CORM_OK;
}

#define HOOK(function, name)                                                                                           \
    static corm_status function(corm_database *database, void *record, corm_arena *arena, void *context,               \
                                corm_error **out_error) {                                                              \
        (void)arena;                                                                                                   \
        return called(name, context, database, record, out_error);                                                     \
    }

HOOK(before_insert, "beforeInsert")
HOOK(after_insert, "afterInsert")
HOOK(before_update, "beforeUpdate")
HOOK(after_update, "afterUpdate")
HOOK(before_save, "beforeSave")
HOOK(after_save, "afterSave")
HOOK(before_delete, "beforeDelete")
HOOK(after_delete, "afterDelete")

static corm_status validate(const void *record, void *context, corm_error **out_error) {
    return called("validate", context, NULL, (corm_value *)record, out_error);
}

const corm_record_hooks *make_hooks(scenario *run, json_t *json, size_t column_count, const char **properties) {
    struct hooked *hooked = allocate(run, sizeof *hooked);
    corm_record_hooks *hooks = allocate(run, sizeof *hooks);
    if (json == NULL)
        return NULL;
    *hooked = (struct hooked){run, json, {.column_count = column_count, .properties = properties}};
    *hooks = (corm_record_hooks){
        .struct_size = sizeof *hooks,
        .before_insert = before_insert,
        .after_insert = after_insert,
        .before_update = before_update,
        .after_update = after_update,
        .before_save = before_save,
        .after_save = after_save,
        .before_delete = before_delete,
        .after_delete = after_delete,
        .validate = validate,
        .context = hooked,
    };
    return hooks;
}

static corm_status refuses(const void *field, void *context, corm_error **out_error) {
    struct hooked *hooked = context;
    size_t index;
    json_t *item;
    json_array_foreach(hooked->json, index, item) {
        corm_value refused;
        if (parse_value(hooked->run, item, 0, &refused) && same_value(&refused, field))
            return refuse("is refused", out_error);
    }
    return CORM_OK;
}

void make_validator(scenario *run, json_t *json, corm_column_def *column) {
    struct hooked *hooked = allocate(run, sizeof *hooked);
    *hooked = (struct hooked){.run = run, .json = json};
    if (json != NULL) {
        column->validate = refuses;
        column->validate_context = hooked;
    }
}

bool step_hook_calls(step *s) {
    json_t *calls = s->run->calls != NULL ? s->run->calls : json_array();
    s->run->calls = NULL;
    s->status = CORM_OK;
    return check_json(s, "calls", calls);
}
