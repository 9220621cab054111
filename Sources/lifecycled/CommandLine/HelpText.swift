/// What `--help` and `--version` print.
enum HelpText {
  static let version = "lifecycled 0.1.0"

  /// At most 80 columns wide.
  static let help = """
    lifecycled runs hooks when a service starts, reloads, pauses and stops, in a
    defined order and with time limits, and tells the service manager the truth.

    Usage: lifecycled [--config DIR] [--log-level LEVEL]
           lifecycled check [--config DIR]

    Commands:
      check               read the configuration, name every fault in it, and exit
      (none)              run in the foreground until a signal stops it

    Options:
      --config DIR        read this folder alone instead of the four below
      --log-level LEVEL   emerg, alert, crit, err, warning, notice, info or debug
      -h, --help          print this help
      --version           print the version

    Files, the upper folder over the lower; a link to /dev/null masks a name:
      /etc/lifecycled           the administrator's
      /run/lifecycled           until the next boot
      /usr/local/lib/lifecycled installed locally
      /usr/lib/lifecycled       the distribution's
      lifecycled.conf           time limits, signals, log level
      NAME.hook                 what to run, and on which event; in order of names
      FILE.d/*.conf             additions to either, such as 10-db.hook.d/user.conf

    A hook:
      On=     start, foreground, background, stop,
              prepare-reload, reload, revert-reload; several with blanks between;
              health: every IntervalSec=, to tell whether the service works
      Exec=   what to run, no shell; - before it ignores its failure
      more    Reason=, Required=, TimeoutSec=, IntervalSec=, User=, Group=,
              WorkingDirectory=, Environment=, EnvironmentFile=

    Signals:
      HUP                       reload: read the configuration again, run the hooks
      TERM, INT, QUIT, RTMIN+3  stop in order; a second one leaves 5 s, a third none
      USR1, TSTP                pause
      USR2, CONT after TSTP     resume

    Exit status:
       0  stopped as asked, or check found no fault
      64  the command line is wrong
      66  the folder of --config is missing or cannot be read
      69  the start failed
      70  a hook failed while running or stopping, or an internal fault
      75  the stop ran out of time
      78  there is a fault in the configuration

    Examples:
      lifecycled check --config ./lifecycled
      printf '[Hook]\\nOn=start\\nExec=/bin/echo up\\n' > 10-hello.hook &&
        lifecycled --config .
    """
}
