"""What the suite asks of a database: what it leaves closed and SQLite has is open here, and the other way round.

What stays closed as the suite has it, SQLite does not have at all: comments, sequences, arrays, materialized views,
INTERVAL and times with zones, schemas that are created, two-phase transactions.
"""

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements


def closed(why: str):
    return property(lambda self: exclusions.skip_if(lambda config: True, why))


has = property(lambda self: exclusions.open())


class Requirements(SuiteRequirements):
    # SQL that SQLite has
    create_table_as = create_temp_table_as = has
    table_ddl_if_exists = index_ddl_if_exists = has
    boolean_col_expressions = nullsordering = has
    intersect = except_ = window_functions = window_range = window_range_numeric = has
    ctes = ctes_with_update_delete = ctes_with_values = ctes_on_dml = has
    tuple_in = update_from = has
    views = temporary_views = has
    table_value_constructor = closed("SQLite's VALUES gives its columns no names")
    window_range_non_numeric = closed("SQLite's RANGE takes numbers only")
    parens_in_union_contained_select_w_limit_offset = closed("SQLite takes no parentheses in compound SELECTs")
    parens_in_union_contained_select_wo_limit_offset = closed("SQLite takes no parentheses in compound SELECTs")
    mod_operator_as_percent_sign = has
    percent_schema_names = has
    order_by_label_with_expression = has
    server_defaults = expression_server_defaults = has
    delete_from = closed("SQLite's DELETE has no FROM of other tables")
    non_updating_cascade = deferrable_fks = has

    # Reflection
    cross_schema_fk_reflection = closed("SQLite's foreign keys stay within a file")
    implicitly_named_constraints = closed("SQLite gives constraints no names")
    foreign_key_constraint_name_reflection = reflect_table_options = has
    foreign_key_constraint_option_reflection_ondelete = has
    fk_constraint_option_reflection_ondelete_restrict = has
    fk_constraint_option_reflection_ondelete_noaction = has
    foreign_key_constraint_option_reflection_onupdate = has
    fk_constraint_option_reflection_onupdate_restrict = has
    reflects_pk_names = has
    temp_table_names = has_temp_table = has
    index_reflects_included_columns = closed("SQLite's indexes include no columns")
    indexes_with_expressions = has
    reflect_indexes_with_expressions = closed("SQLAlchemy's dialect for SQLite reflects no expressions of indexes")
    inline_check_constraint_reflection = check_constraint_reflection = has
    unicode_ddl = has
    repeated_column_foreign_keys = repeated_remote_col_foreign_keys = has

    # Values
    json_type = uuid_data_type = has
    datetime_historic = date_historic = has
    datetime_literals = has
    timestamp_microseconds = has
    infinity_floats = has
    precision_numerics_enotation_small = has
    precision_numerics_retains_significant_digits = has
    precision_numerics_many_significant_digits = closed("SQLAlchemy binds Decimal as float for SQLite")

    # Connections
    autocommit = isolation_level = has
    skip_autocommit_rollback = has
    savepoints = has
    dbapi_lastrowid = has
    independent_connections = closed("the suite attaches the file of its other schema to one engine alone")
    server_side_cursors = closed("the suite tells them by the names of the drivers that it knows")

    def get_isolation_levels(self, config):
        return {"default": "SERIALIZABLE", "supported": ["READ UNCOMMITTED", "SERIALIZABLE", "AUTOCOMMIT"]}
