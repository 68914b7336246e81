/* Questions about what was sold, when and where. */
#include "questions.h"

static corm_expr *year(void) { return CORM_CALL("strftime", text("%Y"), column(invoices, "date")); }
static corm_expr *month(void) { return CORM_CALL("strftime", text("%Y-%m"), column(invoices, "date")); }
static corm_expr *total(void) { return CORM_CALL("sum", column(invoices, "total")); }

static corm_statement *invoices_per_year(void) {
    corm_statement *select = select_from(invoices);
    COLUMNS(select, year(), count_all(), rounded(total(), 2));
    GROUP_BY(select, year());
    ORDER_BY(select, year());
    return select;
}

static corm_statement *running_total_by_month(void) {
    corm_expr *running = OVER(CORM_CALL("sum", total()), NONE, CORM_EXPRS(month()));
    corm_statement *select = select_from(invoices);
    COLUMNS(select, month(), rounded(total(), 2), rounded(running, 2));
    GROUP_BY(select, month());
    ORDER_BY(select, month());
    return select;
}

static corm_statement *average_of_three_months(void) {
    corm_statement *months = select_from(invoices);
    COLUMNS(months, corm_expr_as(month(), "month"), corm_expr_as(total(), "total"));
    GROUP_BY(months, month());

    corm_statement *select = select_from_common("months", months);
    corm_expr *average =
        corm_expr_over(CORM_CALL("avg", name("months", "total")), NONE, CORM_EXPRS(name("months", "month")),
                       "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING");
    COLUMNS(select, name("months", "month"), rounded(average, 2));
    ORDER_BY(select, name("months", "month"));
    return select;
}

static corm_expr *loss(void) {
    return rounded(binary(name("months", "previous"), CORM_OP_SUBTRACT, name("months", "total")), 2);
}

static corm_statement *months_with_a_loss(void) {
    corm_expr *previous = OVER(CORM_CALL("lag", total()), NONE, CORM_EXPRS(month()));
    corm_statement *months = select_from(invoices);
    COLUMNS(months, corm_expr_as(month(), "month"), corm_expr_as(total(), "total"), corm_expr_as(previous, "previous"));
    GROUP_BY(months, month());

    corm_statement *select = select_from_common("months", months);
    COLUMNS(select, name("months", "month"), loss());
    WHERE(select, binary(loss(), CORM_OP_GREATER, integer(0)));
    ORDER_BY(select, name("months", "month"));
    return select;
}

static corm_expr *sold(void) { return CORM_CALL("sum", column(invoice_lines, "quantity")); }

static corm_statement *best_selling_genre_per_country(void) {
    corm_expr *place = OVER(corm_expr_call("rank", NONE), CORM_EXPRS(column(invoice_lines, "invoice.country")),
                            CORM_EXPRS(descending(sold())));
    corm_statement *sales = select_from(invoice_lines);
    COLUMNS(sales, corm_expr_as(column(invoice_lines, "invoice.country"), "country"),
            corm_expr_as(column(invoice_lines, "track.genre.name"), "genre"), corm_expr_as(sold(), "sold"),
            corm_expr_as(place, "place"));
    GROUP_BY(sales, column(invoice_lines, "invoice.country"), column(invoice_lines, "track.genre.id"));

    corm_statement *select = select_from_common("sales", sales);
    COLUMNS(select, name("sales", "country"), name("sales", "genre"), name("sales", "sold"));
    WHERE(select, equal(name("sales", "place"), integer(1)));
    ORDER_BY(select, name("sales", "country"), name("sales", "genre"));
    return select;
}

static corm_expr *at_home(void) { return equal(column(invoice_lines, "invoice.country"), text("USA")); }

static corm_statement *genres_at_home_and_abroad(void) {
    corm_statement *select = select_from(genres);
    COLUMNS(select, column(genres, "name"), corm_expr_filter(count_all(), at_home()),
            corm_expr_filter(count_all(), no(at_home())));
    join(select, NULL, "tracks");
    join(select, "Track", "lines");
    GROUP_BY(select, column(genres, "id"));
    ORDER_BY(select, column(genres, "name"));
    return select;
}

static corm_expr *revenue(void) {
    corm_expr *price = binary(column(invoice_lines, "unit_price"), CORM_OP_MULTIPLY, column(invoice_lines, "quantity"));
    return rounded(CORM_CALL("sum", price), 2);
}

static corm_statement *top_ten_artists(void) {
    corm_statement *select = select_from(invoice_lines);
    COLUMNS(select, column(invoice_lines, "track.album.artist.name"), revenue());
    GROUP_BY(select, column(invoice_lines, "track.album.artist.id"));
    ORDER_BY(select, descending(revenue()), column(invoice_lines, "track.album.artist.name"));
    LIMIT(select, 10);
    return select;
}

static corm_statement *tracks_never_sold(void) {
    corm_statement *sold_tracks = select_from(invoice_lines);
    COLUMNS(sold_tracks, column(invoice_lines, "track_id"));

    corm_statement *select = select_from(tracks);
    COLUMNS(select, column(tracks, "id"), column(tracks, "name"));
    WHERE(select, no(corm_expr_in_select(column(tracks, "id"), sold_tracks)));
    ORDER_BY(select, column(tracks, "id"));
    return select;
}

static corm_statement *dearest_invoice_of_each_year(void) {
    corm_statement *dearest = corm_statement_create(CORM_SELECT, invoices, "other");
    COLUMNS(dearest, CORM_CALL("max", corm_expr_column_of("other", invoices, "total")));
    WHERE(dearest, equal(CORM_CALL("strftime", text("%Y"), corm_expr_column_of("other", invoices, "date")), year()));

    corm_statement *select = select_from(invoices);
    COLUMNS(select, year(), column(invoices, "id"), column(invoices, "customer.last_name"), column(invoices, "total"));
    WHERE(select, equal(column(invoices, "total"), corm_expr_select(dearest)));
    ORDER_BY(select, year(), column(invoices, "id"));
    return select;
}

static corm_statement *invoices_on_weekends(void) {
    corm_expr *weekday = CORM_CALL("strftime", text("%w"), column(invoices, "date"));
    corm_statement *select = select_from(invoices);
    COLUMNS(select, year(), count_all());
    WHERE(select, corm_expr_in(weekday, CORM_VALUES(corm_value_text("0"), corm_value_text("6"))));
    GROUP_BY(select, year());
    ORDER_BY(select, year());
    return select;
}

static corm_statement *countries_without_jazz(void) {
    corm_statement *with_jazz = select_from(invoice_lines);
    COLUMNS(with_jazz, column(invoice_lines, "invoice.country"));
    WHERE(with_jazz, equal(column(invoice_lines, "track.genre.name"), text("Jazz")));

    corm_statement *select = select_from(invoices);
    COLUMNS(select, column(invoices, "country"));
    corm_statement_compound(select, CORM_EXCEPT, with_jazz);
    ORDER_BY(select, column(invoices, "country"));
    return select;
}

const question sales_questions[] = {
    QUESTION(invoices_per_year),
    QUESTION(running_total_by_month),
    QUESTION(average_of_three_months),
    QUESTION(months_with_a_loss),
    QUESTION(best_selling_genre_per_country),
    QUESTION(genres_at_home_and_abroad),
    QUESTION(top_ten_artists),
    QUESTION(tracks_never_sold),
    QUESTION(dearest_invoice_of_each_year),
    QUESTION(invoices_on_weekends),
    QUESTION(countries_without_jazz),
    {0},
};
