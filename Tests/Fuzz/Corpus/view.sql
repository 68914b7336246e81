CREATE VIEW n("A", b) AS WITH x AS (SELECT 1) SELECT 1, ';' FROM "x" -- why
;