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

extension stat {
    /// When the file was written last, which systems name otherwise.
    package var written: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}
