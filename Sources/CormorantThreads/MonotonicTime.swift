import CormorantPlatform

/// Nanoseconds of a clock that nobody sets: they only go forward.
package func monotonicTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

/// The same some milliseconds late, in an eighth of the time.
package func coarseTime() -> Int64 {
    #if canImport(Darwin)
        return Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX))
    #else
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    #endif
}

/// Nanoseconds since 1970, by a clock that may be set.
package func wallTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

package func sleepMilliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }

/// When so many milliseconds after another time are over; never where that is more than the clock can tell.
package func time(after milliseconds: Int, from begin: Int64 = monotonicTime()) -> Int64 {
    let (nanoseconds, isTooLong) = Int64(clamping: milliseconds).multipliedReportingOverflow(by: 1_000_000)
    let (end, isTooLate) = begin.addingReportingOverflow(nanoseconds)
    return isTooLong || isTooLate ? .max : end
}
