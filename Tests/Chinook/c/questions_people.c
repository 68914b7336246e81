/* Questions about customers and employees. */
#include "questions.h"

static corm_expr *total(void) { return CORM_CALL("sum", column(invoices, "total")); }

static corm_statement *top_customers_of_each_agent(void) {
    corm_expr *place = OVER(corm_expr_call("row_number", NONE), CORM_EXPRS(column(customers, "agent_id")),
                            CORM_EXPRS(descending(rounded(total(), 2)), column(customers, "id")));
    corm_statement *spent = select_from(customers);
    COLUMNS(spent, corm_expr_as(column(customers, "agent.last_name"), "agent"), corm_expr_as(place, "place"),
            corm_expr_as(column(customers, "last_name"), "customer"), corm_expr_as(rounded(total(), 2), "total"));
    join(spent, NULL, "invoices");
    GROUP_BY(spent, column(customers, "id"));

    corm_statement *select = select_from_common("spent", spent);
    WHERE(select, binary(name("spent", "place"), CORM_OP_LESS_EQUAL, integer(5)));
    ORDER_BY(select, name("spent", "agent"), name("spent", "place"));
    return select;
}

static corm_statement *customers_above_the_average(void) {
    corm_statement *per_customer = select_from(invoices);
    COLUMNS(per_customer, corm_expr_as(total(), "total"));
    GROUP_BY(per_customer, column(invoices, "customer_id"));
    corm_statement *average = select_from_query(per_customer, "spent");
    COLUMNS(average, CORM_CALL("avg", name("spent", "total")));

    corm_statement *select = select_from(customers);
    COLUMNS(select, column(customers, "first_name"), column(customers, "last_name"), rounded(total(), 2));
    join(select, NULL, "invoices");
    GROUP_BY(select, column(customers, "id"));
    HAVING(select, binary(total(), CORM_OP_GREATER, corm_expr_select(average)));
    ORDER_BY(select, column(customers, "last_name"), column(customers, "first_name"));
    return select;
}

static corm_expr *track_is_of_the_artist(void) {
    return equal(column(tracks, "album.artist_id"), column(artists, "id"));
}

/* All of an artist: there is no track of the artist that was not bought. */
static corm_statement *customers_who_bought_all_of_an_artist(void) {
    corm_statement *count = select_from(tracks);
    COLUMNS(count, count_all());
    WHERE(count, track_is_of_the_artist());
    corm_expr *bought =
        any_related(tracks, "lines", equal(column(invoice_lines, "invoice.customer_id"), column(customers, "id")));
    corm_statement *not_bought = select_from(tracks);
    WHERE(not_bought, track_is_of_the_artist(), no(bought));

    corm_statement *select = select_from(customers);
    COLUMNS(select, column(customers, "last_name"), column(artists, "name"));
    corm_statement_join(select, CORM_JOIN_CROSS, CORM_SOURCE(.model = artists), NULL);
    WHERE(select, binary(corm_expr_select(count), CORM_OP_GREATER_EQUAL, integer(2)), no(corm_expr_exists(not_bought)));
    ORDER_BY(select, column(customers, "last_name"), column(artists, "name"));
    return select;
}

static corm_expr *other_customer(const char *property) { return corm_expr_column_of("other", customers, property); }

static corm_statement *customers_in_the_same_city(void) {
    corm_statement *select = select_from(customers);
    COLUMNS(select, column(customers, "city"), column(customers, "last_name"), other_customer("last_name"));
    corm_statement_join(select, CORM_JOIN_INNER, CORM_SOURCE(.model = customers, .alias = "other"),
                        CORM_AND(equal(column(customers, "city"), other_customer("city")),
                                 binary(column(customers, "id"), CORM_OP_LESS, other_customer("id"))));
    ORDER_BY(select, column(customers, "city"), column(customers, "id"), other_customer("id"));
    return select;
}

static corm_statement *customers_by_company(void) {
    corm_statement *select = select_from(customers);
    COLUMNS(select, column(customers, "company"), column(customers, "last_name"),
            CORM_CALL("coalesce", column(customers, "state"), column(customers, "country")));
    ORDER_BY(select, corm_expr_order(column(customers, "company"), false, CORM_NULLS_LAST),
             column(customers, "last_name"));
    return select;
}

static corm_expr *first(void) { return CORM_CALL("min", column(invoices, "date")); }
static corm_expr *last(void) { return CORM_CALL("max", column(invoices, "date")); }

static corm_statement *days_between_first_and_last_invoice(void) {
    corm_expr *days = binary(CORM_CALL("julianday", last()), CORM_OP_SUBTRACT, CORM_CALL("julianday", first()));
    corm_statement *select = select_from(customers);
    COLUMNS(select, column(customers, "last_name"), CORM_CALL("date", first()), CORM_CALL("date", last()),
            corm_expr_as(corm_expr_cast(days, CORM_INT64), "days"));
    join(select, NULL, "invoices");
    GROUP_BY(select, column(customers, "id"));
    ORDER_BY(select, descending(name(NULL, "days")), column(customers, "last_name"));
    return select;
}

static corm_statement *mail_domains(void) {
    corm_expr *at = CORM_CALL("instr", column(customers, "email"), text("@"));
    corm_expr *domain = CORM_CALL("substr", column(customers, "email"), binary(at, CORM_OP_ADD, integer(1)));
    corm_statement *select = select_from(customers);
    COLUMNS(select, corm_expr_as(domain, "domain"), count_all());
    GROUP_BY(select, name(NULL, "domain"));
    HAVING(select, binary(count_all(), CORM_OP_GREATER, integer(1)));
    ORDER_BY(select, descending(count_all()), name(NULL, "domain"));
    return select;
}

