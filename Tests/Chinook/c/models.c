#include "models.h"

corm_model *artists, *albums, *genres, *media_types, *tracks, *playlists, *playlist_tracks, *employees, *customers,
    *invoices, *invoice_lines;

static const corm_column_def artist_columns[] = {
    CORM_COLUMN(artist, id, CORM_INT64, .column = "ArtistId", .primary_key = true),
    CORM_COLUMN(artist, name, CORM_TEXT, .column = "Name"),
};

static const corm_column_def album_columns[] = {
    CORM_COLUMN(album, id, CORM_INT64, .column = "AlbumId", .primary_key = true),
    CORM_COLUMN(album, title, CORM_TEXT, .column = "Title", .not_null = true),
    CORM_COLUMN(album, artist_id, CORM_INT64, .column = "ArtistId", .references_table = "Artist"),
};

static const corm_column_def genre_columns[] = {
    CORM_COLUMN(genre, id, CORM_INT64, .column = "GenreId", .primary_key = true),
    CORM_COLUMN(genre, name, CORM_TEXT, .column = "Name"),
};

static const corm_column_def media_type_columns[] = {
    CORM_COLUMN(media_type, id, CORM_INT64, .column = "MediaTypeId", .primary_key = true),
    CORM_COLUMN(media_type, name, CORM_TEXT, .column = "Name"),
};

static const corm_column_def track_columns[] = {
    CORM_COLUMN(track, id, CORM_INT64, .column = "TrackId", .primary_key = true),
    CORM_COLUMN(track, name, CORM_TEXT, .column = "Name", .not_null = true),
    CORM_COLUMN(track, album_id, CORM_INT64, .column = "AlbumId", .references_table = "Album"),
    CORM_COLUMN(track, media_type_id, CORM_INT64, .column = "MediaTypeId", .references_table = "MediaType"),
    CORM_COLUMN(track, genre_id, CORM_INT64, .column = "GenreId", .references_table = "Genre"),
    CORM_COLUMN(track, composer, CORM_TEXT, .column = "Composer"),
    CORM_COLUMN(track, milliseconds, CORM_INT64, .column = "Milliseconds"),
    CORM_COLUMN(track, bytes, CORM_INT64, .column = "Bytes"),
    CORM_COLUMN(track, unit_price, CORM_DOUBLE, .column = "UnitPrice"),
};

static const corm_column_def playlist_columns[] = {
    CORM_COLUMN(playlist, id, CORM_INT64, .column = "PlaylistId", .primary_key = true),
    CORM_COLUMN(playlist, name, CORM_TEXT, .column = "Name"),
};

static const corm_column_def playlist_track_columns[] = {
    CORM_COLUMN(playlist_track, playlist_id, CORM_INT64, .column = "PlaylistId", .primary_key = true,
                .references_table = "Playlist"),
    CORM_COLUMN(playlist_track, track_id, CORM_INT64, .column = "TrackId", .primary_key = true,
                .references_table = "Track"),
};

static const corm_column_def employee_columns[] = {
    CORM_COLUMN(employee, id, CORM_INT64, .column = "EmployeeId", .primary_key = true),
    CORM_COLUMN(employee, last_name, CORM_TEXT, .column = "LastName", .not_null = true),
    CORM_COLUMN(employee, first_name, CORM_TEXT, .column = "FirstName", .not_null = true),
    CORM_COLUMN(employee, title, CORM_TEXT, .column = "Title"),
    CORM_COLUMN(employee, reports_to, CORM_INT64, .column = "ReportsTo", .references_table = "Employee"),
    CORM_COLUMN(employee, birth_date, CORM_TEXT, .column = "BirthDate"),
    CORM_COLUMN(employee, hire_date, CORM_TEXT, .column = "HireDate"),
    CORM_COLUMN(employee, city, CORM_TEXT, .column = "City"),
    CORM_COLUMN(employee, country, CORM_TEXT, .column = "Country"),
    CORM_COLUMN(employee, email, CORM_TEXT, .column = "Email"),
};

static const corm_column_def customer_columns[] = {
    CORM_COLUMN(customer, id, CORM_INT64, .column = "CustomerId", .primary_key = true),
    CORM_COLUMN(customer, first_name, CORM_TEXT, .column = "FirstName", .not_null = true),
    CORM_COLUMN(customer, last_name, CORM_TEXT, .column = "LastName", .not_null = true),
    CORM_COLUMN(customer, company, CORM_TEXT, .column = "Company"),
    CORM_COLUMN(customer, city, CORM_TEXT, .column = "City"),
    CORM_COLUMN(customer, state, CORM_TEXT, .column = "State"),
    CORM_COLUMN(customer, country, CORM_TEXT, .column = "Country"),
    CORM_COLUMN(customer, email, CORM_TEXT, .column = "Email", .not_null = true),
    CORM_COLUMN(customer, agent_id, CORM_INT64, .column = "SupportRepId", .references_table = "Employee"),
};

