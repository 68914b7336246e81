/* The four tables of the demo for C; models.py and swift/Sources/demo/Models.swift describe the same ones. */
#ifndef DEMO_MODELS_H
#define DEMO_MODELS_H

#include <cormorant.h>

typedef struct section {
    const char *name;
} section;

typedef struct maintainer {
    int64_t id;
    const char *name;
} maintainer;

typedef struct package {
    const char *name;
    const char *version;
    const char *section;
    int64_t maintainerId;
    const char *priority;
    corm_optional_int64 installedSize; /* in KB */
    bool essential;
    const char *summary;
    const char *note; /* may be NULL */
} package;

/* What a package asks for; of "a | b" both are here. found: the installed package that gives it, or NULL. */
typedef struct dependency {
    const char *package;
    int64_t position;
    const char *kind;
    const char *target;
    const char *wantedVersion;
    const char *found;
} dependency;

static const corm_column_def section_columns[] = {
    CORM_COLUMN(section, name, CORM_TEXT, .primary_key = true),
};

static const corm_column_def maintainer_columns[] = {
    CORM_COLUMN(maintainer, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(maintainer, name, CORM_TEXT, .not_null = true, .unique = true),
};

static const corm_column_def package_columns[] = {
    CORM_COLUMN(package, name, CORM_TEXT, .primary_key = true),
    CORM_COLUMN(package, version, CORM_TEXT, .not_null = true),
    CORM_COLUMN(package, section, CORM_TEXT, .not_null = true, .references_table = "section",
                .on_delete = CORM_ACTION_CASCADE),
    CORM_COLUMN(package, maintainerId, CORM_INT64, .references_table = "maintainer", .on_delete = CORM_ACTION_CASCADE),
    CORM_COLUMN(package, priority, CORM_TEXT, .not_null = true),
    CORM_COLUMN(package, installedSize, CORM_INT64, .check_sql = "installed_size >= 0"),
    CORM_COLUMN(package, essential, CORM_BOOL),
    CORM_COLUMN(package, summary, CORM_TEXT, .not_null = true),
    CORM_COLUMN(package, note, CORM_TEXT),
};

static const corm_column_def dependency_columns[] = {
    CORM_COLUMN(dependency, package, CORM_TEXT, .primary_key = true, .references_table = "package",
                .on_delete = CORM_ACTION_CASCADE),
    CORM_COLUMN(dependency, position, CORM_INT64, .primary_key = true),
    CORM_COLUMN(dependency, kind, CORM_TEXT, .not_null = true),
    CORM_COLUMN(dependency, target, CORM_TEXT, .not_null = true),
    CORM_COLUMN(dependency, wantedVersion, CORM_TEXT),
    CORM_COLUMN(dependency, found, CORM_TEXT, .references_table = "package", .on_delete = CORM_ACTION_SET_NULL,
                .indexed = true),
};

enum { SECTION, MAINTAINER, PACKAGE, DEPENDENCY, MODEL_COUNT };

static const corm_model_def model_defs[MODEL_COUNT] = {
    CORM_MODEL(section, "Section", section_columns),
    CORM_MODEL(maintainer, "Maintainer", maintainer_columns),
    CORM_MODEL(package, "Package", package_columns),
    CORM_MODEL(dependency, "Dependency", dependency_columns),
};

#endif
