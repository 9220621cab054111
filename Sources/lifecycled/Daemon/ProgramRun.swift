/// `lifecycled run`: one program from its start to its end, with what the command line says of it.
enum ProgramRun {
  /// Runs the program; returns the status to exit with.
  static func run(_ options: RunOptions) async -> Int32 {
    StandardStream.errors.write([
      Escaped.text("lifecycled: cannot run \(options.program.name): this version only checks the command line of run")
    ])
    return ExitCode.software.rawValue
  }
}
