# shellcheck shell=bash
# What the tests against a real systemd have in common. Each test gets a machine of its own, booted from a fresh view
# of the suite's root with the installed files laid over it, in which every hook of ours can write a log, fail on
# demand and wait at a gate.

bats_require_minimum_version 1.5.0
lab=$BATS_TEST_DIRNAME/lab

setup() {
  boot
}

teardown() {
  # bats sets it at the end of a test that has passed
  if [[ -z ${BATS_TEST_COMPLETED:-} ]]; then explain; fi
  halt
}

halt() {
  "$lab" stop "$machine"
}

boot() {
  machine=$(mktemp -d "$MACHINES/XXXXXX")
  "$lab" boot "$machine" "$SUITE" "$LAYER" 3>&-
  inside mkdir -p /run/test /etc/lifecycled
  inside mkfifo /run/test/gate
  inside touch /run/test/log /run/test/failing

  # log NAME: writes "NAME EVENT" down, and fails if that line stands in /run/test/failing
  program /usr/local/bin/log <<'TXT'
#!/bin/sh
echo "$1 $LIFECYCLE_EVENT" >>/run/test/log
if grep -qx "$1 $LIFECYCLE_EVENT" /run/test/failing; then echo "$1 was told to fail"; exit 1; fi
TXT
  # gate NAME: logs its beginning, waits until a status is written into the gate, logs its end and exits with that
  program /usr/local/bin/gate <<'TXT'
#!/bin/sh
echo "$1 $LIFECYCLE_EVENT begins" >>/run/test/log
read -r status </run/test/gate
echo "$1 $LIFECYCLE_EVENT ends" >>/run/test/log
exit "$status"
TXT
  put /etc/systemd/system/lifecycled.service.d/test.conf <<'TXT'
[Unit]
StartLimitIntervalSec=0
TXT
  inside systemctl daemon-reload
}

inside() {
  "$lab" exec "$machine" "$@" 3>&-
}

# The first process of the machine, as this one's numbers have it.
leader() {
  cut -d ' ' -f 1 "$machine/leader"
}

# put PATH: standard input becomes that file, for root alone to write
put() {
  inside sh -c 'umask 022; mkdir -p "${1%/*}"; cat >"$1"' sh "$1"
}

program() {
  put "$1"
  inside chmod 755 "$1"
}

# hook NAME [FOLDER]: standard input becomes the hook
hook() {
  put "${2:-/etc/lifecycled}/$1.hook"
}

# loghook NAME EVENTS [FOLDER]: a hook that writes a log line at each event
loghook() {
  hook "$1" "${3:-/etc/lifecycled}" <<TXT
[Hook]
On=$2
Exec=/usr/local/bin/log $1
TXT
}

gatehook() {
  hook "$1" "${3:-/etc/lifecycled}" <<TXT
[Hook]
On=$2
Exec=/usr/local/bin/gate $1
TXT
}

# fail_at 'NAME EVENT': from now on that hook fails at that event; without an argument none does
fail_at() {
  inside sh -c 'echo "$1" >/run/test/failing' sh "${1:-}"
}

# open_gate STATUS: the hook that waits goes on and exits with it
open_gate() {
  inside timeout 10 sh -c 'echo "$1" >/run/test/gate' sh "$1"
}

hooklog() {
  inside cat /run/test/log
}

forget_log() {
  inside truncate --size=0 /run/test/log
}

property() { # property UNIT NAME
  inside systemctl show --property "$2" --value "$1"
}

journal() {
  inside journalctl --no-pager --output cat --unit "${1:-lifecycled}"
}

# Printed when a test has failed: what the manager and the daemon said.
explain() {
  local unit
  echo "--- hooks:"
  hooklog
  for unit in lifecycled own; do
    inside systemctl cat "$unit" >/dev/null 2>&1 || continue
    echo "--- systemctl status $unit:"
    inside systemctl status --no-pager --full --lines 0 "$unit" || true
    inside systemctl show --property Type,Result,StatusText,StatusErrno,ExecMainStatus,NRestarts "$unit"
    echo "--- journal of $unit:"
    inside journalctl --no-pager --output short-monotonic --unit "$unit"
  done
}

# eventually COMMAND...: true as soon as the command is; false when it still is not after ten seconds
eventually() {
  local deadline=$((SECONDS + 10))
  until "$@"; do
    if ((SECONDS >= deadline)); then
      echo "still not so after 10 s: $*"
      return 1
    fi
    sleep 0.05
  done
}

is() { # is UNIT PROPERTY VALUE
  [[ $(property "$1" "$2") == "$3" ]]
}

logged() {
  hooklog | grep -qxF "$1"
}

log_is() {
  [[ $(hooklog) == "$1" ]]
}

said() { # said UNIT TEXT: it stands in that unit's journal
  journal "$1" | grep -qF "$2"
}

expect() { # expect UNIT PROPERTY VALUE
  local value
  value=$(property "$1" "$2")
  [[ $value == "$3" ]] || { echo "$1: $2 is '$value', expected '$3'"; return 1; }
}

expect_log() {
  local text
  text=$(hooklog)
  [[ $text == "$1" ]] || { printf 'the hooks logged:\n%s\nexpected:\n%s\n' "$text" "$1"; return 1; }
}

expect_status() { # expect_status UNIT TEXT: StatusText contains it
  local text
  text=$(property "$1" StatusText)
  [[ -n $text && $text == *"$2"* ]] || { echo "$1: StatusText is '$text', expected '$2' in it"; return 1; }
}
