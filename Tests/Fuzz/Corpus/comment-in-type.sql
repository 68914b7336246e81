CREATE TABLE n(a DEN /*/* nota */ MESTAMP)
