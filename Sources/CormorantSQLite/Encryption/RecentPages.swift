/// A few pages and the images they stand for in the file or its log, so that a page that is read again need not be
/// decrypted again: the first page, which SQLite looks at whenever it begins, and what it reads anew after a commit of its
/// own to a log (`LogIndex`). A page is given back only for the very bytes that were authentic before.
final class RecentPages {
    private struct Slot {
        var number: UInt32 = 0
        let image: PageBuffer
        let page: PageBuffer
    }

    private static let count = 32
    private let pageSize: Int
    private var slots: [Slot]
    private var wanted = 0

    init(pageSize: Int) {
        self.pageSize = pageSize
        slots = [Slot(image: PageBuffer(pageSize), page: PageBuffer(pageSize))]
    }

    /// SQLite has forgotten its pages: those that are read or written next are worth remembering. Not those of a scan.
    func willReadAgain() {
        wanted = RecentPages.count
        while slots.count <= RecentPages.count {
            slots.append(Slot(image: PageBuffer(pageSize), page: PageBuffer(pageSize)))
        }
    }

    /// The page that was last remembered under the number.
    func page(_ number: UInt32) -> UnsafeRawPointer? {
        let slot = index(number)
        guard slot < slots.count, slots[slot].number == number else { return nil }
        return UnsafeRawPointer(slots[slot].page.bytes)
    }

    /// The page that an image stands for, if it is known.
    func page(_ number: UInt32, as image: UnsafeRawPointer) -> UnsafeRawPointer? {
        guard let page = page(number), sameBytes(image, slots[index(number)].image.bytes, pageSize) else { return nil }
        return page
    }

    /// Keeps an image that is about to be decrypted in place; `remember` says what it stood for.
    func prepare(_ number: UInt32, _ image: UnsafeRawPointer) {
        forget(number)
        guard number == 1 || wanted > 0 else { return }
        slots[index(number)].image.bytes.copyMemory(from: image, byteCount: pageSize)
    }

    func remember(_ number: UInt32, _ page: UnsafeRawPointer) {
        guard number == 1 || wanted > 0 else { return }
        if number != 1 { wanted &-= 1 }
        let slot = index(number)
        slots[slot].number = number
        slots[slot].page.bytes.copyMemory(from: page, byteCount: pageSize)
    }

    func forget(_ number: UInt32) {
        let slot = index(number)
        if slot < slots.count { slots[slot].number = 0 }
    }

    private func index(_ number: UInt32) -> Int {
        number == 1 ? 0 : 1 &+ Int(number) % RecentPages.count
    }
}
