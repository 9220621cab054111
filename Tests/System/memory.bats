#!/usr/bin/env bats
# Memory that really becomes scarce for the processes of the service, and what its hooks hear of it.
load machine

# The machine's control groups limit no memory. Those of the host's first version do, and what a process suffers there
# is counted in its control group here all the same.
groups=/sys/fs/cgroup/memory

teardown() {
  if [[ -n ${group:-} ]]; then
    inside systemctl kill --signal KILL lifecycled || true
    eventually rmdir "$group"
  fi
  if [[ -z ${BATS_TEST_COMPLETED:-} ]]; then explain; fi
  halt
}

# A program that reads all large files of the machine again and again once it may begin.
reader() {
  program /usr/local/bin/reader <<'TXT'
#!/bin/sh
while [ ! -e /run/test/begin ]; do sleep 0.02; done
files=$(find /usr/lib/x86_64-linux-gnu /usr/bin /usr/sbin -type f -size +100k)
# what is in memory already was charged to somebody else
for file in $files; do dd if="$file" iflag=nocache count=0 status=none; done
while :; do cat $files >/dev/null; done
TXT
  put /etc/lifecycled/20-web.process <<<$'[Process]\nExec=/usr/local/bin/reader\nTimeoutStopSec=2'
  hook 10-a <<<$'[Hook]\nOn=memory-pressure\nExec=/bin/sh -c "echo $LIFECYCLE_PRESSURE $LIFECYCLE_PRESSURE_SOME >>/run/test/log"'
}

# The reader gets 8 MB, and begins.
squeeze() {
  local pid
  pid=$(pgrep --full '^/bin/sh /usr/local/bin/reader' --ns "$(leader)" --nslist pid)
  group=$groups/mediator-lab-$BASHPID
  mkdir "$group"
  echo 8M >"$group/memory.limit_in_bytes"
  echo "$pid" >"$group/cgroup.procs"
  inside touch /run/test/begin
}

warned() {
  hooklog | grep -qE '^(some|full) [0-9.]+'
}

@test "a program that has too little memory: the hooks hear of it, by the control group of the service" {
  [[ -d $groups ]] || skip 'needs a control group that limits memory'
  reader
  inside systemctl start lifecycled
  squeeze
  eventually warned
  said lifecycled 'didReceiveMemoryWarning'
  inside systemctl stop lifecycled
  expect lifecycled Result success
}
