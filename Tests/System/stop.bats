#!/usr/bin/env bats
# How the shipped unit stops.
load machine

@test "stop runs the hooks in reverse order and ends with Result=success" {
  loghook 10-first 'start background stop'
  loghook 20-second 'start background stop'
  inside systemctl start lifecycled
  forget_log
  inside systemctl stop lifecycled
  expect_log $'20-second background\n10-first background\n20-second stop\n10-first stop'
  expect lifecycled ActiveState inactive
  expect lifecycled Result success
  expect lifecycled ExecMainStatus 0
}

@test "B11: a bare SIGTERM is a stop too, exit status 0, and Restart=on-failure does not start it again" {
  loghook 10-first stop
  inside systemctl start lifecycled
  inside systemctl kill --kill-whom main -s TERM lifecycled
  eventually is lifecycled ActiveState inactive
  expect lifecycled Result success
  expect lifecycled ExecMainStatus 0
  expect lifecycled NRestarts 0
  expect_log '10-first stop'
}

@test "the unit is deactivating while a stop hook runs" {
  gatehook 10-drain stop
  inside systemctl start lifecycled
  inside systemctl stop --no-block lifecycled
  eventually logged '10-drain stop begins'
  expect lifecycled ActiveState deactivating
  open_gate 0
  eventually is lifecycled ActiveState inactive
  expect lifecycled Result success
}

@test "systemctl restart stops in order before it starts again" {
  loghook 10-first 'start stop'
  inside systemctl start lifecycled
  inside systemctl restart lifecycled
  expect lifecycled ActiveState active
  expect_log $'10-first start\n10-first stop\n10-first start'
}

@test "C19: a hook that the administrator put into /run/lifecycled is still there after the stop" {
  loghook 10-first start /run/lifecycled
  inside systemctl start lifecycled
  expect_log '10-first start'
  inside systemctl stop lifecycled
  inside test -e /run/lifecycled/10-first.hook
  inside test ! -e /run/lifecycled/control
}

@test "nothing of a hook survives the stop" {
  hook 10-leaver <<'TXT'
[Hook]
On=start
Exec=/bin/sh -c "sleep 1000 & echo left"
TXT
  inside systemctl start lifecycled
  inside systemctl stop lifecycled
  run ! inside pgrep -f 'sleep 1000'
}

@test "a service that can have no more processes says what it cannot start, goes on, and stops in its time" {
  hook 10-first <<<$'[Hook]\nOn=reload\nExec=/bin/true'
  put /etc/systemd/system/lifecycled.service.d/user.conf <<<$'[Service]\nUser=games'
  inside systemctl daemon-reload
  inside systemctl start lifecycled
  # root has no such limit, nor may it set that of others here
  inside setpriv --reuid games --regid games --clear-groups prlimit --nproc=1 --pid "$(property lifecycled MainPID)"
  inside systemctl kill --kill-whom main -s HUP lifecycled
  eventually said lifecycled '10-first failed in reload: cannot run'
  expect lifecycled ActiveState active
  inside timeout 20 systemctl stop lifecycled
  expect lifecycled ActiveState inactive
  expect lifecycled Result success
}
