let pythonTemplates = [
    Templates.File(
        path: "{{name}}.py",
        text: #"""
            # {{ header }}
            """The models of all tables and views."""
            {% if notes %}

            {% for note in notes %}
            # Note: {{ note }}
            {% endfor %}
            {% endif %}

            from __future__ import annotations

            {{ imports }}
            {% for table in tables %}


            {% for note in table.notes %}
            # Note: {{ note }}
            {% endfor %}
            {{ table.declaration }}:
                """A row of {{ table.kind }} {{ table.comment }}."""

            {% for field in table.fields %}
                {{ field.declaration }}
            {% endfor %}
            {% for relation in table.relations %}
                {{ relation.declaration }}
            {% endfor %}
            {% for finder in table.finders %}

                @staticmethod
                {{ finder.declaration }}
                    {% if finder.isMany %}
                    """The records with the given {{ finder.comment }}, a foreign key."""
                    {% else %}
                    """The record with the given {{ finder.comment }}; None where there is none."""
                    {% endif %}
                    return {{ finder.body }}
            {% endfor %}
            {% endfor %}


            MODELS: tuple[type[Model], ...] = (
            {% for table in tables %}
                {{ table.type }},
            {% endfor %}
            )

            """#)
]
