let cTemplates = [
    Templates.File(
        path: "{{name}}.h",
        text: #"""
            /* {{ header }} */
            {% for note in notes %}
            /* Note: {{ note }} */
            {% endfor %}
            #ifndef {{ guard }}
            #define {{ guard }}

            #include <cormorant.h>

            CORM_BEGIN_DECLS
            {% for table in tables %}

            {% for enum in table.enums %}
            /* What {{ enum.comment }} can be. */
            typedef enum {{ enum.type }} {
            {% for case in enum.cases %}
                {{ case }},
            {% endfor %}
            } {{ enum.type }};

            {% endfor %}
            /* A row of {{ table.kind }} {{ table.comment }}. */
            {% for note in table.notes %}
            /* Note: {{ note }} */
            {% endfor %}
            typedef struct {{ table.type }} {
            {% for field in table.fields %}
                {{ field.declaration }}
            {% endfor %}
            } {{ table.type }};
            {% endfor %}

            /* The places of the models in an array of them. */
            enum {
            {% for table in tables %}
                {{ table.constant }},
            {% endfor %}
                {{ countConstant }}
            };

            /* Makes the models with their relations. models: {{ countConstant }} of them, owned ({{ prefix }}_free). */
            corm_status {{ prefix }}_create(corm_model **models, corm_error **out_error);
            /* Frees the models. */
            void {{ prefix }}_free(corm_model **models);
            {% for table in tables %}
            {% for finder in table.finders %}

            {% if finder.isMany %}
            /* The records with the given {{ finder.comment }}, a foreign key. out_records: owned (corm_records_free). */
            {% else %}
            /* The record with the given {{ finder.comment }}: CORM_OK or CORM_NOT_FOUND. arena: as in record.h. */
            {% endif %}
            {{ finder.declaration }};
            {% endfor %}
            {% endfor %}

            CORM_END_DECLS

            #endif

            """#),
    Templates.File(
        path: "{{name}}.c",
        text: #"""
            /* {{ header }} */
            #include "{{ name }}.h"

            #include <stddef.h>
            {% for table in tables %}

            static const corm_column_def {{ table.type }}_columns[] = {
            {% for field in table.fields %}
                {{ field.definition }},
            {% endfor %}
            };
            {% if table.keyDefinitions %}
            static const corm_key_def {{ table.type }}_keys[] = {
            {% for key in table.keyDefinitions %}
                {{ key }},
            {% endfor %}
            };
            {% endif %}
            {% if table.referenceDefinitions %}
            static const corm_reference_def {{ table.type }}_references[] = {
            {% for reference in table.referenceDefinitions %}
                {{ reference }},
            {% endfor %}
            };
            {% endif %}
            {% endfor %}

            static const corm_model_def definitions[{{ countConstant }}] = {
            {% for table in tables %}
                {{ table.declaration }},
            {% endfor %}
            };

            /* A relation, with the places of its model, its target and its junction; the last one has no name. */
            static const struct {
                int model, target, junction;
                corm_relation_def definition;
            } relations[] = {
            {% for table in tables %}
            {% for relation in table.relations %}
                {{ relation.declaration }},
            {% endfor %}
            {% endfor %}
                {0, 0, -1, {.name = NULL}},
            };

            corm_status {{ prefix }}_create(corm_model **models, corm_error **out_error) {
                corm_status status = CORM_OK;
                for (int i = 0; i < {{ countConstant }}; i++)
                    models[i] = NULL;
                for (int i = 0; i < {{ countConstant }} && status == CORM_OK; i++)
                    status = corm_model_create(&definitions[i], &models[i], out_error);
                for (int i = 0; relations[i].definition.name && status == CORM_OK; i++) {
                    corm_relation_def relation = relations[i].definition;
                    relation.target = models[relations[i].target];
                    if (relations[i].junction >= 0)
                        relation.junction = models[relations[i].junction];
                    status = corm_relation_add(models[relations[i].model], &relation, out_error);
                }
                if (status != CORM_OK)
                    {{ prefix }}_free(models);
                return status;
            }

            void {{ prefix }}_free(corm_model **models) {
                for (int i = 0; i < {{ countConstant }}; i++) {
                    corm_model_free(models[i]);
                    models[i] = NULL;
                }
            }
            {% for table in tables %}
            {% for finder in table.finders %}

            {{ finder.declaration }} {
                {{ finder.body }}
            }
            {% endfor %}
            {% endfor %}

            """#),
]
