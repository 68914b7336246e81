extension Float {
    /// A number rounded to 32 bits; nil where only infinity would be left of it.
    @inlinable @inline(__always)
    package init?(rounding value: Double) {
        let rounded = Float(value)
        if rounded.isInfinite, !value.isInfinite { return nil }
        self = rounded
    }
}
