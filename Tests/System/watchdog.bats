#!/usr/bin/env bats
# The watchdog of the shipped unit, which a drop-in turns on, and health hooks.
load machine

# watched WatchdogSec=1 [KEY=VALUE...]: a drop-in for the shipped unit
watched() {
  { echo '[Service]'; printf '%s\n' "$@"; } | put /etc/systemd/system/lifecycled.service.d/watchdog.conf
  inside systemctl daemon-reload
}

# health KEYS: a hook that hangs as soon as /run/test/wedged is there, once
health() {
  program /usr/local/bin/probe <<'TXT'
#!/bin/sh
echo "10-db $LIFECYCLE_EVENT" >>/run/test/log
if [ -e /run/test/wedged ]; then exec sleep 600; fi
TXT
  hook 10-db <<TXT
[Hook]
On=health
Exec=/usr/local/bin/probe
IntervalSec=200ms
TimeoutSec=300ms
$1
TXT
}

checked_again() { # checked_again COUNT: the hook was run so many times since forget_log
  (($(hooklog | wc -l) >= $1))
}

@test "with WatchdogSec=1 a service that is well is left alone, through a reload and a pause too" {
  watched WatchdogSec=1
  health Required=yes
  inside systemctl start lifecycled
  inside systemctl reload lifecycled
  inside systemctl kill --kill-whom main -s USR1 lifecycled
  forget_log
  eventually checked_again 10
  expect lifecycled ActiveState active
  expect lifecycled StatusText paused
  expect lifecycled NRestarts 0
  inside systemctl stop lifecycled
  expect lifecycled Result success
}

@test "A13: with WatchdogSec=1 a required health hook that is wedged gives Result=watchdog, its name, and an end" {
  watched WatchdogSec=1 Restart=no
  health Required=yes
  inside systemctl start lifecycled
  inside touch /run/test/wedged
  eventually is lifecycled Result watchdog
  expect lifecycled ActiveState failed
  expect_status lifecycled 'unhealthy: 10-db: timed out after 300ms'
  eventually said lifecycled '10-db is unwell: timed out after 300ms'
  # what the watchdog sends kills, and nothing survives it
  journal | grep -E 'code=(killed|dumped), status=6/ABRT'
  run ! inside pgrep -f 'sleep 600'
}

@test "the shipped unit is started again after the watchdog, and is well" {
  watched WatchdogSec=1 RestartSec=0
  health Required=yes
  inside systemctl start lifecycled
  inside touch /run/test/wedged
  eventually is lifecycled NRestarts 1
  inside rm /run/test/wedged
  eventually is lifecycled ActiveState active
  journal | grep -F "Failed with result 'watchdog'"
  forget_log
  eventually checked_again 10
  expect lifecycled ActiveState active
  expect lifecycled StatusText running
}

@test "an optional health hook that is wedged degrades the service, and the watchdog stays quiet" {
  watched WatchdogSec=1
  health Required=no
  inside systemctl start lifecycled
  inside touch /run/test/wedged
  eventually is lifecycled StatusText 'degraded: 10-db: timed out after 300ms'
  forget_log
  eventually checked_again 6
  expect lifecycled ActiveState active
  expect lifecycled NRestarts 0
}

@test "F05: a health hook that fails has its status and reason in systemctl status before the watchdog ends it" {
  watched WatchdogSec=2 Restart=no
  hook 10-db <<'TXT'
[Hook]
On=health
Exec=/bin/sh -c 'echo "disk full"; exit 3'
IntervalSec=200ms
TXT
  inside systemctl start lifecycled
  eventually is lifecycled StatusText 'unhealthy: 10-db: exited 3: disk full'
  expect lifecycled ActiveState active
  inside systemctl status --no-pager --lines 0 lifecycled | grep -F 'Status: "unhealthy: 10-db: exited 3: disk full"'
  eventually is lifecycled Result watchdog
}

@test "with Watchdog=trigger the manager acts at once" {
  watched WatchdogSec=4 Restart=no
  put /etc/lifecycled/lifecycled.conf <<<$'[Lifecycle]\nWatchdog=trigger'
  health Required=yes
  inside systemctl start lifecycled
  inside touch /run/test/wedged
  eventually is lifecycled Result watchdog
  journal | grep -F 'Watchdog request (last status: unhealthy: 10-db: timed out after 300ms)'
}

@test "in a stop that outlasts WatchdogSec=1, by a drain delay and a slow hook, the watchdog stays quiet" {
  watched WatchdogSec=1
  put /etc/lifecycled/lifecycled.conf <<<$'[Lifecycle]\nDrainDelaySec=2'
  hook 10-slow <<'TXT'
[Hook]
On=stop
Exec=/bin/sleep 2
TXT
  inside systemctl start lifecycled
  inside systemctl stop lifecycled
  expect lifecycled Result success
  inside systemctl start lifecycled
  inside systemctl kill --kill-whom main -s TERM lifecycled
  eventually is lifecycled ActiveState inactive
  expect lifecycled Result success
  expect lifecycled NRestarts 0
}
