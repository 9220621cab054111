public import Foundation

/// Turns ids that stand in a file into listeners, so that a daemon's listeners can be chosen without building it anew.
///
/// The file is a property list (XML or binary) or JSON: an array of entries, or a dictionary with that array under
/// `listeners`. An entry is an id, or a dictionary with `id` and, where wanted, `required` (true or false; true if
/// nothing is said) and `timeout` (seconds, more than 0). Listeners stand in the order of the file.
///
/// An id is one that was registered, or the `Module.Class` name of a class that is `Constructible`.
public struct ListenerRegistry: Sendable {
  /// A class that a file can name as `Module.Class` without being registered.
  ///
  /// It is `final`, or its `init` is `required`; it is not nested in another type.
  public protocol Constructible: LifecycleListener {
    /// Makes the listener; what it throws fails the start as the listener's own failure.
    init(context: LifecycleContext) throws
  }

  /// What makes a listener from what all listeners share.
  public typealias Factory = @Sendable (LifecycleContext) async throws -> any LifecycleListener

  private struct Maker: Sendable {
    var make: Factory
  }

  /// The longest file that is read, in bytes.
  package static let mostBytes = 1 << 20

  private var makers: [String: Maker] = [:]

  /// Makes a registry that knows no id yet.
  public init() {}

  /// The ids that were registered, sorted.
  public var ids: [String] { makers.keys.sorted() }

  /// Makes an id known.
  ///
  /// - Parameters:
  ///   - id: what files call the listener; it goes before a class of the same name.
  ///   - make: makes the listener when the lifecycle begins.
  /// - Throws: `.registry` when the id is empty, or known already: of two parts of a program that choose the same id,
  ///   neither is replaced in silence.
  public mutating func register(_ id: String, _ make: @escaping Factory) throws(LifecycleError) {
    guard !id.isEmpty else {
      throw LifecycleError(.registry, message: "a listener was registered without an id", advice: "give it one")
    }
    guard makers[id] == nil else {
      throw LifecycleError(
        .registry, message: "the id \(RegistryFault.quoted(id)) was registered twice", advice: "choose another one")
    }
    makers[id] = Maker(make: make)
  }

  /// The entries of a file that is in memory; all of them or none.
  ///
  /// - Parameters:
  ///   - data: a property list or JSON, in UTF-8 unless it is binary; 1 MiB at most.
  ///   - file: how errors call it.
  /// - Throws: `.registry`, which names every fault with its line and entry, one a line. In a binary file there are no
  ///   lines.
  public func entries(parsing data: Data, named file: String) throws(LifecycleError) -> [ListenerEntry] {
    guard data.count <= Self.mostBytes else { throw Self.tooLarge(file) }
    let root: LocatedValue
    do {
      root = try LocatedValue.read(Array(data))
    } catch {
      throw LifecycleError([error], in: file)
    }
    let (items, faults) = ListenerFile.items(of: root)
    let resolutions = items.map(resolve)
    let all = faults + resolutions.compactMap(\.fault)
    guard all.isEmpty else { throw LifecycleError(Self.sorted(all), in: file) }
    return zip(items, resolutions).compactMap { item, resolution in
      resolution.maker.map { Self.entry(item, $0.make) }
    }
  }

  /// A file beyond `mostBytes`.
  package static func tooLarge(_ file: String) -> LifecycleError {
    LifecycleError(
      .registry, message: "\(file): larger than \(mostBytes) bytes", advice: "is it the file that was meant?")
  }

  private static func sorted(_ faults: [RegistryFault]) -> [RegistryFault] {
    faults.sorted { ($0.entry ?? 0, $0.line ?? 0) < ($1.entry ?? 0, $1.line ?? 0) }
  }

  private static func entry(_ item: ListenerFile.Item, _ make: @escaping Factory) -> ListenerEntry {
    let entry = ListenerEntry.factory(item.id, make)
    return item.isRequired ? entry.required(timeout: item.timeout) : entry.optional(timeout: item.timeout)
  }
}

// MARK: - Ids

extension ListenerRegistry {
  private struct Resolution {
    var maker: Maker?
    var fault: RegistryFault?
  }

  /// Ids that a complaint lists.
  private static let mostIDsListed = 8

  private func resolve(_ item: ListenerFile.Item) -> Resolution {
    if let maker = makers[item.id] { return Resolution(maker: maker) }
    let id = RegistryFault.quoted(item.id)
    var fault = RegistryFault(line: item.line, entry: item.number, what: "unknown id \(id)")
    fault.advice = Suggestion.advice(for: item.id, among: ids) ?? listing
    guard Self.isClassName(item.id) else { return Resolution(fault: fault) }
    guard let type = NSClassFromString(item.id) else {
      fault.what = "there is no id and no class \(id)"
      return Resolution(fault: fault)
    }
    guard let type = type as? any Constructible.Type else {
      fault.what = "the class \(id) is not ListenerRegistry.Constructible"
      fault.advice = "make it conform, or register a factory"
      return Resolution(fault: fault)
    }
    return Resolution(maker: Maker { try type.init(context: $0) })
  }

  private var listing: String {
    let known = ids
    guard !known.isEmpty else { return "no id is registered" }
    let rest = known.count - Self.mostIDsListed
    let names = known.prefix(Self.mostIDsListed).map(RegistryFault.quoted).joined(separator: ", ")
    return rest > 0 ? "known are \(names) and \(rest) more" : "known are \(names)"
  }

  /// Two identifiers with a dot between them: nothing else is shown to the runtime's search for types.
  private static func isClassName(_ id: String) -> Bool {
    let parts = id.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 2 && id.utf8.count <= 256 && parts.allSatisfy(isIdentifier)
  }

  private static func isIdentifier(_ name: Substring.UTF8View) -> Bool {
    guard let first = name.first, Character(Unicode.Scalar(first)).isNumber == false else { return false }
    return name.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }
  }
}
