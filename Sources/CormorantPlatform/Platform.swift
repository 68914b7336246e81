/// The C library of the platform, for all targets: nobody else names it.
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#elseif canImport(Android)
    @_exported import Android
#elseif canImport(Darwin)
    @_exported import Darwin
#else
    #error("Cormorant runs on Linux, Android and the systems of Apple")
#endif
