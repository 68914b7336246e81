import Cormorant
import EdgeValues

guard CommandLine.arguments.count == 2 else { fatalError("usage: edge_write FILE") }
let database = try Database(path: CommandLine.arguments[1])
try database.createTables(EdgeValues.self)
var rows = edgeRows
try database.insert(contentsOf: &rows)
try database.close()
