// has no member 'id'
import Cormorant

let columnsOfAPlainRecord = Plain.where { $0.id == 3 }
