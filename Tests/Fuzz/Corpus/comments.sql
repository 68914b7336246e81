/* a */ CREATE -- b
TABLE/**/n(a/*, ) ' */, b --
) -- c