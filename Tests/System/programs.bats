#!/usr/bin/env bats
# Programs that never heard of systemd, under lifecycled, under systemd.
load machine

# server: takes its time to get up, reloads by HUP, ends by TERM, and has a helper in a session of its own
server() {
  program /usr/local/bin/server <<'TXT'
#!/bin/sh
trap 'echo "server reloads" >>/run/test/log' HUP
trap 'echo "server stops" >>/run/test/log; exit 0' TERM
sleep 0.3
setsid sleep 86399 &
echo "server is up" >>/run/test/log
touch /run/test/up
while :; do sleep 0.05 & wait $!; done
TXT
}

nobody_left() {
  run ! inside pgrep -f 'sleep 8639[89]|/usr/local/bin/server'
  # lifecycled has done it: there was nobody left for systemd to kill
  run ! said "$1" 'Killing process'
}

# Two programs. The second one has a process that left session, parents and environment; then the file of that program
# goes, and with it the program.
leaver_goes() {
  put /etc/lifecycled/10-stays.process <<<$'[Process]\nExec=/bin/sleep 86397'
  program /usr/local/bin/leaver <<'TXT'
#!/bin/sh
env --ignore-environment setsid --fork /bin/sh -c 'sleep 86398 & exit 0'
until pgrep -f '^sleep 86398'; do sleep 0.05; done
touch /run/test/left
exec sleep 86396
TXT
  put /etc/lifecycled/20-leaver.process <<'TXT'
[Process]
Exec=/usr/local/bin/leaver
Ready=file:/run/test/left
TXT
  inside systemctl start lifecycled
  main=$(property lifecycled MainPID)
  left=$(inside pgrep -f '^sleep 86398')
  [[ $(inside ps -o ppid= -p "$left") -eq $main && $(inside ps -o sid= -p "$left") -ne $main ]]
  run ! inside grep -q LIFECYCLE "/proc/$left/environ"
  inside rm /etc/lifecycled/20-leaver.process
  inside systemctl reload lifecycled
  eventually said lifecycled ': generation 2'
  run ! inside pgrep -f '^sleep 86396'
}

@test "the shipped unit is active when its program is ready, and after the stop nobody is left" {
  server
  put /etc/lifecycled/10-server.process <<'TXT'
[Process]
Exec=/usr/local/bin/server
Ready=file:/run/test/up
ReloadSignal=HUP
TXT
  inside systemctl start lifecycled
  expect_log 'server is up'
  eventually is lifecycled StatusText '10-server ready'
  inside systemctl reload lifecycled
  eventually logged 'server reloads'
  eventually is lifecycled ActiveState active
  inside systemctl stop lifecycled
  expect lifecycled Result success
  expect lifecycled ExecMainStatus 0
  expect_log $'server is up\nserver reloads\nserver stops'
  nobody_left lifecycled
}

@test "the unit that lifecycled unit prints starts, reloads and stops the program" {
  server
  inside sh -c 'lifecycled unit --name=server --ready=file:/run/test/up --reload-signal=HUP -- /usr/local/bin/server \
    >/etc/systemd/system/server.service'
  inside systemd-analyze verify /etc/systemd/system/server.service
  inside systemctl daemon-reload
  inside systemctl start server
  expect server ActiveState active
  expect_log 'server is up'
  inside systemctl reload server
  eventually logged 'server reloads'
  inside systemctl stop server
  expect server ActiveState inactive
  expect server Result success
  nobody_left server
}

@test "a required program that dies gives a failed unit with its status, and is started again with the unit" {
  program /usr/local/bin/mortal <<'TXT'
#!/bin/sh
echo "mortal is up" >>/run/test/log
until [ -e /run/test/die ]; do sleep 0.05; done
rm /run/test/die
exit 7
TXT
  put /etc/lifecycled/10-mortal.process <<'TXT'
[Process]
Exec=/usr/local/bin/mortal
TXT
  inside systemctl start lifecycled
  inside touch /run/test/die
  eventually is lifecycled NRestarts 1
  eventually is lifecycled ActiveState active
  said lifecycled 'exited 7'
}

# drop_in LINE: a setting of [Service]
drop_in() {
  put /etc/systemd/system/lifecycled.service.d/own.conf <<<"$(printf '%s\n' '[Service]' "$1")"
  inside systemctl daemon-reload
}

@test "with Delegate=yes each program has a control group of its own, and it ends with the program" {
  server
  drop_in Delegate=yes
  put /etc/lifecycled/10-server.process <<'TXT'
[Process]
Exec=/usr/local/bin/server
Ready=file:/run/test/up
TXT
  inside systemctl start lifecycled
  inside sh -c 'grep -q "lifecycled.service/programs/10-server:[0-9]*:1$" "/proc/$(pgrep -f "^sleep 86399")/cgroup"'
  inside systemctl stop lifecycled
  expect lifecycled Result success
  nobody_left lifecycled
}

@test "C12: with Delegate=yes who has left everything ends with the program, by its control group" {
  drop_in Delegate=yes
  leaver_goes
  run ! inside pgrep -f '^sleep 86398'
  inside systemctl stop lifecycled
  expect lifecycled Result success
  nobody_left lifecycled
}

@test "C12: without Delegate= who has left everything ends with lifecycled, by its last look for orphans" {
  leaver_goes
  inside pgrep -f '^sleep 86398'
  inside systemctl stop lifecycled
  expect lifecycled Result success
  nobody_left lifecycled
}

@test "C17: where systemd tells all at once the stop is in order, nothing is started again and nothing has crashed" {
  local round main status
  # no hooks here: what begins while systemd still goes through the processes gets its signal, too
  drop_in KillMode=control-group
  put /etc/lifecycled/10-dies.process <<<$'[Process]\nExec=/bin/sleep 86399\nRestart=always'
  for status in 0 1 143; do
    program "/usr/local/bin/server-$status" <<<$'#!/bin/sh\ntrap "exit '$status$'" TERM\nwhile :; do sleep 0.02; done'
    put "/etc/lifecycled/20-$status.process" <<<$'[Process]\nExec=/usr/local/bin/server-'$status$'\nRestart=always'
  done
  for round in 1 2 3 4; do
    inside systemctl start lifecycled
    main=$(property lifecycled MainPID)
    # in the last round it is certain that the programs hear of it before us
    ((round < 4)) || inside sh -c 'kill -s STOP "$1"; pkill -TERM -P "$1"' sh "$main"
    inside systemctl stop lifecycled
    expect lifecycled Result success
    expect lifecycled ExecMainStatus 0
  done
  run ! said lifecycled 'starting again'
  run ! said lifecycled ', exit '
  nobody_left lifecycled
}
