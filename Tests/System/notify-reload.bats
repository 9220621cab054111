#!/usr/bin/env bats
# bats file_tags=notify-reload
# An embedder's own unit of Type=notify-reload, without ExecReload, on a systemd that has it (253 and newer).
load machine

own_unit() {
  put /etc/systemd/system/own.service <<TXT
[Unit]
StartLimitIntervalSec=0
[Service]
Type=notify-reload
ExecStart=$1
Environment=SWIFT_BACKTRACE=enable=no
TXT
  inside mkdir -p /etc/own
  inside systemctl daemon-reload
}

reload_in_background() {
  inside systemctl reload own &
  reload=$!
  eventually logged "$1"
  expect own ActiveState reloading
  kill -0 "$reload"
}

@test "systemctl reload returns when a good reload is complete" {
  own_unit '/usr/bin/lifecycled --config /etc/own'
  gatehook 10-slow reload /etc/own
  inside systemctl start own
  reload_in_background '10-slow reload begins'
  open_gate 0
  wait "$reload"
  expect_log $'10-slow reload begins\n10-slow reload ends'
  expect own ActiveState active
}

@test "systemctl reload returns when a bad reload is complete, and the next one works" {
  own_unit '/usr/bin/lifecycled --config /etc/own'
  gatehook 10-slow prepare-reload /etc/own
  inside systemctl start own
  reload_in_background '10-slow prepare-reload begins'
  open_gate 1
  wait "$reload"
  expect own ActiveState active
  expect_status own 10-slow

  forget_log
  reload_in_background '10-slow prepare-reload begins'
  open_gate 0
  wait "$reload"
  [[ $(property own StatusText) != *10-slow* ]]
}

@test "a bad configuration does not keep systemctl reload waiting" {
  own_unit '/usr/bin/lifecycled --config /etc/own'
  inside systemctl start own
  hook 10-bad /etc/own <<<'nonsense'
  inside timeout 10 systemctl reload own
  expect own ActiveState active
  expect_status own 10-bad.hook
}
