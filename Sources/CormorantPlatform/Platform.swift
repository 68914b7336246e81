/// The C library of the platform, for all targets: nobody else names it.
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#elseif canImport(Android)
    @_exported import Android
#else
    @_exported import Darwin
#endif
