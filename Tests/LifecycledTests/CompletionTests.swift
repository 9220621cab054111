import Foundation
import MediatorLinux
import Testing

@testable import lifecycled

private let library = "/usr/share/bash-completion/bash_completion"

/// What bash offers after a command line of lifecycled, with the bash-completion of this machine.
@Suite(
  "Completion in bash", .timeLimit(.minutes(5)),
  .enabled(if: FileManager.default.fileExists(atPath: library), "bash-completion is not installed"))
struct CompletionTests {
  /// Loads the completion as bash-completion does, and prints for each line what it offers, one a line.
  private static let driver = #"""
    source "$1"
    _completion_loader lifecycled
    function=$(complete -p lifecycled)
    function=${function#*-F }
    function=${function%% *}
    compopt() { [[ " $* " != *' nospace '* ]] || echo '(no space)'; }
    for line in "${@:2}"; do
      echo "> $line"
      COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMP_KEY=9 COMP_WORDS=() COMPREPLY=()
      # Readline cuts words at blanks, and before and after = and :.
      rest=$line
      while [[ $rest =~ ^[[:blank:]]*([=:]+|[^[:blank:]=:]+)(.*)$ ]]; do
        COMP_WORDS+=("${BASH_REMATCH[1]}")
        rest=${BASH_REMATCH[2]}
      done
      [[ $line != *[[:blank:]] ]] || COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      "$function" lifecycled "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
    done
    """#

  /// What is offered after each line, in order.
  private func offers(after lines: [String]) throws -> [[String]] {
    let loop = try EventLoop(name: "bash")
    defer { loop.shutdown() }
    let (output, ended) = (Guarded<[UInt8]>([]), Gate())
    _ = try Child.start(
      SpawnRequest(
        executable: "/bin/bash", arguments: ["bash", "--norc", "-c", Self.driver, "bash", library] + lines,
        environment: [
          "PATH=/usr/bin:/bin",
          "BASH_COMPLETION_USER_DIR=\(ManualPage.root.appending(path: "Packaging/bash-completion").path)",
        ], workingDirectory: ManualPage.root.path),
      on: loop, output: { bytes in output.withLock { $0 += bytes } }, exited: { _ in ended.stayOpen() })
    ended.waitOpen()
    let text = String(decoding: output.withLock { $0 }, as: UTF8.self)
    var offers: [[String]] = []
    for line in text.split(separator: "\n").map(String.init) {
      if line.hasPrefix("> ") { offers.append([]) } else if !offers.isEmpty { offers[offers.count - 1].append(line) }
    }
    try #require(offers.count == lines.count, "\(text)")
    return offers
  }

  private func offer(after line: String) throws -> Set<String> { Set(try offers(after: [line])[0]) }

  @Test("The commands are those of --help")
  func commands() throws {
    #expect(try offer(after: "lifecycled ") == HelpPage().commands)
    #expect(
      try offers(after: ["lifecycled ch", "lifecycled --config=run --log-level debug un"]) == [["check"], ["unit"]])
  }

  @Test("The options are those of --help, each where the program takes it, and none is missing")
  func options() throws {
    let prefixes = [""] + HelpPage().commands.sorted().map { "\($0) " }
    var all: Set<String> = []
    for (prefix, offered) in zip(prefixes, try offers(after: prefixes.map { "lifecycled \($0)-" })) {
      let options = offered.filter { $0 != "--" && $0 != "(no space)" }
      for option in options {
        let name = String(option.prefix { $0 != "=" })
        all.insert(name)
        #expect(!isMisplaced(prefix.split(separator: " ").map(String.init) + [option + (name == option ? "" : "#")]))
      }
    }
    #expect(all == HelpPage().options)
  }

  /// Whether the program has no such option there; a wrong value does not count, nor that the program is missing.
  private func isMisplaced(_ words: [String]) -> Bool {
    do throws(UsageError) {
      _ = try Invocation(parsing: words)
      return false
    } catch {
      return ["there is no option", "does not go with", "goes with"].contains(where: error.what.contains)
    }
  }

  @Test("The values of an option are those that it takes")
  func values() throws {
    func offered(_ option: String, _ command: String = "run") throws -> Set<String> {
      try offer(after: "lifecycled \(command) \(option)=").subtracting(["(no space)"])
    }
    func beginnings(_ purpose: ProgramCheck.Purpose) -> Set<String> {
      Set(
        ProgramCheck.Kind.allCases.filter { $0.serves(purpose) }.map { kind in
          kind == .http ? "http://" : kind.form.contains(":") ? "\(kind.rawValue):" : kind.rawValue
        })
    }
    #expect(try offered("--ready") == beginnings(.readiness))
    #expect(try offered("--health") == beginnings(.health))
    #expect(try offered("--notify-access") == Set(ProgramDefinition.NotifyAccess.allCases.map(\.rawValue)))
    #expect(try offered("--exit-status") == Set(RunOptions.ExitStatus.allCases.map(\.rawValue)))
    #expect(try offered("--log-level") == Set(LogLevel.allCases.map(\.rawValue)))
    #expect(try offered("--log-level", "") == Set(LogLevel.allCases.map(\.rawValue)))
    let names = (Int32(1)...31).map(SignalName.name(of:)) + ["RTMIN"]
    #expect(try offered("--stop-signal") == Set(names.filter { (try? SignalName.stop($0)) != nil }))
    #expect(try offered("--reload-signal") == Set(names.filter { (try? SignalName.reload($0)) != nil }))
    #expect(try offer(after: "lifecycled run --stop-signal SIGT") == ["SIGTERM", "SIGTRAP"])
    #expect(try offered("--stop-timeout").isEmpty)
    #expect(try offer(after: "lifecycled analyze ") == Set(ControlRequest.Analysis.allCases.map(\.rawValue)))
    #expect(try offer(after: "lifecycled log-level ") == Set(LogLevel.allCases.map(\.rawValue)))
    #expect(try offer(after: "lifecycled status --ready --w") == ["(no space)", "--wait="])
  }

  @Test("A check may have colons, and a path behind one is completed")
  func checks() throws {
    let offers = try offers(after: [
      "lifecycled run --ready=ht", "lifecycled run --ready=http:", "lifecycled run --ready=no",
      "lifecycled run --ready=file:Makef", "lifecycled run --health unix:/et",
      "lifecycled run --ready=tcp:[::1]:80 --ex", "lifecycled run --ready=tcp:127.0.0.1:80 --name=run --exit-status=r",
    ])
    #expect(
      offers == [
        ["(no space)", "http://"], ["(no space)", "//"], ["notify"], ["Makefile"], ["/etc"],
        ["(no space)", "--exit-status="], ["raw"],
      ])
  }

  @Test("Folders follow --config, and behind -- the program's own words")
  func files() throws {
    let offers = try offers(after: [
      "lifecycled --config=Pack", "lifecycled check --config Sour", "lifecycled run --ready=notify -- /usr/bin/en",
      "lifecycled unit --name=x -- /bin/cat Makef", "lifecycled -- ch",
    ])
    #expect(offers[0] == ["Packaging"])
    #expect(offers[1] == ["Sources"])
    #expect(offers[2].contains("/usr/bin/env"))
    #expect(offers[3] == ["Makefile"])
    #expect(offers[4] == ["check"])
  }
}
