import Cormorant
import Testing

@Model
private struct Blog: Equatable {
    @Key var id: Int64?
    var name: String
    @Relation var posts = ToMany<Post>.notLoaded
}

@Model
private struct Post: Equatable {
    @Key var id: Int64?
    @References("blog") var blogID: Int64?
    @Column(version: true) var version: Int
    var title: String
    @Relation var blog = ToOne<Blog>.notLoaded
    @Relation(through: PostTopic.self, removed: .delete) var topics = ToMany<Topic>.notLoaded
}

@Model
private struct Topic: Equatable {
    @Key var id: Int64?
    @Column(version: true) var version: Int
    var word: String
    @Relation(through: PostTopic.self) var posts = ToMany<Post>.notLoaded
}

@Model
private struct PostTopic: Equatable {
    @Key @References("post") var postID: Int64
    @Key @References("topic") var topicID: Int64
}

/// Records are values: a row that a graph leads to by several ways is there several times.
struct GraphCopiesTests {
    private let database: Database

    /// Two posts in one blog, both with one topic.
    init() throws {
        database = try memoryDatabase(Blog.self, Post.self, Topic.self, PostTopic.self)
        let topics = [Topic(version: 0, word: "old")]
        var blog = Blog(
            name: "Blog",
            posts: .loaded([Post(version: 0, title: "One", topics: .loaded(topics)), Post(version: 0, title: "Two")]))
        try database.save(graph: &blog)
        _ = try database.inserted(PostTopic(postID: 2, topicID: 1))
    }

    private func blog() throws -> Blog {
        try #require(try database.fetchOne(Blog.load(\.posts) { $0.order { $0.id }.load(\.topics) }))
    }

    @Test func aRowIsSavedOnceAndAllItsCopiesAreAsItIsThen() throws {
        var blog = try blog()
        try database.save(graph: &blog)
        #expect(try blog.posts.records.map { try $0.topics.records[0].version } == [2, 2])
        #expect(try database.find(Topic.self, key: 1)?.version == 2)
        // Once more, from what that left, and the way round.
        try database.save(graph: &blog)
        var post = try #require(
            try database.fetchOne(Post.where { $0.id == 1 }.load(\.blog) { $0.load(\.posts) { $0.order { $0.id } } }))
        try database.save(graph: &post)
        #expect(try post.version == 4 && post.blog.record?.posts.records.map(\.version) == [4, 4])
    }

    @Test func theCopyThatWasChangedCounts() throws {
        for place in 0...1 {
            var blog = try blog()
            var posts = try blog.posts.records
            var topic = try posts[place].topics.records[0]
            topic.word = "new \(place)"
            posts[place].topics = .loaded([topic])
            blog.posts = .loaded(posts)
            try database.save(graph: &blog)
            #expect(try database.find(Topic.self, key: 1)?.word == "new \(place)")
            #expect(try blog.posts.records.allSatisfy { try $0.topics.records[0].word == "new \(place)" })
        }
        var topic = try #require(try database.fetchOne(Topic.load(\.posts) { $0.load(\.topics) }))
        topic.word = "newest"
        try database.save(graph: &topic)
        #expect(try database.find(Topic.self, key: 1)?.word == "newest")
    }

    @Test func copiesThatWereChangedInDifferentWaysAreRefused() throws {
        var blog = try blog()
        var posts = try blog.posts.records
        for place in 0...1 {
            var topic = try posts[place].topics.records[0]
            topic.word = "\(place)"
            posts[place].topics = .loaded([topic])
        }
        blog.posts = .loaded(posts)
        let error = expectError(.misuse) { try database.save(graph: &blog) }
        #expect(error?.plainMessage == "Topic 1 is several times in what is saved, each with other values")
        #expect(try database.find(Topic.self, key: 1)?.word == "old")
    }

    @Test func aRecordIsInOneListOnly() throws {
        var other = Blog(name: "Other")
        try database.save(&other)
        var topic = try #require(
            try database.fetchOne(
                Topic.load(\.posts) { $0.order { $0.id }.load(\.blog) { $0.load(\.posts) { $0.order { $0.id } } } }))
        var posts = try topic.posts.records
        other.posts = .loaded([posts[0]])
        posts[1].blog = .loaded(other)
        topic.posts = .loaded(posts)
        let error = expectError(.misuse) { try database.save(graph: &topic) }
        #expect(error?.plainMessage == "Post.blogID would refer to two records")
        #expect(try database.fetchAll(Post.order { $0.id }).map(\.blogID) == [1, 1])
    }

    @Test func whatALaterCopyRefersToAllHaveInTheEnd() throws {
        var topic = try #require(
            try database.fetchOne(
                Topic.load(\.posts) { $0.order { $0.id }.load(\.topics) { $0.load(\.posts) { $0.order { $0.id } } } }))
        var posts = try topic.posts.records
        var topics = try posts[0].topics.records
        var inner = try topics[0].posts.records
        inner[0].blog = .loaded(nil)
        topics[0].posts = .loaded(inner)
        posts[0].topics = .loaded(topics)
        topic.posts = .loaded(posts)
        for _ in 0..<2 {
            try database.save(graph: &topic)
            #expect(try database.fetchAll(Post.order { $0.id }).map(\.blogID) == [nil, 1])
            #expect(try topic.posts.records.map(\.blogID) == [nil, 1])
        }
    }

    @Test func aListThatTakesARecordOverForgetsWhatItWasLoadedWith() throws {
        var other = Blog(name: "Other")
        try database.save(&other)
        let post = try #require(try database.fetchOne(Post.where { $0.id == 1 }.load(\.blog)))
        other.posts = .loaded([post])
        try database.save(graph: &other)
        var moved = try other.posts.records[0]
        #expect(moved.blogID == 2 && !moved.blog.isLoaded)
        moved.title = "Moved"
        try database.save(graph: &moved)
        #expect(try database.find(Post.self, key: 1)?.blogID == 2)
    }
}
