/// The one face between the configuration and the file system, so that everything else is tested with folders in
/// memory.
protocol ConfigurationSource: Sendable {
  /// The names in a folder, without `.` and `..`, in any order.
  func list(_ folder: String) throws(SourceProblem) -> FolderListing

  /// The content of a regular file, or of what masks one; never blocks, never reads more than `limit` bytes.
  func read(_ path: String, limit: Int) throws(SourceProblem) -> FileContent
}

/// Who owns a file or folder, and who may write to it.
struct FileOwnership: Sendable, Equatable {
  var user: UInt32
  /// The permission bits of stat(2).
  var mode: UInt32
}

struct FolderListing: Sendable, Equatable {
  /// As bytes: a file name need not be UTF-8.
  var names: [[UInt8]]
  var ownership: FileOwnership
}

struct FileContent: Sendable, Equatable {
  /// nil for the null device, which masks.
  var bytes: [UInt8]?
  var ownership: FileOwnership
  /// The folder in which the file really lies, links followed.
  var folder: String
  var folderOwnership: FileOwnership

  /// An empty file or a link to `/dev/null` stands for "as if there were none".
  var isMask: Bool { bytes?.isEmpty ?? true }
}

/// Why a file or folder could not be read.
enum SourceProblem: Error, Equatable {
  case missing, brokenLink, notAFolder, isAFolder, tooLarge
  /// A pipe, socket or device.
  case notAFile
  /// What strerror(3) says.
  case failed(String)

  var what: String {
    switch self {
    case .missing: "it does not exist"
    case .brokenLink: "this link leads nowhere"
    case .notAFolder: "this is not a folder"
    case .isAFolder: "this is a folder, not a file"
    case .tooLarge: "this file is too large"
    case .notAFile: "this is neither a regular file nor a link to /dev/null"
    case .failed(let reason): "cannot be read: \(reason)"
    }
  }
}
