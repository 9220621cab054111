internal import Glibc

/// Reads configuration from the real file system; what is reported about a file is what fstat(2) says of the
/// opened one.
struct SystemConfigurationSource: ConfigurationSource {
  func list(_ folder: String) throws(SourceProblem) -> FolderListing {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.problem(errno) }
    let status: stat
    do {
      status = try Self.status(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    guard let stream = unsafe fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      throw Self.problem(code)
    }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw Self.problem(errno) }
        break
      }
      // Up to its NUL only: a record may be shorter than the structure.
      let start = unsafe UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
      let length = unsafe strlen(start.assumingMemoryBound(to: CChar.self))
      let name = unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
    return FolderListing(names: names, ownership: Self.ownership(status))
  }

  func read(_ path: String, limit: Int) throws(SourceProblem) -> FileContent {
    let real = try Self.realPath(path)
    let slash = real.lastIndex(of: "/") ?? real.startIndex
    let folder = slash == real.startIndex ? "/" : String(real[..<slash])
    let name = String(real[real.index(after: slash)...])
    let folderDescriptor = unsafe open(folder, Self.pathOnly | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folderDescriptor >= 0 else { throw Self.problem(errno) }
    defer { close(folderDescriptor) }
    let folderOwnership = Self.ownership(try Self.status(folderDescriptor))

    // Looked at before it is opened: opening a device can have effects, opening a socket fails oddly.
    var early = stat()
    guard unsafe fstatat(folderDescriptor, name, &early, AT_SYMLINK_NOFOLLOW) == 0 else { throw Self.problem(errno) }
    if Self.isNullDevice(early) {
      return FileContent(
        bytes: nil, ownership: Self.ownership(early), folder: folder, folderOwnership: folderOwnership)
    }
    try Self.checkKind(early)
    let descriptor = unsafe openat(folderDescriptor, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.problem(errno) }
    defer { close(descriptor) }
    let status = try Self.status(descriptor)
    try Self.checkKind(status)
    return FileContent(
      bytes: try Self.bytes(of: descriptor, size: Int(status.st_size), limit: limit),
      ownership: Self.ownership(status), folder: folder, folderOwnership: folderOwnership)
  }
}

extension SystemConfigurationSource {
  /// `O_PATH`, which Glibc's module lacks; the same number on every Linux that Swift runs on.
  private static let pathOnly: Int32 = 0o10000000

  private static func realPath(_ path: String) throws(SourceProblem) -> String {
    guard let resolved = unsafe realpath(path, nil) else {
      let code = errno
      var status = stat()
      let isLink = unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
      throw isLink && (code == ENOENT || code == ELOOP || code == ENOTDIR) ? .brokenLink : problem(code)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func status(_ descriptor: Int32) throws(SourceProblem) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw problem(errno) }
    return status
  }

  private static func ownership(_ status: stat) -> FileOwnership {
    FileOwnership(user: status.st_uid, mode: status.st_mode & 0o7777)
  }

  private static func isNullDevice(_ status: stat) -> Bool {
    // Character device 1:3, by number: in a container it may lie anywhere.
    status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 0x103
  }

  private static func checkKind(_ status: stat) throws(SourceProblem) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw .isAFolder
    case S_IFLNK: throw .failed("it was replaced while it was read")
    default: throw .notAFile
    }
  }

  /// The file may grow while it is read, so its size is only a first answer.
  private static func bytes(of descriptor: Int32, size: Int, limit: Int) throws(SourceProblem) -> [UInt8] {
    if size > limit { throw .tooLarge }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: max(4096, size + 1))
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw problem(errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > limit { throw .tooLarge }
    }
  }

  private static func problem(_ code: Int32) -> SourceProblem {
    switch code {
    case ENOENT: .missing
    case ENOTDIR: .notAFolder
    default: .failed(unsafe String(cString: strerror(code)))
    }
  }
}
