public import Foundation
public import Mediator
internal import MediatorLinux

extension ListenerRegistry {
  /// The entries of a file; all of them or none.
  ///
  /// Reads the file at once, so call it before the lifecycle begins.
  ///
  /// - Parameter file: a regular file of 1 MiB at most: a property list (XML or binary) or JSON.
  /// - Throws: `.registry`, which names the file, and every fault in it with its line and entry, one a line.
  public func entries(contentsOf file: URL) throws(LifecycleError) -> [ListenerEntry] {
    guard file.isFileURL else {
      throw LifecycleError(
        .registry, message: "\(file.absoluteString): this is not the URL of a file",
        advice: "use URL(filePath:)")
    }
    let path = file.path(percentEncoded: false)
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.read(path, limit: Self.mostBytes)
    } catch {
      throw Self.unreadable(path, error)
    }
    return try entries(parsing: Data(bytes), named: path)
  }

  private static func unreadable(_ path: String, _ error: LinuxError) -> LifecycleError {
    guard error.code != POSIXErrorCode.EFBIG.rawValue else { return tooLarge(path) }
    return LifecycleError(
      .registry, message: "\(path): \(LinuxError.text(error.code))", advice: advice(error.code), errno: error.code)
  }

  private static func advice(_ code: Int32) -> String {
    switch code {
    case POSIXErrorCode.ENOENT.rawValue, POSIXErrorCode.ENOTDIR.rawValue: "put the file there, or mend its path"
    case POSIXErrorCode.EACCES.rawValue: "let the service's user read it"
    case POSIXErrorCode.EISDIR.rawValue, POSIXErrorCode.ENODEV.rawValue: "name a regular file"
    default: "see that the file can be read"
    }
  }
}
