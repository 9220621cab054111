#!/usr/bin/env bats
# The main process is killed at any moment, as by the kernel when memory is short: the unit always comes back.
load machine

@test "after kill -9 at 50 random moments of start, service, reload and stop the unit always comes back active" {
  put /etc/systemd/system/lifecycled.service.d/restart.conf <<<$'[Service]\nRestartSec=0'
  inside systemctl daemon-reload
  hook 10-slow <<'TXT'
[Hook]
On=start foreground background prepare-reload reload stop
Reason=start reload stop
Exec=/bin/sleep 0.01
TXT
  hook 20-health <<'TXT'
[Hook]
On=health
Exec=/bin/sleep 0.01
IntervalSec=20ms
TXT
  program /usr/local/bin/torment <<'TXT'
#!/bin/bash
RANDOM=$1
killed=0
for round in {1..50}; do
  case $((round % 4)) in
    0) what=start; systemctl restart --no-block lifecycled ;;
    1) what=service ;;
    2) what=reload; systemctl reload --no-block lifecycled ;;
    3) what=stop; systemctl stop --no-block lifecycled ;;
  esac
  sleep "0.0$((RANDOM % 90 + 10))"
  pid=$(systemctl show --property MainPID --value lifecycled)
  if ((pid > 0)) && kill -9 "$pid" 2>/dev/null; then
    killed=$((killed + 1))
    # a start that comes before the manager has seen it has nothing to do
    while [[ $(systemctl show --property MainPID --value lifecycled) == "$pid" ]]; do sleep 0.005; done
  fi
  if ((round % 2)); then verb=start; else verb=restart; fi
  # the kill of a start that was under way fails that job, not this one
  systemctl $verb lifecycled || { echo "round $round: $verb after a kill in $what failed"; exit 1; }
  state=$(systemctl is-active lifecycled)
  [[ $state == active ]] || { echo "round $round: $state after a kill in $what"; exit 1; }
done
echo "killed $killed times"
((killed >= 30))
TXT
  inside systemctl start lifecycled
  local seed=$RANDOM
  echo "seed $seed"
  inside /usr/local/bin/torment "$seed"
  loghook 30-last 'start stop'
  inside systemctl reload lifecycled
  eventually logged '30-last start'
  inside systemctl stop lifecycled
  expect lifecycled ActiveState inactive
  expect lifecycled Result success
  logged '30-last stop'
  run ! inside pgrep -x lifecycled
}
