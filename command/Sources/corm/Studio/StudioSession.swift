import CormorantBase
import CormorantCipher
import CormorantORM

/// The files that one server shows.
final class StudioSession: @unchecked Sendable {  // nothing of it changes
    let files: [StudioFile]
    let isWritable: Bool
    let news: StudioNews
    /// Where the first file is to get: the path of a schema or of a bundle's folder.
    let target: String?
    let isBundle: Bool
    /// What the target is opened with where it is an encrypted file.
    let keys: KeyOptions

    init(_ paths: [String], isWritable: Bool, target: String?, isBundle: Bool, _ keys: KeyOptions) {
        let news = StudioNews(files: paths.count)
        self.news = news
        self.isWritable = isWritable
        self.target = target
        self.isBundle = isBundle
        self.keys = keys
        files = paths.enumerated().map { place, path in
            StudioFile(path, isWritable: isWritable) { news.add(place) }
        }
    }

    /// The file that a request names by its place.
    func file(_ json: JSON) throws -> StudioFile {
        let place = Int(json["file"].integer ?? -1)
        guard files.indices.contains(place) else { throw malformed("there is no such file") }
        return files[place]
    }

    var json: JSON {
        [
            "version": .text(version), "isWritable": .bool(isWritable), "target": JSON(target),
            "isBundle": .bool(isBundle),
            "files": .array(
                files.map { file in
                    ["name": .text(file.name), "path": .text(file.path), "isLocked": .bool(file.isLocked)]
                }),
        ]
    }
}
