// has no member 'groupp'
import Cormorant

let unknownClause = Album.where { $0.year > 1970 && $0.title == "x" || $0.kind == .live }
    .groupp { $0.year }
    .having { _ in count() > 1 }
    .order { ($0.year.desc(), $0.title) }
    .select { ($0.year, count(), $0.title) }
    .limit(3)
