/// Types into a terminal: a Python script that has a pseudo-terminal, and what runs on it.
import Foundation

enum TerminalDriver {
  /// The words that run a scenario on a terminal. The scenario is Python, and knows:
  /// - `command`: the words that follow, quoted for a shell;
  /// - `start(*words)`: runs them on the terminal, which is then theirs; a shell, or the command itself;
  /// - `keys(text)`: types; `until(text)`: waits for it on the screen, from where the last one was found;
  /// - `state(pid)`: `T` for stopped, `S` for asleep, `-` for gone; `wait(what, condition)`;
  /// - `number(name)`: what a program has written into a file beside the configuration;
  /// - `hang_up()`: takes the terminal away;
  /// - `end()`: waits for what runs on the terminal, and returns its exit status.
  static func words(_ folder: HookFolder, _ scenario: String) throws -> [String] {
    let prelude = """
      import os, pty, select, shlex, sys, threading, time
      command = shlex.join(sys.argv[1:])
      screen, seen, hung_up = bytearray(), 0, threading.Event()

      def start(*words):
        global terminal, leader, looking
        leader, terminal = pty.fork()
        if leader == 0:
          os.execvp(words[0], words)
        looking = threading.Thread(target=look, daemon=True)
        looking.start()

      def look():
        while not hung_up.is_set():
          if not select.select([terminal], [], [], 0.05)[0]: continue
          try: data = os.read(terminal, 4096)
          except OSError: return
          screen.extend(data)
          os.write(1, data)

      def hang_up():
        hung_up.set(); looking.join(); os.close(terminal)

      def keys(text): os.write(terminal, text.encode())

      def wait(what, condition):
        end = time.monotonic() + 20
        while not condition():
          if time.monotonic() > end: sys.exit("never " + what)
          time.sleep(0.005)

      def until(text):
        global seen
        wait("on the screen: " + text, lambda: screen.find(text.encode(), seen) >= 0)
        seen = screen.find(text.encode(), seen) + len(text)

      def state(pid):
        try: letter = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]
        except OSError: return "-"
        return "S" if letter in "RD" else letter

      def number(name):
        path = "\(folder.beside(""))" + name
        wait(name, lambda: os.path.exists(path) and open(path).read().endswith(chr(10)))
        return int(open(path).read())

      def end(): return os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1])

      """
    let file = folder.beside("terminal-\(UInt32.random(in: 0 ... .max)).py")
    try (prelude + scenario + "\nprint('the scenario is over', flush=True)\n").write(
      toFile: file, atomically: true, encoding: .utf8)
    return ["/usr/bin/python3", file]
  }
}
