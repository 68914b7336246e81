// cannot convert value of type 'Plain' to expected element type '(any BindableValue)?'
import Cormorant

func bindingOfNoColumnType(_ database: Database, _ plain: Plain) throws {
    _ = try database.query("SELECT ?", [plain])
}
