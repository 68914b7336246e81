extension Language {
    /// The templates that come with the command.
    var templates: [Templates.File] {
        switch self {
        case .swift: swiftTemplates
        case .c: cTemplates
        case .python: pythonTemplates
        }
    }
}

private let swiftTemplates = [
    Templates.File(
        path: "{{table.type}}.swift",
        text: #"""
            // {{ header }}
            {{ imports }}

            {% for enum in table.enums %}
            /// What {{ enum.comment }} can be.
            enum {{ enum.type }}: String, ColumnValue, CaseIterable, Sendable {
            {% for case in enum.cases %}
                case {{ case }}
            {% endfor %}
            }

            {% endfor %}
            /// A row of {{ table.kind }} {{ table.comment }}.
            {% for note in table.notes %}
            // Note: {{ note }}
            {% endfor %}
            {{ table.declaration }}
            struct {{ table.type }}: Sendable {
            {% for field in table.fields %}
                {{ field.declaration }}
            {% endfor %}
            {% for relation in table.relations %}
                {{ relation.declaration }}
            {% endfor %}
            }
            {% if table.finders %}

            extension {{ table.type }} {
            {% for finder in table.finders %}
                {% if not forloop.first %}

                {% endif %}
                {% if finder.isMany %}
                /// The records with the given {{ finder.comment }}, a foreign key.
                {% else %}
                /// The record with the given {{ finder.comment }}; nil where there is none.
                {% endif %}
                @available(*, noasync)
                {{ finder.declaration }} {
                    {{ finder.body }}
                }

                {% if finder.isMany %}
                /// The records with the given {{ finder.comment }}, a foreign key.
                {% else %}
                /// The record with the given {{ finder.comment }}; nil where there is none.
                {% endif %}
                {{ finder.asyncDeclaration }} {
                    {{ finder.asyncBody }}
                }
            {% endfor %}
            }
            {% endif %}

            """#),
    Templates.File(
        path: "{{type}}.swift",
        text: #"""
            // {{ header }}
            {{ imports }}
            {% if notes %}

            {% for note in notes %}
            // Note: {{ note }}
            {% endfor %}
            {% endif %}

            /// The models of all tables and views, for `sync` and `createTables`.
            enum {{ type }} {
                static let all: [ModelDescriptor] = [
            {% for table in tables %}
                    {{ table.type }}.model,
            {% endfor %}
                ]
            }

            """#),
]