static corm_statement *employees_and_their_managers(void) {
    corm_statement *select = select_from(employees);
    COLUMNS(select, column(employees, "last_name"), corm_expr_column_of("boss", employees, "last_name"));
    corm_statement_join_relation(select, CORM_JOIN_LEFT, NULL, "manager", "boss");
    ORDER_BY(select, column(employees, "last_name"));
    return select;
}

static corm_statement *reporting_chain(void) {
    corm_statement *chain = select_from(employees);
    COLUMNS(chain, column(employees, "id"), integer(0), column(employees, "last_name"));
    WHERE(chain, corm_expr_unary(CORM_OP_IS_NULL, column(employees, "reports_to")));

    corm_expr *path = binary(binary(name("chain", "path"), CORM_OP_CONCAT, text(" > ")), CORM_OP_CONCAT,
                             column(employees, "last_name"));
    corm_statement *next = select_from(employees);
    COLUMNS(next, column(employees, "id"), binary(name("chain", "level"), CORM_OP_ADD, integer(1)), path);
    corm_statement_join(next, CORM_JOIN_INNER, CORM_SOURCE(.name = "chain"),
                        equal(column(employees, "reports_to"), name("chain", "id")));
    corm_statement_compound(chain, CORM_UNION_ALL, next);

    corm_statement *select = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_from(select, CORM_SOURCE(.name = "chain"));
    corm_statement_with(select, "chain", "id, level, path", chain);
    ORDER_BY(select, name("chain", "path"));
    return select;
}

static corm_statement *agents_and_their_customers(void) {
    corm_statement *paid = select_from(invoices);
    COLUMNS(paid, rounded(total(), 2));
    WHERE(paid, equal(column(invoices, "customer.agent_id"), column(employees, "id")));

    corm_statement *select = select_from(employees);
    COLUMNS(select, column(employees, "last_name"), count_related(employees, "customers", NULL),
            count_related(employees, "customers", equal(column(customers, "country"), text("USA"))),
            corm_expr_select(paid));
    WHERE(select, any_related(employees, "customers", NULL));
    ORDER_BY(select, column(employees, "last_name"));
    return select;
}

static corm_statement *countries_of_each_agent(void) {
    corm_statement *countries = select_from(customers);
    COLUMNS(countries, corm_expr_as(column(customers, "agent.last_name"), "agent"),
            corm_expr_as(column(customers, "country"), "country"));
    corm_statement_distinct(countries);
    WHERE(countries, corm_expr_unary(CORM_OP_IS_NOT_NULL, column(customers, "agent_id")));
    ORDER_BY(countries, name(NULL, "agent"), name(NULL, "country"));

    corm_statement *select = select_from_query(countries, "countries");
    COLUMNS(select, name("countries", "agent"), CORM_CALL("group_concat", name("countries", "country"), text(", ")));
    GROUP_BY(select, name("countries", "agent"));
    ORDER_BY(select, name("countries", "agent"));
    return select;
}

static corm_expr *formatted(const char *format, const char *date) {
    return CORM_CALL("strftime", text(format), column(employees, date));
}

static corm_statement *age_when_hired(void) {
    corm_expr *years = binary(corm_expr_cast(formatted("%Y", "hire_date"), CORM_INT64), CORM_OP_SUBTRACT,
                              corm_expr_cast(formatted("%Y", "birth_date"), CORM_INT64));
    corm_expr *birthday_to_come =
        binary(formatted("%m-%d", "hire_date"), CORM_OP_LESS, formatted("%m-%d", "birth_date"));
    corm_statement *select = select_from(employees);
    COLUMNS(select, column(employees, "last_name"), binary(years, CORM_OP_SUBTRACT, birthday_to_come));
    ORDER_BY(select, column(employees, "last_name"));
    return select;
}

static corm_statement *cities_of_all_people(void) {
    corm_statement *of_employees = select_from(employees);
    COLUMNS(of_employees, column(employees, "city"), column(employees, "country"));

    corm_statement *select = select_from(customers);
    COLUMNS(select, column(customers, "city"), column(customers, "country"));
    corm_statement_compound(select, CORM_UNION, of_employees);
    ORDER_BY(select, column(customers, "city"));
    return select;
}

static corm_statement *cities_of_both(void) {
    corm_statement *of_employees = select_from(employees);
    COLUMNS(of_employees, column(employees, "city"));

    corm_statement *select = select_from(customers);
    COLUMNS(select, column(customers, "city"));
    corm_statement_compound(select, CORM_INTERSECT, of_employees);
    ORDER_BY(select, column(customers, "city"));
    return select;
}

const question people_questions[] = {
    QUESTION(top_customers_of_each_agent),
    QUESTION(customers_above_the_average),
    QUESTION(customers_who_bought_all_of_an_artist),
    QUESTION(customers_in_the_same_city),
    QUESTION(customers_by_company),
    QUESTION(days_between_first_and_last_invoice),
    QUESTION(mail_domains),
    QUESTION(employees_and_their_managers),
    QUESTION(reporting_chain),
    QUESTION(agents_and_their_customers),
    QUESTION(countries_of_each_agent),
    QUESTION(age_when_hired),
    QUESTION(cities_of_all_people),
    QUESTION(cities_of_both),
    {0},
};
