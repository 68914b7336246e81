// One import gives a program the whole library: `import Cormorant`.
@_exported import CormorantBase
@_exported import CormorantKeyValue
@_exported import CormorantCipher
@_exported import CormorantMigrations
@_exported import CormorantORM
@_exported import CormorantQuery
@_exported import CormorantSQLite
