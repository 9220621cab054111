/// What the readers of `.hook` and `.process` files share: faults at a line, specifiers, commands, the keys of
/// systemd.exec(5), and `After=`.
struct EntryReader {
  let specifiers: Specifiers
  var findings = Findings()
  /// Keys that had a fault, so that "there is no Exec=" is not said on top of "this Exec= is wrong".
  private(set) var faulty: Set<String> = []

  init(specifiers: Specifiers) {
    self.specifiers = specifiers
  }

  mutating func fault(_ entry: UnitFile.Entry, _ what: String, advice: String? = nil) {
    faulty.insert(entry.key)
    findings.fault(at: entry, "\(entry.key)=: \(what)", advice: advice)
  }

  mutating func fault(_ entry: UnitFile.Entry, _ problem: ValueParser.Problem) {
    fault(entry, problem.what, advice: problem.advice)
  }

  mutating func warn(_ entry: UnitFile.Entry, _ what: String, advice: String? = nil) {
    findings.warn(at: entry, "\(entry.key)=: \(what)", advice: advice)
  }

  mutating func expand(_ text: String, _ entry: UnitFile.Entry) -> String {
    var problems: [Specifiers.Problem] = []
    let expanded = specifiers.expand(text, problems: &problems)
    for problem in problems { fault(entry, problem.what, advice: problem.advice) }
    return expanded
  }

  /// A value with specifiers; empty takes back what stood before.
  mutating func optional(_ entry: UnitFile.Entry, _ parse: (String) throws(ValueParser.Problem) -> String)
    throws(ValueParser.Problem) -> String?
  {
    let value = expand(entry.value, entry)
    return value.isEmpty ? nil : try parse(value)
  }

  /// The commands of a value that is not empty, without those that have a fault.
  mutating func commands(_ entry: UnitFile.Entry) -> [HookCommand] { commands(in: entry.value, entry) }

  /// The commands in a part of an entry's value.
  mutating func commands(in text: String, _ entry: UnitFile.Entry) -> [HookCommand] {
    let split = CommandSplitter.split(text)
    for escape in split.unknownEscapes {
      warn(entry, "the unknown escape \(escape) stays as it is", advice: "write \\\(escape) to say so")
    }
    if let problem = split.problem {
      fault(entry, problem)
      return []
    }
    if split.commands.isEmpty { fault(entry, "there is no program to run") }
    var commands: [HookCommand] = []
    for words in split.commands {
      do throws(HookCommand.Problem) {
        commands.append(try HookCommand(words: words.map { expand($0, entry) }))
      } catch {
        fault(entry, error.what, advice: error.advice)
      }
    }
    return commands
  }

  /// The words of a value that is a list.
  static func words(_ value: String) -> [String] {
    value.split { $0 == " " || $0 == "\t" }.map(String.init)
  }
}

// MARK: systemd.exec(5)

extension EntryReader {
  /// Takes an entry whose key is one of systemd.exec(5).
  mutating func take(_ entry: UnitFile.Entry, into context: inout some ExecutionContext) throws(ValueParser.Problem) {
    switch entry.key {
    case "User": context.user = try optional(entry, ValueParser.account)
    case "Group": context.group = try optional(entry, ValueParser.account)
    case "WorkingDirectory": context.workingDirectory = try optional(entry, ValueParser.absolutePath)
    case "Environment": takeEnvironment(entry, into: &context.environment)
    case "EnvironmentFile": try takeEnvironmentFile(entry, into: &context.environmentFiles)
    default: break
    }
  }

  private mutating func takeEnvironment(_ entry: UnitFile.Entry, into environment: inout [EnvironmentVariable]) {
    if entry.value.isEmpty { environment = [] }
    var words = WordExtractor(entry.value)
    do throws(WordExtractor.Problem) {
      while let word = try words.next() {
        // Unlike Exec=, systemd takes no escape here that it does not know.
        for escape in word.unknownEscapes {
          fault(entry, "\(escape) is no known escape", advice: "write \\\(escape) for a literal backslash")
        }
        let text = expand(word.text, entry)
        if let variable = EnvironmentVariable(assignment: text) {
          environment.append(variable)
        } else {
          let advice = "write NAME=VALUE, and quotes around all of it where the value has blanks"
          fault(entry, "\(text.quoted) is not an assignment", advice: advice)
        }
      }
    } catch {
      switch error {
      case .unclosedQuote(let quote): fault(entry, "the quote \(quote) is not closed")
      case .notUTF8: fault(entry, "the escapes do not give valid UTF-8")
      }
    }
  }

  private mutating func takeEnvironmentFile(
    _ entry: UnitFile.Entry, into files: inout [HookDefinition.EnvironmentSource]
  ) throws(ValueParser.Problem) {
    if entry.value.isEmpty {
      files = []
      return
    }
    let value = expand(entry.value, entry)
    let mayBeMissing = value.hasPrefix("-")
    let path = try ValueParser.absolutePath(mayBeMissing ? String(value.dropFirst()) : value)
    if path.contains(where: { "*?[".contains($0) }) {
      throw ValueParser.Problem(
        what: "wildcards are not supported in \(path.quoted)", advice: "write one line per file")
    }
    files.append(.init(path: path, mayBeMissing: mayBeMissing))
  }
}

// MARK: After=

extension EntryReader {
  /// Adds the names of an `After=` that are not there yet; an empty one takes back what stood before.
  mutating func takeAfter(_ entry: UnitFile.Entry, into wishes: inout [UnitOrder.Wish]) {
    if entry.value.isEmpty { wishes = [] }
    for word in Self.words(entry.value) {
      let name = expand(word, entry)
      if name.isEmpty || name.contains("/") || Escaped.text(name) != name {
        fault(
          entry, "\(name.quoted) cannot be the name of a hook or program",
          advice: "write a file name such as 10-db.process, with or without its suffix")
      } else if !wishes.contains(where: { $0.name == name }) {
        wishes.append(.init(name: name, file: entry.file, line: entry.line))
      }
    }
  }
}
