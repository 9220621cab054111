/// What `--help` and `--version` print.
enum HelpText {
  static let version = "lifecycled 0.1.0"

  /// At most 80 columns wide.
  static let help = """
    lifecycled makes any program a good systemd service, and runs hooks when a
    service starts, reloads, pauses and stops: in a defined order, with time limits,
    and with the truth told to the service manager.

    Usage: lifecycled [--config DIR] [--log-level LEVEL]
           lifecycled check [--config DIR]
           lifecycled run [OPTION ...] -- PROGRAM [ARGUMENT ...]
           lifecycled unit [OPTION ...] -- PROGRAM [ARGUMENT ...]
           lifecycled [--control PATH] COMMAND        asks a running one

    Commands:
      (none)              run hooks and programs until a signal stops it
      check               read the configuration, name every fault in it, and exit
      run                 run one program, without any configuration
      unit                print a unit file of systemd for the same

    Commands that ask a running lifecycled:
      status              where it stands; --json for scripts
      status --ready      exit status 0 when it takes work; --wait=SEC waits for it
      status --alive      exit status 0 unless it stops or is unwell
      reload              wait for it, print what has changed or why not
      background          take no work until foreground
      foreground          take work again
      stop                wait until everybody has stopped
      open URL            a request for its listeners
      send VERB [JSON]    the same with a verb and a JSON object
      watch               print what happens; --json: one object a line
      log-level [LEVEL]   how much it logs until the next start
      analyze blame|plot  where the time goes, as a list or as an SVG

    Options:
      --config DIR        read this folder alone instead of the four below
      --control PATH      its socket; by default $LIFECYCLE_CONTROL, socket in
                          $RUNTIME_DIRECTORY, /run/lifecycled/control/socket, or
                          $XDG_RUNTIME_DIR/lifecycled/control/socket
      --log-level LEVEL   emerg, alert, crit, err, warning, notice, info or debug
      -h, --help          print this help
      --version           print the version

    Options of run and unit:
      --ready=CHECK           when it is ready; without it as soon as it runs
      --ready-timeout=SEC     how long that may take, 60 s by default
      --health=CHECK          whether it is well, asked every 10 s
      --reload-signal=SIGNAL  what SIGHUP to lifecycled sends to it
      --stop-signal=SIGNAL    TERM by default
      --stop-timeout=SEC      how long it may take to stop, 10 s by default
      --notify-access=WHO     whose messages count: main, all or none
      --name=NAME             for the log, by default the program's
      --exit-status=own|raw   own: 0 after a stop that was asked for; raw: always
                              the program's; a signal is 128 plus its number

    A check:
      notify                  it says READY=1 itself (for health: WATCHDOG=1)
      'exec COMMAND'          the command exits 0; no shell
      tcp:HOST:PORT           somebody accepts connections; [::1]:80 for IPv6
      unix:PATH               the same for a socket; unix:@NAME if it is abstract
      http://HOST:PORT/PATH   a GET answers 200
      file:PATH               the path is there
      log:REGEX               it prints a line that matches (not for health)
      fd:N                    it writes a line end to descriptor N (not for health)
      delay:SEC               that time has passed (not for health)

    Files, the upper folder over the lower; a link to /dev/null masks a name:
      /etc/lifecycled           the administrator's
      /run/lifecycled           until the next boot
      /usr/local/lib/lifecycled installed locally
      /usr/lib/lifecycled       the distribution's
      lifecycled.conf           time limits, signals, log level, control
      NAME.hook                 what to run, and on which event
      NAME.process              a program to look after
      FILE.d/*.conf             additions to any, such as 10-db.hook.d/user.conf

    Hooks and programs go in the order of their file names, but for After=.

    A hook, in [Hook]:
      On=     start, foreground, background, stop,
              prepare-reload, reload, revert-reload; several with blanks between;
              health: every IntervalSec=, to tell whether the service works;
              memory-pressure, time-change, credentials, sleep, wake,
              and signal:NAME (or RTMIN+5)
      Exec=   what to run, no shell; - before it ignores its failure
      more    Reason=, Required=, TimeoutSec=, IntervalSec=, User=, Group=,
              WorkingDirectory=, Environment=, EnvironmentFile=, After=

    A program, in [Process]:
      Exec=   what to run in the foreground, one command, no shell
      Ready=  a check; ReadyTimeoutSec=, NotifyAccess=
      Health= a check; HealthIntervalSec=, HealthThreshold= (3 failures in a row)
      reload  ReloadSignal=, ReloadExec=, or Reload=overlap with Sockets=
      stop    StopSignal=, StopExec=, TimeoutStopSec=
      Restart=no, on-success, on-failure, on-abnormal or always; RestartSec=,
              RestartMaxDelaySec=, StartLimitBurst=, StartLimitIntervalSec=
      more    Required=, After=, Sockets=, User=, Group=, WorkingDirectory=,
              Environment=, EnvironmentFile=

    Signals:
      HUP                       reload: read the configuration again, run the hooks
      TERM, INT, QUIT, RTMIN+3  stop in order; a second one leaves 5 s, a third none
      USR1, TSTP                pause
      USR2, CONT after TSTP     resume

    Exit status:
       0  stopped as asked, done, or check found no fault
       1  a running lifecycled has refused, or what was asked has failed
      64  the command line is wrong
      66  the folder of --config is missing or cannot be read
      69  the start failed, or no lifecycled is running to be asked
      70  a hook failed while running or stopping, or an internal fault
      75  the stop ran out of time
      78  there is a fault in the configuration

    Examples:
      lifecycled check --config ./lifecycled
      printf '[Hook]\\nOn=start\\nExec=/bin/echo up\\n' > 10-hello.hook &&
        lifecycled --config .
      lifecycled run --ready=tcp:127.0.0.1:8000 -- python3 -m http.server
      lifecycled unit --ready=notify -- /usr/local/bin/server > server.service
    """
}