static const corm_column_def invoice_columns[] = {
    CORM_COLUMN(invoice, id, CORM_INT64, .column = "InvoiceId", .primary_key = true),
    CORM_COLUMN(invoice, customer_id, CORM_INT64, .column = "CustomerId", .references_table = "Customer"),
    CORM_COLUMN(invoice, date, CORM_TEXT, .column = "InvoiceDate", .not_null = true),
    CORM_COLUMN(invoice, country, CORM_TEXT, .column = "BillingCountry"),
    CORM_COLUMN(invoice, total, CORM_DOUBLE, .column = "Total"),
};

static const corm_column_def invoice_line_columns[] = {
    CORM_COLUMN(invoice_line, id, CORM_INT64, .column = "InvoiceLineId", .primary_key = true),
    CORM_COLUMN(invoice_line, invoice_id, CORM_INT64, .column = "InvoiceId", .references_table = "Invoice"),
    CORM_COLUMN(invoice_line, track_id, CORM_INT64, .column = "TrackId", .references_table = "Track"),
    CORM_COLUMN(invoice_line, unit_price, CORM_DOUBLE, .column = "UnitPrice"),
    CORM_COLUMN(invoice_line, quantity, CORM_INT64, .column = "Quantity"),
};

static const struct {
    corm_model **model;
    corm_model_def definition;
} models[] = {
    {&artists, CORM_MODEL(artist, "Artist", artist_columns, .table = "Artist")},
    {&albums, CORM_MODEL(album, "Album", album_columns, .table = "Album")},
    {&genres, CORM_MODEL(genre, "Genre", genre_columns, .table = "Genre")},
    {&media_types, CORM_MODEL(media_type, "MediaType", media_type_columns, .table = "MediaType")},
    {&tracks, CORM_MODEL(track, "Track", track_columns, .table = "Track")},
    {&playlists, CORM_MODEL(playlist, "Playlist", playlist_columns, .table = "Playlist")},
    {&playlist_tracks, CORM_MODEL(playlist_track, "PlaylistTrack", playlist_track_columns, .table = "PlaylistTrack")},
    {&employees, CORM_MODEL(employee, "Employee", employee_columns, .table = "Employee")},
    {&customers, CORM_MODEL(customer, "Customer", customer_columns, .table = "Customer")},
    {&invoices, CORM_MODEL(invoice, "Invoice", invoice_columns, .table = "Invoice")},
    {&invoice_lines, CORM_MODEL(invoice_line, "InvoiceLine", invoice_line_columns, .table = "InvoiceLine")},
};

static const struct {
    corm_model **model;
    const char *name;
    int32_t kind;
    corm_model **target;
    corm_model **junction;
} relations[] = {
    {&artists, "albums", CORM_TO_MANY, &albums, NULL},
    {&albums, "artist", CORM_TO_ONE, &artists, NULL},
    {&albums, "tracks", CORM_TO_MANY, &tracks, NULL},
    {&genres, "tracks", CORM_TO_MANY, &tracks, NULL},
    {&tracks, "album", CORM_TO_ONE, &albums, NULL},
    {&tracks, "media_type", CORM_TO_ONE, &media_types, NULL},
    {&tracks, "genre", CORM_TO_ONE, &genres, NULL},
    {&tracks, "lines", CORM_TO_MANY, &invoice_lines, NULL},
    {&tracks, "playlists", CORM_MANY_TO_MANY, &playlists, &playlist_tracks},
    {&playlists, "tracks", CORM_MANY_TO_MANY, &tracks, &playlist_tracks},
    {&employees, "manager", CORM_TO_ONE, &employees, NULL},
    {&employees, "customers", CORM_TO_MANY, &customers, NULL},
    {&customers, "agent", CORM_TO_ONE, &employees, NULL},
    {&customers, "invoices", CORM_TO_MANY, &invoices, NULL},
    {&invoices, "customer", CORM_TO_ONE, &customers, NULL},
    {&invoices, "lines", CORM_TO_MANY, &invoice_lines, NULL},
    {&invoice_lines, "invoice", CORM_TO_ONE, &invoices, NULL},
    {&invoice_lines, "track", CORM_TO_ONE, &tracks, NULL},
};

corm_status create_models(corm_error **out_error) {
    corm_status status = CORM_OK;
    for (size_t i = 0; status == CORM_OK && i < sizeof models / sizeof *models; i += 1)
        status = corm_model_create(&models[i].definition, models[i].model, out_error);
    for (size_t i = 0; status == CORM_OK && i < sizeof relations / sizeof *relations; i += 1) {
        const corm_relation_def definition = {
            .struct_size = sizeof definition,
            .name = relations[i].name,
            .kind = relations[i].kind,
            .target = *relations[i].target,
            .junction = relations[i].junction == NULL ? NULL : *relations[i].junction,
        };
        status = corm_relation_add(*relations[i].model, &definition, out_error);
    }
    return status;
}

void free_models(void) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i += 1)
        corm_model_free(*models[i].model);
}
