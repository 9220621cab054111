#!/usr/bin/env bats
# The control socket under a real systemd: what ExecReload= makes of a reload, and systemd's own client of Varlink.
load machine

socket=/run/lifecycled/control/socket
interface=io.lifecycled.Control

generation() { # generation N: that many configurations have been in force
  inside lifecycled status --json | grep -qF "\"generation\":$1,"
}

@test "systemctl reload returns when a good reload is complete, and is one generation" {
  gatehook 10-slow reload
  inside systemctl start lifecycled
  generation 1
  inside systemctl reload lifecycled &
  local reload=$!
  eventually logged '10-slow reload begins'
  kill -0 "$reload"
  expect lifecycled ActiveState reloading
  open_gate 0
  wait "$reload"
  expect_log $'10-slow reload begins\n10-slow reload ends'
  expect lifecycled ActiveState active
  expect lifecycled SubState running
  generation 2
}

@test "systemctl reload fails with a bad configuration; the unit stays active, its status and its journal say why" {
  inside systemctl start lifecycled
  hook 10-bad <<<'nonsense'
  run ! inside systemctl reload lifecycled
  expect lifecycled ActiveState active
  expect lifecycled SubState running
  expect_status lifecycled '/etc/lifecycled/10-bad.hook:1:'
  run inside systemctl status --no-pager --full --lines 0 lifecycled
  [[ $output == *'Status:'*'/etc/lifecycled/10-bad.hook:1:'* ]]
  said lifecycled 'lifecycled: the reload failed: configuration: /etc/lifecycled/10-bad.hook:1:'
  generation 1

  inside rm /etc/lifecycled/10-bad.hook
  inside systemctl reload lifecycled
  expect_status lifecycled running
  generation 2
}

@test "a stopped unit has no socket, and its clients say that nobody is there" {
  inside systemctl start lifecycled
  [[ $(inside stat --format %a "$socket") == 600 ]]
  inside systemctl stop lifecycled
  run ! inside test -e "$socket"
  run -69 inside lifecycled status
  [[ $output == *"nobody serves $socket"* ]]
}

@test "two units on one machine have a socket each, by their runtime directories" {
  put /etc/systemd/system/own.service <<'TXT'
[Service]
Type=notify
ExecStart=/usr/bin/lifecycled --config /etc/own
ExecReload=/usr/bin/lifecycled reload
RuntimeDirectory=own
TXT
  inside mkdir -p /etc/own
  inside systemctl daemon-reload
  inside systemctl start lifecycled own
  hook 10-bad /etc/own <<<'nonsense'
  inside systemctl reload lifecycled
  run ! inside systemctl reload own
  inside lifecycled --control /run/own/socket status --ready
  inside lifecycled status --ready
}

# bats test_tags=varlinkctl
@test "varlinkctl knows the interface, calls its methods, and follows what happens" {
  loghook 10-first 'start reload'
  inside systemctl start lifecycled
  run inside varlinkctl info "$socket"
  [[ $status == 0 && $output == *lifecycled*"$interface"* ]] || { echo "$output"; return 1; }
  run inside varlinkctl introspect "$socket" "$interface"
  [[ $status == 0 && $output == *'method Reload() -> ('* ]] || { echo "$output"; return 1; }
  inside varlinkctl introspect "$socket" org.varlink.service
  inside varlinkctl introspect "$socket" "$interface" | inside varlinkctl validate-idl
  run inside varlinkctl call --json=short "$socket" "$interface.GetListeners" '{}'
  [[ $status == 0 && $output == *'"name":"10-first","state":"foreground"'* ]] || { echo "$output"; return 1; }
  run inside varlinkctl call "$socket" "$interface.Reload" '{}'
  [[ $status == 0 && $output == *'"generation"'*2* ]] || { echo "$output"; return 1; }
  hook 20-bad <<<'nonsense'
  run inside varlinkctl call "$socket" "$interface.Reload" '{}'
  [[ $status != 0 && $output == *ReloadFailed* ]] || { echo "$output"; return 1; }
  inside varlinkctl call --more --json=short "$socket" "$interface.Subscribe" '{}' >"$BATS_TEST_TMPDIR/told" &
  local follower=$!
  eventually grep -q '"kind":"state"' "$BATS_TEST_TMPDIR/told"
  run inside varlinkctl call --json=short "$socket" "$interface.Stop" '{}'
  [[ $status == 0 && $output == *'"exitStatus":0'* ]] || { echo "$output"; return 1; }
  wait "$follower"
  grep -q '"event":"willTerminate"' "$BATS_TEST_TMPDIR/told"
  grep -q '"kind":"finished"' "$BATS_TEST_TMPDIR/told"
}
