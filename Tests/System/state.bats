#!/usr/bin/env bats
# The example server, which embeds the bridge: what it counts and the socket that it listens on outlive its process.
# The tests share a machine; each has a unit of its own, so that its journal is its own, too.
load machine

setup_file() {
  boot
  export machine
  # The binary of the tests, with what it needs of the Swift runtime.
  local binary=${ECHO_SERVER:-$BATS_TEST_DIRNAME/../../.build/debug/EchoServer} libraries
  [[ -x $binary ]] || { echo "$binary is missing: swift build --product EchoServer"; return 1; }
  libraries=$(ldd "$binary" | awk '/swift|Foundation|dispatch|BlocksRuntime|stdc\+\+|libgcc_s/ { print $3 }')
  # shellcheck disable=SC2086  # one word each
  tar --create --dereference --absolute-names --transform 's|.*/|opt/echo/|' $libraries "$binary" |
    inside tar --extract --directory /
  # client LEAST: connects again and again, one after the other, and reads the greeting, until /run/test/enough is there
  # and LEAST attempts were made; prints each that was not answered, and how many were
  program /usr/local/bin/client <<'TXT'
#!/bin/bash
answered=0
attempts=0
while ((attempts < $1)) || [[ ! -e /run/test/enough ]]; do
  ((++attempts))
  line=
  if read -r -t 20 line </dev/tcp/127.0.0.1/7007 && [[ $line == Hello. ]]; then
    ((++answered))
  else
    echo "lost: '$line'"
  fi
done 2>&1
echo "$answered of $attempts answered"
TXT
}

teardown_file() {
  halt
}

setup() {
  unit=echo$BATS_TEST_NUMBER
  inside rm -f /run/test/enough
}

teardown() {
  if [[ -z ${BATS_TEST_COMPLETED:-} ]]; then journal "$unit"; fi
  inside touch /run/test/enough
  inside systemctl stop "$unit" || true
}

# serve SETTING...: the unit is the server, with these settings
serve() {
  put "/etc/systemd/system/$unit.service" <<<"$(printf '%s\n' '[Unit]' 'StartLimitIntervalSec=0' '[Service]' Type=notify \
    'ExecStart=/opt/echo/EchoServer' 'ExecReload=/bin/kill -HUP $MAINPID' Restart=on-failure RestartSec=0 \
    'Environment=LD_LIBRARY_PATH=/opt/echo SWIFT_BACKTRACE=enable=no' "$@")"
  inside systemctl daemon-reload
}

lines() { # lines TEXT: how many lines of the service say it
  journal "$unit" | grep -cF "$1" || true
}

more_lines() { # more_lines TEXT COUNT
  (($(lines "$1") > $2))
}

connect() {
  inside bash -c 'read -r line </dev/tcp/127.0.0.1/7007 && [[ $line == Hello. ]]'
}

# on demand, as the program itself or an operator can
save() {
  local before
  before=$(lines 'saved the state')
  inside systemctl kill --kill-whom=main --signal=RTMIN+1 "$unit"
  eventually more_lines 'saved the state' "$before"
}

# counted COUNT CAUSE: the newest start found that much, for this cause
counted() {
  [[ $(journal "$unit" | grep 'connections before' | tail -1) == "$1 connections before ($2)" ]]
}

started() { # started COUNT CAUSE
  eventually counted "$@" || { journal "$unit" | grep 'connections before'; return 1; }
}

crash() {
  local before
  before=$(property "$unit" MainPID)
  inside systemctl kill --kill-whom=main --signal=KILL "$unit"
  is_another() { [[ $(property "$unit" MainPID) != "$before" && $(property "$unit" ActiveState) == active ]]; }
  eventually is_another
}

# counts_over RESTARTS: restarts, then a crash; each connection is counted, and each start goes on where the last one ended
counts_over() {
  local number
  inside systemctl start "$unit"
  for ((number = 1; number <= $1; number++)); do
    connect
    # the stop saves by itself, too
    if ((number % 5 == 0)); then save; fi
    inside systemctl restart "$unit"
    started "$number" restart
  done
  connect
  save
  connect
  # what was saved last comes back: the newest connection is lost with the process
  crash
  started "$(($1 + 1))" crashRecovery
  run ! said "$unit" 'is ignored'
  run ! said "$unit" 'not saved'
}

@test "a counter survives 20 restarts, a kill -9, and stop and start" {
  serve FileDescriptorStoreMax=8 StateDirectory="$unit"
  counts_over 20
  inside systemctl stop "$unit"
  inside systemctl start "$unit"
  started 21 restart
}

@test "the manager's descriptor store alone has it over restarts and a kill -9, and nothing after a stop" {
  serve FileDescriptorStoreMax=8
  counts_over 3
  inside systemctl stop "$unit"
  inside systemctl start "$unit"
  started 0 unknown
}

@test "the state folder alone has it, too; a damaged file is ignored, and the service goes on" {
  serve StateDirectory="$unit"
  counts_over 2
  inside systemctl stop "$unit"
  inside truncate --size=-1 "/var/lib/$unit"/EchoServer.lifecycle-state
  inside systemctl start "$unit"
  started 0 unknown
  said "$unit" 'EchoServer.lifecycle-state is ignored: it is truncated'
  connect
  inside systemctl restart "$unit"
  started 1 restart
}

@test "a client that connects 1,000 times through five restarts is refused not once" {
  local client
  serve FileDescriptorStoreMax=8 StateDirectory="$unit"
  inside systemctl start "$unit"
  inside sh -c '/usr/local/bin/client 1000 >/run/test/attempts' &
  client=$!
  for _ in {1..5}; do
    inside systemctl restart "$unit"
    connect
  done
  inside touch /run/test/enough
  wait "$client"
  inside cat /run/test/attempts
  run ! inside grep lost /run/test/attempts
  inside grep -E '^([0-9]{4,}) of \1 answered$' /run/test/attempts
  expect "$unit" NRestarts 0
  # the kernel let nobody go, and the server has counted all of them
  inside systemctl restart "$unit"
  started "$(($(inside cut -d ' ' -f 1 /run/test/attempts) + 5))" restart
}

# The socket that listens on the port, by its number in the kernel.
listening() {
  inside awk -v port="$(printf ':%04X' "$1")" '$4 == "0A" && $2 ~ port "$" { print $10 }' /proc/net/tcp
}

@test "a crash leaves the socket where it was, and with another port it is let go" {
  local socket
  serve FileDescriptorStoreMax=8
  inside systemctl start "$unit"
  socket=$(listening 7007)
  [[ -n $socket ]]
  crash
  connect
  [[ $(listening 7007) == "$socket" ]]
  put "/etc/systemd/system/$unit.service.d"/port.conf <<'TXT'
[Service]
ExecStart=
ExecStart=/opt/echo/EchoServer --port 7008
TXT
  inside systemctl daemon-reload
  inside systemctl restart "$unit"
  [[ -n $(listening 7008) ]]
  eventually gone 7007
}

gone() {
  [[ -z $(listening "$1") ]]
}
