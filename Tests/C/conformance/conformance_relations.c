/* The models of a scenario, made once each, and their relations. */
#include "conformance.h"

#include <string.h>

struct made_model {
    struct made_model *next;
    const char *name;
    dynamic_model model;
};

static corm_status add_relation(scenario *run, corm_model *model, const char *name, json_t *json) {
    static const char *const kinds[] = {"toOne", "toMany", "manyToMany"};
    const char *target = json_string_value(json_object_get(json, "target"));
    const char *junction = json_string_value(json_object_get(json, "junction"));
    corm_relation_def definition = {
        .struct_size = sizeof definition,
        .name = json_string_value(json_object_get(json, "name")),
        .kind = find_name(run, json_string_value(json_object_get(json, "kind")), kinds, 3) + CORM_TO_ONE,
    };
    const dynamic_model *found = NULL;
    if (!check_members(run, json, "a relation", " name kind target junction columns targetColumns ") ||
        !parse_list(run, json_object_get(json, "columns"), &definition.columns) ||
        !parse_list(run, json_object_get(json, "targetColumns"), &definition.target_columns)) {
        return CORM_E_INTERNAL;
    }
    if (target != NULL && strcmp(target, name) == 0)
        definition.target = model;
    else if ((found = find_model(run, target)) != NULL)
        definition.target = found->model;
    if (junction != NULL && (found = find_model(run, junction)) != NULL)
        definition.junction = found->model;
    return corm_relation_add(model, &definition, &run->error);
}

/* The status of the first relation that cannot be added. */
static corm_status add_relations(scenario *run, corm_model *model, json_t *definition) {
    const char *name = json_string_value(json_object_get(definition, "name"));
    corm_status status = CORM_OK;
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(definition, "relations"), index, item) {
        if (status >= 0)
            status = add_relation(run, model, name, item);
    }
    return status;
}

bool make_model(scenario *run, json_t *json, dynamic_model *out_model, corm_status *out_status) {
    if (!make_plain_model(run, json, out_model, out_status))
        return false;
    if (*out_status >= 0)
        *out_status = add_relations(run, out_model->model, json);
    return !run->failed;
}

const dynamic_model *find_model(scenario *run, const char *name) {
    json_t *definition = json_object_get(run->models, name);
    corm_status status;
    for (struct made_model *made = run->made; made != NULL; made = made->next) {
        if (strcmp(made->name, name) == 0)
            return &made->model;
    }
    if (definition == NULL) {
        fail(run, "no model \"%s\"", name);
        return NULL;
    }
    struct made_model *made = allocate(run, sizeof *made);
    if (!make_plain_model(run, definition, &made->model, &status))
        return NULL;
    // Known before its relations, which may lead back here.
    made->name = name;
    made->next = run->made;
    run->made = made;
    if (status >= 0)
        status = add_relations(run, made->model.model, definition);
    if (status >= 0)
        return &made->model;
    fail(run, "the model %s: %s", name, corm_error_message(run->error));
    return NULL;
}

void release_models(scenario *run) {
    for (; run->made != NULL; run->made = run->made->next)
        corm_model_free(run->made->model.model);
}
