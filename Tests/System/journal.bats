#!/usr/bin/env bats
# What lifecycled says in the journal, by its own protocol, and what becomes of it when journald is away.
load machine

# entries FIELD=VALUE...: the unit's entries that match, one JSON object a line
entries() {
  inside journalctl --sync
  inside journalctl --no-pager --output json _SYSTEMD_UNIT=lifecycled.service "$@"
}

has_entry() { # has_entry FIELD=VALUE...
  [[ -n $(entries "$@") ]]
}

# fields NAME...: of each object on standard input, as NAME=VALUE lines
fields() {
  python3 -c 'import json, sys
for line in sys.stdin:
    entry = json.loads(line)
    for name in sys.argv[1:]: print(f"{name}={entry.get(name)}")' "$@"
}

events='MESSAGE_ID=39a81e7f9c4a400c8930c13fa252185b'

@test "an event has a MESSAGE_ID, its name, reason and generation; its end has the time that it took" {
  loghook 10-a 'start background'
  inside systemctl start lifecycled
  inside systemctl kill --kill-whom main -s USR1 lifecycled
  eventually has_entry "$events" LIFECYCLE_EVENT=didEnterBackground
  run -0 fields PRIORITY SYSLOG_IDENTIFIER LIFECYCLE_REASON LIFECYCLE_GENERATION _TRANSPORT MESSAGE \
    < <(entries "$events" LIFECYCLE_EVENT=didEnterBackground)
  [[ $output == "PRIORITY=5
SYSLOG_IDENTIFIER=lifecycled
LIFECYCLE_REASON=pause
LIFECYCLE_GENERATION=1
_TRANSPORT=journal
MESSAGE=didEnterBackground (pause)" ]]
  inside systemctl kill --kill-whom main -s HUP lifecycled
  eventually has_entry MESSAGE_ID=d988314acb9148459a0ce6def5793b0e LIFECYCLE_GENERATION=2
  run -0 fields LIFECYCLE_DURATION_USEC < <(entries MESSAGE_ID=d988314acb9148459a0ce6def5793b0e)
  [[ $output =~ ^LIFECYCLE_DURATION_USEC=[0-9]+$ ]]
}

@test "a failure names its listener and its event" {
  loghook 10-a 'start reload'
  fail_at '10-a reload'
  inside systemctl start lifecycled
  inside systemctl kill --kill-whom main -s HUP lifecycled
  eventually has_entry MESSAGE_ID=d1708701b0774ba28dca7c57d58ccf80
  run -0 fields LIFECYCLE_LISTENER LIFECYCLE_EVENT PRIORITY \
    < <(entries MESSAGE_ID=d650397c42e741538d7ab47e604f26f8)
  [[ $output == $'LIFECYCLE_LISTENER=10-a\nLIFECYCLE_EVENT=reload\nPRIORITY=3' ]]
}

@test "what a hook prints stands under its own name, and still belongs to the unit" {
  hook 10-a <<<$'[Hook]\nOn=start\nExec=/bin/echo "<0>hello there"'
  inside systemctl start lifecycled
  eventually has_entry SYSLOG_IDENTIFIER=10-a
  run -0 fields MESSAGE LIFECYCLE_LISTENER PRIORITY < <(entries SYSLOG_IDENTIFIER=10-a)
  [[ $output == $'MESSAGE=<0>hello there\nLIFECYCLE_LISTENER=10-a\nPRIORITY=6' ]]
}

# pause_and_resume: makes it say something, and returns when its hooks have run
pause_and_resume() {
  forget_log
  inside systemctl kill --kill-whom main -s USR1 lifecycled
  eventually logged '10-a background'
  inside systemctl kill --kill-whom main -s USR2 lifecycled
  eventually logged '10-a foreground'
}

count_of() { # count_of EVENT: how often the journal has its beginning
  entries "$events" "LIFECYCLE_EVENT=$1" | wc -l
}

has_said() { # has_said COUNT EVENT
  (($(count_of "$2") >= $1))
}

@test "systemd-journald may be restarted: the service lives, and loses no line" {
  loghook 10-a 'background foreground'
  inside systemctl start lifecycled
  for round in 1 2 3; do
    inside systemctl restart systemd-journald
    pause_and_resume
    eventually has_said "$round" didEnterBackground
  done
  expect lifecycled ActiveState active
  expect lifecycled NRestarts 0
}

@test "systemd-journald and its sockets may be stopped and started: the service lives, and is heard again" {
  loghook 10-a 'background foreground'
  inside systemctl start lifecycled
  inside systemctl stop systemd-journald.socket systemd-journald-dev-log.socket systemd-journald
  for _ in 1 2 3; do pause_and_resume; done
  inside systemctl start systemd-journald.socket systemd-journald-dev-log.socket systemd-journald
  pause_and_resume
  eventually has_said 1 didBecomeActive
  expect lifecycled ActiveState active
  expect lifecycled NRestarts 0
  inside systemctl stop lifecycled
  expect lifecycled Result success
}

@test "a journald that hangs holds nothing up, and what was too much is counted" {
  hook 10-a <<<$'[Hook]\nOn=background\nExec=/bin/sh -c "seq 5000; echo done >>/run/test/log"'
  inside systemctl start lifecycled
  inside systemctl kill -s STOP systemd-journald
  inside systemctl kill --kill-whom main -s USR1 lifecycled
  eventually logged 'done'
  inside systemctl kill -s CONT systemd-journald
  inside systemctl kill --kill-whom main -s USR2 lifecycled
  eventually said lifecycled 'lines were lost here'
  inside systemctl stop lifecycled
  expect lifecycled Result success
}
