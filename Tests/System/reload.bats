#!/usr/bin/env bats
# How the shipped unit is reloaded: by systemctl reload, and by a bare SIGHUP.
load machine

settled() {
  is lifecycled SubState running
}

@test "systemctl reload runs the prepare-reload and reload hooks, in the same process" {
  loghook 10-first 'prepare-reload reload revert-reload'
  loghook 20-second 'prepare-reload reload revert-reload'
  inside systemctl start lifecycled
  local main
  main=$(property lifecycled MainPID)
  inside systemctl reload lifecycled
  eventually log_is $'10-first prepare-reload\n20-second prepare-reload\n10-first reload\n20-second reload'
  eventually settled
  expect lifecycled ActiveState active
  expect lifecycled MainPID "$main"
  expect_status lifecycled ''
}

@test "systemctl kill -s HUP does the same" {
  loghook 10-first 'prepare-reload reload'
  inside systemctl start lifecycled
  inside systemctl kill --kill-whom main -s HUP lifecycled
  eventually log_is $'10-first prepare-reload\n10-first reload'
  eventually settled
}

@test "the unit says that it is reloading until the reload is complete" {
  gatehook 10-slow reload
  inside systemctl start lifecycled
  inside systemctl kill --kill-whom main -s HUP lifecycled
  eventually logged '10-slow reload begins'
  eventually is lifecycled ActiveState reloading
  open_gate 0
  eventually settled
  expect_log $'10-slow reload begins\n10-slow reload ends'
}

@test "a reload does not flap: foreground and background hooks are silent in it" {
  loghook 10-traffic 'foreground background reload'
  inside systemctl start lifecycled
  eventually logged '10-traffic foreground'
  forget_log
  inside systemctl reload lifecycled
  eventually logged '10-traffic reload'
  eventually settled
  expect_log '10-traffic reload'
}

@test "a prepare-reload hook that fails changes nothing; the status names it and the next reload works" {
  loghook 10-first 'prepare-reload reload revert-reload'
  loghook 20-second 'prepare-reload reload revert-reload'
  inside systemctl start lifecycled
  fail_at '20-second prepare-reload'
  run ! inside systemctl reload lifecycled
  eventually said lifecycled '20-second was told to fail'
  eventually settled
  expect lifecycled ActiveState active
  expect_status lifecycled 20-second
  inside systemctl status --no-pager --lines 0 lifecycled | grep -E 'Status:.*20-second: exited 1'
  expect_log $'10-first prepare-reload\n20-second prepare-reload'

  fail_at
  forget_log
  inside systemctl reload lifecycled
  eventually logged '20-second reload'
  eventually settled
  expect lifecycled StatusErrno 0
  [[ $(property lifecycled StatusText) != *20-second* ]]
}

@test "D15: a reload hook that fails reverts those before it, and the unit stays active" {
  loghook 10-first 'prepare-reload reload revert-reload'
  loghook 20-second 'prepare-reload reload revert-reload'
  loghook 30-third 'prepare-reload reload revert-reload'
  inside systemctl start lifecycled
  fail_at '20-second reload'
  run ! inside systemctl reload lifecycled
  eventually logged '10-first revert-reload'
  eventually settled
  expect_status lifecycled 20-second
  expect lifecycled ActiveState active
  expect_log $'10-first prepare-reload\n20-second prepare-reload\n30-third prepare-reload
10-first reload\n20-second reload\n10-first revert-reload'
}

@test "A01: a bad configuration is refused as a whole, the old one stays, and a good one is loaded later" {
  loghook 10-first 'prepare-reload reload stop'
  inside systemctl start lifecycled
  hook 05-new <<<$'[Hook]\nOn=start\nnonsense'
  loghook 20-second 'start reload'
  run ! inside systemctl reload lifecycled
  eventually said lifecycled '/etc/lifecycled/05-new.hook:3:'
  eventually settled
  expect lifecycled ActiveState active
  expect_status lifecycled 05-new.hook
  expect_log ''

  inside rm /etc/lifecycled/05-new.hook
  inside systemctl reload lifecycled
  eventually logged '20-second reload'
  eventually logged '20-second start'
  eventually settled
}
