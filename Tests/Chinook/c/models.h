/* The Chinook database, a shop for music: its tables as structs and models. */
#ifndef MODELS_H
#define MODELS_H

#include <cormorant.h>

typedef struct artist {
    int64_t id;
    const char *name;
} artist;

typedef struct album {
    int64_t id;
    const char *title;
    int64_t artist_id;
} album;

typedef struct genre {
    int64_t id;
    const char *name;
} genre;

typedef struct media_type {
    int64_t id;
    const char *name;
} media_type;

typedef struct track {
    int64_t id;
    const char *name;
    corm_optional_int64 album_id;
    int64_t media_type_id;
    corm_optional_int64 genre_id;
    const char *composer;
    int64_t milliseconds;
    corm_optional_int64 bytes;
    double unit_price;
} track;

typedef struct playlist {
    int64_t id;
    const char *name;
} playlist;

typedef struct playlist_track {
    int64_t playlist_id;
    int64_t track_id;
} playlist_track;

typedef struct employee {
    int64_t id;
    const char *last_name;
    const char *first_name;
    const char *title;
    corm_optional_int64 reports_to;
    const char *birth_date;
    const char *hire_date;
    const char *city;
    const char *country;
    const char *email;
} employee;

typedef struct customer {
    int64_t id;
    const char *first_name;
    const char *last_name;
    const char *company;
    const char *city;
    const char *state;
    const char *country;
    const char *email;
    corm_optional_int64 agent_id;
} customer;

typedef struct invoice {
    int64_t id;
    int64_t customer_id;
    const char *date;
    const char *country;
    double total;
} invoice;

typedef struct invoice_line {
    int64_t id;
    int64_t invoice_id;
    int64_t track_id;
    double unit_price;
    int64_t quantity;
} invoice_line;

extern corm_model *artists, *albums, *genres, *media_types, *tracks, *playlists, *playlist_tracks, *employees,
    *customers, *invoices, *invoice_lines;

/* Makes the models and their relations. */
corm_status create_models(corm_error **out_error);
void free_models(void);

#endif
