#!/usr/bin/env bats
# What takes longer than the unit's own timeouts, and what takes too long.
load machine

# slow NAME EVENTS SECONDS: says in the log when it has ended
slow() {
  hook "$1" /etc/lifecycled <<TXT
[Hook]
On=$2
Exec=/bin/sleep $3
Exec=/usr/local/bin/log $1
TXT
}

# unit KEY=VALUE...: a drop-in for the shipped unit
unit() {
  { echo '[Service]'; printf '%s\n' "$@"; } | put /etc/systemd/system/lifecycled.service.d/timeouts.conf
  inside systemctl daemon-reload
}

@test "A08: with TimeoutStartSec=3 a start of 9 s succeeds" {
  unit TimeoutStartSec=3
  slow 10-slow start 9
  inside systemctl start lifecycled
  expect lifecycled ActiveState active
  expect_log '10-slow start'
}

@test "with TimeoutStopSec=3 a stop of 9 s ends cleanly" {
  unit TimeoutStopSec=3
  slow 10-slow stop 9
  inside systemctl start lifecycled
  inside systemctl stop lifecycled
  expect lifecycled Result success
  expect lifecycled ExecMainStatus 0
  expect_log '10-slow stop'
}

@test "A15: a reload of 9 s with TimeoutStartSec=3 ends active" {
  unit TimeoutStartSec=3
  slow 10-slow reload 9
  inside systemctl start lifecycled
  inside systemctl reload lifecycled
  sleep 9 # as long as the hook takes; the reload of Type=notify returns at once
  eventually logged '10-slow reload'
  expect lifecycled ActiveState active
  expect lifecycled SubState running
}

@test "systemctl stop in the middle of a start gives inactive" {
  slow 10-slow start 600
  inside systemctl start --no-block lifecycled
  eventually is lifecycled ActiveState activating
  eventually is lifecycled StatusText 'starting 2/2: 10-slow'
  inside systemctl stop lifecycled
  expect lifecycled ActiveState inactive
}

@test "a stop that takes longer than TimeoutStopSec= of lifecycled.conf ends with 75, and systemd kills nothing" {
  unit Restart=no
  put /etc/lifecycled/lifecycled.conf <<<$'[Lifecycle]\nTimeoutStopSec=3'
  slow 10-slow stop 600
  inside systemctl start lifecycled
  inside systemctl stop lifecycled
  expect lifecycled Result exit-code
  expect lifecycled ExecMainStatus 75
}
