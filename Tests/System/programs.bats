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
  run ! inside pgrep -f 'sleep 86399|/usr/local/bin/server'
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
  expect lifecycled ActiveState active
  inside systemctl stop lifecycled
  expect lifecycled Result success
  expect lifecycled ExecMainStatus 0
  expect_log $'server is up\nserver reloads\nserver stops'
  nobody_left
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
  nobody_left
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

@test "with Delegate=yes each program has a control group of its own, and it ends with the program" {
  server
  put /etc/systemd/system/lifecycled.service.d/delegate.conf <<'TXT'
[Service]
Delegate=yes
TXT
  inside systemctl daemon-reload
  put /etc/lifecycled/10-server.process <<'TXT'
[Process]
Exec=/usr/local/bin/server
Ready=file:/run/test/up
TXT
  inside systemctl start lifecycled
  inside sh -c 'grep -q "lifecycled.service/programs/10-server:[0-9]*:1$" "/proc/$(pgrep -f "^sleep 86399")/cgroup"'
  inside systemctl stop lifecycled
  expect lifecycled Result success
  nobody_left
}
