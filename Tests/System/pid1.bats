#!/usr/bin/env bats
# lifecycled as the first process of a PID namespace, as in a container that has nothing else.
load machine

stops_in_order_as_pid_1() {
  loghook 10-first 'start stop'
  loghook 20-second 'start stop'
  inside unshare --pid --fork --kill-child --mount-proc /usr/bin/lifecycled &
  local unshare=$! first
  eventually logged '20-second start'
  first=$(inside pgrep -x lifecycled)
  [[ $(inside awk '/^NSpid:/ { print $NF }' "/proc/$first/status") == 1 ]]
  inside kill -s "$1" "$first"
  wait "$unshare"
  expect_log $'10-first start\n20-second start\n20-second stop\n10-first stop'
}

@test "B10: as PID 1, SIGTERM is an ordered stop with exit status 0" {
  stops_in_order_as_pid_1 TERM
}

@test "B10: as PID 1, SIGINT is an ordered stop with exit status 0" {
  stops_in_order_as_pid_1 INT
}

without_children() { # without_children PID MATCH...: it has none that pgrep would find so
  ! inside pgrep --parent "$1" --full "${@:2}"
}

@test "B10: one program under lifecycled run as PID 1 ends in order, orphans are reaped, and the status is its own" {
  program /usr/local/bin/server <<'TXT'
#!/bin/sh
trap 'echo "server stops" >>/run/test/log; exit 3' TERM
(setsid sleep 0.1 &)
echo "server is up" >>/run/test/log
while :; do sleep 0.05; done
TXT
  for signal in TERM INT; do
    forget_log
    inside unshare --pid --fork --kill-child --mount-proc /usr/bin/lifecycled run -- /usr/local/bin/server &
    local unshare=$! first status=0
    eventually logged 'server is up'
    first=$(inside pgrep -x lifecycled)
    [[ $(inside awk '/^NSpid:/ { print $NF }' "/proc/$first/status") == 1 ]]
    eventually without_children "$first" '^sleep 0.1'
    eventually without_children "$first" --runstates Z .
    inside kill -s "$signal" "$first"
    wait "$unshare" || status=$?
    [[ $status == 3 ]]
    expect_log $'server is up\nserver stops'
  done
}
