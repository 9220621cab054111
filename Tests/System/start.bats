#!/usr/bin/env bats
# How the shipped unit starts, and what the manager knows of it.
load machine

@test "A06: the unit is active only after the start hook has ended, with its StatusText set" {
  gatehook 10-open start
  inside systemctl start --no-block lifecycled
  eventually logged '10-open start begins'
  expect lifecycled ActiveState activating
  open_gate 0
  eventually is lifecycled ActiveState active
  expect_log $'10-open start begins\n10-open start ends'
  expect lifecycled SubState running
  expect_status lifecycled ''
}

@test "start hooks run in the order of their names" {
  loghook 30-third start
  loghook 10-first start
  loghook 20-second 'start foreground'
  inside systemctl start lifecycled
  eventually log_is $'10-first start\n20-second start\n30-third start\n20-second foreground'
}

@test "with no configuration at all the unit starts" {
  inside systemctl start lifecycled
  expect lifecycled ActiveState active
  expect_status lifecycled ''
}

@test "a failing start hook gives a failed unit whose status names the hook, and undoes what had started" {
  put /etc/systemd/system/lifecycled.service.d/restart.conf <<<$'[Service]\nRestart=no'
  inside systemctl daemon-reload
  loghook 10-first 'start stop'
  loghook 20-second 'start stop'
  loghook 30-third 'start stop'
  fail_at '20-second start'
  run inside systemctl start lifecycled
  [[ $status != 0 ]]
  expect lifecycled ActiveState failed
  expect lifecycled Result exit-code
  expect lifecycled ExecMainStatus 69
  expect_status lifecycled 20-second
  inside systemctl status --no-pager --lines 0 lifecycled | grep -E 'Status:.*20-second'
  eventually said lifecycled '20-second was told to fail'
  logged '10-first stop'
  run ! logged '30-third start'
  run ! logged '30-third stop'
}

@test "a start that failed is tried again by the shipped unit" {
  put /etc/systemd/system/lifecycled.service.d/restart.conf <<<$'[Service]\nRestartSec=0'
  inside systemctl daemon-reload
  loghook 10-first start
  fail_at '10-first start'
  inside systemctl start --no-block lifecycled
  eventually said lifecycled '10-first was told to fail'
  fail_at
  eventually is lifecycled ActiveState active
}

@test "A02: a bad configuration at start gives exit status 78, names file and line, and is not tried again" {
  hook 10-bad <<<$'[Hook]\nOn=start\nthis is not a key'
  run inside systemctl start lifecycled
  [[ $status != 0 ]]
  expect lifecycled ActiveState failed
  expect lifecycled ExecMainStatus 78
  expect lifecycled NRestarts 0
  eventually said lifecycled '/etc/lifecycled/10-bad.hook:3:'
}

@test "B02: systemctl stop in the middle of a start hook ends it, undoes the start and leaves the unit inactive" {
  loghook 10-first 'start stop'
  gatehook 20-slow start
  loghook 30-never 'start stop'
  inside systemctl start --no-block lifecycled
  eventually logged '20-slow start begins'
  inside systemctl stop lifecycled
  expect lifecycled ActiveState inactive
  expect lifecycled ExecMainStatus 0
  logged '10-first stop'
  run ! logged '20-slow start ends'
  run ! logged '30-never start'
  run ! logged '30-never stop'
  run ! inside pgrep -f local/bin/gate
}

@test "F20: a hook that others may write is refused, by name" {
  loghook 10-open start
  inside chmod 666 /etc/lifecycled/10-open.hook
  run inside systemctl start lifecycled
  [[ $status != 0 ]]
  expect lifecycled ExecMainStatus 78
  eventually said lifecycled /etc/lifecycled/10-open.hook
  expect_log ''
}
