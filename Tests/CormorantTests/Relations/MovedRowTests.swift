import Testing

@testable import Cormorant

@Model(keys: [.unique("blogID", "slot")])
private struct SlotPost: Equatable {
    @Key var id: Int64?
    @References("slot_blog") var blogID: Int64?
    var slot: Int64
    @Relation var blog = ToOne<SlotBlog>.notLoaded
    @Relation(through: SlotPostTopic.self) var topics = ToMany<SlotTopic>.notLoaded
}

@Model
private struct SlotBlog: Equatable {
    @Key var id: Int64?
    @Relation var posts = ToMany<SlotPost>.notLoaded
}

@Model
private struct SlotTopic: Equatable {
    @Key var id: Int64?
    @Relation(through: SlotPostTopic.self) var posts = ToMany<SlotPost>.notLoaded
}

@Model
private struct SlotPostTopic: Hashable {
    @Key @References("slot_post") var postID: Int64
    @Key @References("slot_topic") var topicID: Int64
}

/// A row that a graph has several times, and that is to refer to another record.
struct MovedRowTests {
    @Test func whatItLeavesInAUniqueIndexIsTaken() throws {
        let database = try memoryDatabase(SlotBlog.self, SlotPost.self, SlotTopic.self, SlotPostTopic.self)
        var (first, second) = (try database.inserted(SlotBlog()), try database.inserted(SlotBlog()))
        var moved = try database.inserted(SlotPost(blogID: first.id, slot: 1))
        var other = try database.inserted(SlotPost(blogID: first.id, slot: 2))
        var topic = try database.inserted(SlotTopic())
        second.posts = .loaded([moved])
        first.posts = .loaded([other, SlotPost(slot: 1)])
        moved.blog = .loaded(second)
        other.blog = .read(first)
        topic.posts = .loaded([moved, other])
        try database.save(graph: &topic)
        let found = try database.fetchAll(SlotPost.order { $0.id })
        #expect(found.map(\.blogID) == [second.id, first.id, first.id])
        #expect(found.map(\.slot) == [1, 2, 1])
    }
}
