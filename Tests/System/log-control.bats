#!/usr/bin/env bats
# How much lifecycled logs is changed while it runs: over D-Bus, as any service of systemd's, and by a signal.
load machine

level_is() {
  [[ $(inside systemctl service-log-level lifecycled) == "$1" ]]
}

@test "systemctl service-log-level and service-log-target read and change what is logged" {
  inside systemctl start dbus
  inside systemctl start lifecycled
  eventually level_is info
  [[ $(inside systemctl service-log-target lifecycled) == journal ]]
  inside systemctl kill --kill-whom main -s USR1 lifecycled
  eventually said lifecycled 'didEnterBackground (pause)'
  run ! said lifecycled 'state: background'
  inside systemctl service-log-level lifecycled debug
  level_is debug
  inside systemctl kill --kill-whom main -s USR2 lifecycled
  eventually said lifecycled 'state: foreground'
  run -1 inside systemctl service-log-level lifecycled loud
  level_is debug
  inside systemctl service-log-target lifecycled console
  inside systemctl reload lifecycled
  eventually said lifecycled 'generation 2'
  level_is debug
}

@test "the name comes and goes with the service, and only root may change anything" {
  inside systemctl start dbus
  inside systemctl start lifecycled
  eventually level_is info
  inside busctl introspect io.lifecycled /org/freedesktop/LogControl1 | grep -F .SyslogIdentifier
  [[ $(inside setpriv --reuid nobody --clear-groups busctl get-property io.lifecycled /org/freedesktop/LogControl1 \
    org.freedesktop.LogControl1 LogLevel) == 's "info"' ]]
  run ! inside setpriv --reuid nobody --clear-groups busctl set-property io.lifecycled /org/freedesktop/LogControl1 \
    org.freedesktop.LogControl1 LogLevel s debug
  level_is info
  inside systemctl stop lifecycled
  expect lifecycled Result success
  run ! inside busctl status io.lifecycled
}

@test "without a bus the service works, and takes its name when the bus comes, and again when it has come back" {
  inside systemctl stop dbus.socket dbus
  inside systemctl start lifecycled
  expect lifecycled ActiveState active
  inside systemctl start dbus.socket dbus
  eventually level_is info
  for _ in 1 2; do
    inside systemctl restart dbus
    eventually level_is info
  done
  expect lifecycled ActiveState active
  expect lifecycled NRestarts 0
}

@test "SIGRTMIN+18 with the value of a level sets it" {
  inside systemctl start dbus
  inside systemctl start lifecycled
  eventually level_is info
  # of procps, since systemctl has --kill-value from 254 on
  inside sh -c '/usr/bin/kill -s RTMIN+18 -q 263 "$(systemctl show --property MainPID --value lifecycled)"'
  eventually level_is debug
  inside sh -c '/usr/bin/kill -s RTMIN+18 "$(systemctl show --property MainPID --value lifecycled)"'
  eventually said lifecycled 'SIGRTMIN+18 with no value means nothing'
}
