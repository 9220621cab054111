#!/usr/bin/env bats
# What make install leaves, and that it needs nothing but the system.
load machine

@test "the installed binary runs in a root without Swift" {
  run ! inside sh -c 'find / -xdev -name "libswift*" -o -xdev -name "libFoundation*" | grep .'
  run ! inside sh -c 'ldd /usr/bin/lifecycled | grep -i "not found"'
  run inside /usr/bin/lifecycled --version
  [[ $status == 0 && $output == *0.1.0* ]]
}

@test "the binary is position independent, stripped, and has neither a RUNPATH nor a Swift or C++ library to load" {
  local dynamic library
  dynamic=$(readelf --dynamic --wide "$LAYER/usr/bin/lifecycled")
  grep -q 'Flags:.*PIE' <<<"$dynamic"
  grep -q RELR <<<"$dynamic"
  run ! grep -E 'RPATH|RUNPATH' <<<"$dynamic"
  run ! grep -F .symtab <<<"$(readelf --sections --wide "$LAYER/usr/bin/lifecycled")"
  while read -r library; do
    case $library in
      libc.so.* | libm.so.* | libgcc_s.so.* | libsystemd.so.* | ld-linux*) ;;
      *) echo "needs $library"; return 1 ;;
    esac
  done < <(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
}

@test "the man pages and the completion lie where man and bash-completion look for them" {
  local file
  for file in man/man8/lifecycled.8 man/man5/lifecycled.{conf,hook,process}.5 bash-completion/completions/lifecycled; do
    inside test -r "/usr/share/$file"
  done
}

@test "the bus finds who may take the name" {
  inside test -r /usr/share/dbus-1/system.d/io.lifecycled.conf
}

@test "systemd-analyze has nothing to say against the unit, with and without the example drop-in" {
  run inside systemd-analyze verify /usr/lib/systemd/system/lifecycled.service
  [[ $status == 0 && -z $output ]] || { echo "$output"; return 1; }
  inside cp /usr/share/doc/lifecycled/examples/hardening.conf /etc/systemd/system/lifecycled.service.d/
  run inside systemd-analyze verify lifecycled.service
  [[ $status == 0 && -z $output ]] || { echo "$output"; return 1; }
}

@test "the unit starts, reloads and stops under the example drop-in" {
  inside cp /usr/share/doc/lifecycled/examples/hardening.conf /etc/systemd/system/lifecycled.service.d/
  put /etc/systemd/system/lifecycled.service.d/write.conf <<<$'[Service]\nReadWritePaths=/run/test'
  inside systemctl daemon-reload
  loghook 10-first 'start reload stop'
  inside systemctl start lifecycled
  inside systemctl reload lifecycled
  eventually logged '10-first reload'
  inside systemctl stop lifecycled
  expect lifecycled Result success
  expect_log $'10-first start\n10-first reload\n10-first stop'
}

@test "the unit can be enabled, and then starts with the machine" {
  inside systemctl enable --now lifecycled
  expect lifecycled UnitFileState enabled
  inside systemctl list-dependencies --plain multi-user.target | grep -q lifecycled.service
}

@test "uninstall leaves nothing of an install, wherever its prefix is" {
  local folder=$BATS_TEST_TMPDIR/elsewhere
  make -s -C "$BATS_TEST_DIRNAME/../.." install DESTDIR="$folder" PREFIX=/opt/mediator
  grep -x 'ExecStart=/opt/mediator/bin/lifecycled' "$folder/opt/mediator/lib/systemd/system/lifecycled.service"
  grep -x 'ExecReload=/opt/mediator/bin/lifecycled reload' "$folder/opt/mediator/lib/systemd/system/lifecycled.service"
  make -s -C "$BATS_TEST_DIRNAME/../.." uninstall DESTDIR="$folder" PREFIX=/opt/mediator
  run find "$folder" -type f
  [[ -z $output ]]
}
