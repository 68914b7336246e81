import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What moving rows needs to know of a model's columns, side by side.
package final class ColumnTypes {
    package struct Column {
        package let type: ColumnType
        package let isUnsigned: Bool
        package let isNotNull: Bool
        /// What is stored where nothing is to be checked or converted, one of `StorageType`; 0 where something always is.
        package let plain: Int32

        fileprivate init(_ column: ColumnDescriptor) {
            self.init(column.type, isUnsigned: column.isUnsigned, isNotNull: column.notNull && column.stamp == nil)
        }

        package init(_ type: ColumnType, isUnsigned: Bool, isNotNull: Bool) {
            self.type = type
            self.isUnsigned = isUnsigned
            self.isNotNull = isNotNull
            plain =
                switch type {
                case .int64 where !isUnsigned: StorageType.integer
                case .text: StorageType.text
                case .double: StorageType.real
                default: 0
                }
        }
    }

    package let columns: UnsafeMutablePointer<Column>
    package let count: Int

    package init(_ model: ModelDescriptor) {
        count = model.columns.count
        columns = .allocate(capacity: count)
        for (index, column) in model.columns.enumerated() { (columns + index).initialize(to: Column(column)) }
    }

    deinit { columns.deallocate() }
}
