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
