CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE album (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER NOT NULL, price REAL,
    artist_id INTEGER NOT NULL REFERENCES artist (id) ON DELETE CASCADE
);
CREATE INDEX album_artist ON album (artist_id);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE album_tag (
    id INTEGER PRIMARY KEY,
    album_id INTEGER NOT NULL REFERENCES album (id) ON DELETE CASCADE,
    tag_id INTEGER NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
    UNIQUE (album_id, tag_id)
);
INSERT INTO artist VALUES (1, 'Nina'), (2, 'Otto'), (3, 'Pia');
INSERT INTO album VALUES
    (1, 'Deep Sea', 1998, 9.5, 1), (2, 'Seasons', 2004, 12.0, 1), (3, 'Off', 1987, NULL, 2),
    (4, '50% Off', 2004, 7.5, 2), (5, 'North', 2011, 15.0, 1);
INSERT INTO tag VALUES (1, 'jazz'), (2, 'live'), (3, 'folk');
INSERT INTO album_tag VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 4, 3);
