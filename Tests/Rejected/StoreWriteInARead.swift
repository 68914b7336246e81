// value of type 'KeyValueReader' has no member 'put'
import Cormorant

func storeWriteInARead(_ reader: Reader) throws {
    try reader.store("settings").put("x", 1)
}
