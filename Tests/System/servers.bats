#!/usr/bin/env bats
# bats file_tags=servers
# Servers as Debian has them, each under the unit that `lifecycled unit` prints for its line in the README. They are
# strangers to one another and share a machine.
load machine

setup_file() {
  boot
  export machine
  # client ADDRESS SAY EXPECT [LEAST]: connects, says the one and waits for the other, again and again, until
  # /run/test/enough is there and LEAST attempts were made; prints when each began (microseconds of the monotonic clock)
  # and what became of it. The last one began when enough was there.
  program /usr/local/bin/client <<'TXT'
#!/usr/bin/python3
import os, socket, sys, time
address = sys.argv[1]
say, expect = (word.encode().decode("unicode_escape").encode("latin-1") for word in sys.argv[2:4])
least = int(sys.argv[4]) if len(sys.argv) > 4 else 0
kind, _, place = address.partition(":")
def outcome():
    with socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET) as s:
        s.settimeout(20)
        s.connect(place if kind == "unix" else (place.split(":")[0], int(place.split(":")[1])))
        s.sendall(say)
        got = b""
        while expect not in got:
            more = s.recv(4096)
            if not more: return "lost: %a" % got
            got += more
        return "answered"
made = 0
while True:
    is_last = os.path.exists("/run/test/enough") and made + 1 >= least
    began = time.monotonic_ns() // 1000
    try: what = outcome()
    except OSError as error: what = "lost: %s" % error
    made += 1
    print(began, what, flush=True)
    if is_last: break
    if not least: time.sleep(0.001)
TXT
}

teardown_file() {
  halt
}

setup() {
  inside rm -f /run/test/enough /run/test/attempts
}

teardown() {
  [[ -n ${BATS_TEST_COMPLETED:-} ]] || explain
  inside touch /run/test/enough
  inside systemctl stop own lifecycled || true  # a test that runs alone may not have the one or the other
}

http='GET / HTTP/1.0\r\n\r\n'

# unit KIND [SETTING...]: own.service is what lifecycled prints for the README's line, with these settings of [Service]
unit() {
  local line settings=("${@:2}")
  line=$(grep -F "| $1 | \`lifecycled run " "$BATS_TEST_DIRNAME/../../README.md")
  line=${line#*\`lifecycled run }
  inside sh -c "lifecycled unit ${line%\` |} >/etc/systemd/system/own.service"
  put /etc/systemd/system/own.service.d/settings.conf <<<"$(printf '%s\n' '[Service]' "${settings[@]}")"
  inside systemctl daemon-reload
}

# try ADDRESS SAY EXPECT [LEAST]: a client in the background that goes on until enough; its attempts are in a file
try() {
  inside rm -f /run/test/enough
  inside sh -c '/usr/local/bin/client "$@" >/run/test/attempts' sh "$@" &
  trying=$!
  eventually inside test -s /run/test/attempts
}

enough() {
  inside touch /run/test/enough
  wait "$trying"
}

# Not one client is turned away once the unit is active, and before that there were some.
starts_when_it_answers() {
  try "$@"
  inside systemctl start own
  enough
  expect own ActiveState active
  inside awk -v began="$(property own ExecMainStartTimestampMonotonic)" \
    -v active="$(property own ActiveEnterTimestampMonotonic)" '
      $1 >= began && $1 < active && $2 != "answered" { before++ }
      $1 >= active { after++; if ($2 != "answered") { print "active, but", $0; lost++ } }
      END { print before + 0, "lost before it was active,", after + 0, "attempts afterwards"; exit !before || !after || lost }
    ' /run/test/attempts
}

# Once, now.
answers() {
  inside /usr/local/bin/client "$@" | grep -q answered
}

cannot_reload() {
  expect own CanReload no
  run ! inside systemctl reload own
}

# stops_clean PATTERN: by itself, so that nothing is left for systemd to kill; PATTERN is what pgrep knows its processes by
stops_clean() {
  inside pgrep -f "$1"
  inside systemctl stop own
  expect own ActiveState inactive
  expect own Result success
  expect own ExecMainStatus 0
  expect own NRestarts 0
  run ! said own 'Killing process'
  run ! said own 'did not end in its time'
  run ! inside pgrep -f "$1"
}

@test "nginx is active when it answers, loses no request in ten reloads, and drains" {
  site() {
    put /etc/nginx/sites-available/default <<<"server { listen 80; location / { return 200 'site $1'; } }"
  }
  site 0
  unit nginx
  starts_when_it_answers tcp:127.0.0.1:80 "$http" 'site 0'

  try tcp:127.0.0.1:80 "$http" 'site ' 2000
  for number in 1 2 3 4 5 6 7 8 9 10; do
    site "$number"
    inside systemctl reload own
    eventually answers tcp:127.0.0.1:80 "$http" "site $number"
  done
  enough
  run ! inside grep lost /run/test/attempts
  stops_clean nginx
}

@test "redis-server says itself when it is ready; it has nothing to reload" {
  unit Redis
  starts_when_it_answers tcp:127.0.0.1:6379 'PING\r\n' '+PONG'
  [[ $(inside redis-cli ping) == PONG ]]
  expect_status own 'Ready to accept connections'
  cannot_reload
  stops_clean redis-server
}

@test "PostgreSQL is active when it lets somebody in, takes a changed setting, and shuts down fast" {
  sql() {
    inside runuser --user postgres -- psql --no-align --tuples-only --command "$1"
  }
  unit PostgreSQL User=postgres
  # a client of protocol 3 that may come in as postgres
  inside sh -c 'echo "local all all trust" >/etc/postgresql/17/main/pg_hba.conf'
  starts_when_it_answers unix:/run/postgresql/.s.PGSQL.5432 \
    '\x00\x00\x00\x17\x00\x03\x00\x00user\x00postgres\x00\x00' 'R\x00\x00\x00\x08\x00\x00\x00\x00'
  sql "ALTER SYSTEM SET work_mem = '5MB'"
  [[ $(sql 'SHOW work_mem') == 4MB ]]
  inside systemctl reload own
  eventually eval '[[ $(sql "SHOW work_mem") == 5MB ]]'
  stops_clean postgres
  said own 'database system is shut down'
}

@test "memcached is active when its socket answers; it has nothing to reload" {
  unit memcached User=memcache RuntimeDirectory=memcached
  starts_when_it_answers unix:/run/memcached/memcached.sock 'version\r\n' 'VERSION 1.'
  cannot_reload
  stops_clean memcached
}

@test "dnsmasq is active when it answers, and reads its hosts again" {
  put /etc/dnsmasq.conf <<<$'no-resolv\naddn-hosts=/etc/own-hosts'
  put /etc/own-hosts <<<'192.0.2.1 one.test'
  put /etc/resolv.conf <<<'nameserver 127.0.0.1'
  unit dnsmasq
  # one.test, IN A, over TCP
  starts_when_it_answers tcp:127.0.0.1:53 \
    '\x00\x1a\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03one\x04test\x00\x00\x01\x00\x01' '\xc0\x00\x02\x01'
  [[ $(inside getent hosts one.test) == 192.0.2.1* ]]
  run ! inside getent hosts two.test
  put /etc/own-hosts <<<'192.0.2.2 two.test'
  inside systemctl reload own
  eventually inside getent hosts two.test
  stops_clean dnsmasq
}

@test "python3 -m http.server is active when it answers; it has nothing to reload" {
  unit "Python's \`http.server\`"
  starts_when_it_answers tcp:127.0.0.1:8000 "$http" '200 OK'
  cannot_reload
  stops_clean 'http.server'
}

@test "prometheus-node-exporter is active when it has metrics; it has nothing to reload" {
  unit exporter
  starts_when_it_answers tcp:127.0.0.1:9100 'GET /metrics HTTP/1.0\r\n\r\n' 'node_'
  cannot_reload
  stops_clean prometheus-node-exporter
}

@test "gunicorn is active when the application answers, and reads it again" {
  app() {
    put /srv/app/app.py <<TXT
def app(environment, start):
    start("200 OK", [])
    return [b"app $1"]
TXT
  }
  app 1
  unit gunicorn
  starts_when_it_answers tcp:127.0.0.1:8000 "$http" 'app 1'
  # Of another length: what Python has compiled counts for a file of the same second and size.
  app 22
  inside systemctl reload own
  eventually answers tcp:127.0.0.1:8000 "$http" 'app 22'
  stops_clean gunicorn
}

@test "a unit whose gunicorn cannot load the application is never active" {
  unit gunicorn Restart=no
  put /srv/app/app.py <<<'nonsense'
  run ! inside systemctl start own
  expect own Result exit-code
  expect own ExecMainStatus 3
}

@test "Reload=overlap: a server on a socket of systemd loses none of 10,000 requests in ten reloads, one of them refused" {
  put /etc/systemd/system/web.socket <<'TXT'
[Socket]
ListenStream=127.0.0.1:8080
FileDescriptorName=web
Service=lifecycled.service
TXT
  program /usr/local/bin/web <<'TXT'
#!/usr/bin/python3
import http.server, os, signal, socket, sys, threading
if os.path.exists("/run/test/broken"): sys.exit(9)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"copy %d" % os.getpid())
    def log_message(self, *_): pass
server = http.server.HTTPServer(("", 0), Handler, bind_and_activate=False)
server.socket = socket.socket(fileno=3)
server.socket.setblocking(False)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
print("up", flush=True)
server.serve_forever(poll_interval=0.05)
TXT
  put /etc/lifecycled/10-web.process <<'TXT'
[Process]
Exec=/usr/local/bin/web
Ready=log:^up$
Sockets=web
Reload=overlap
TXT
  inside systemctl start web.socket
  # the first of them starts the service
  try tcp:127.0.0.1:8080 "$http" 'copy ' 10000
  eventually is lifecycled ActiveState active

  local copies=("$(inside pgrep -f /usr/local/bin/web)") generation=1 round
  for round in 1 2 3 4 5 6 7 8 9 10; do
    if ((round == 5)); then
      inside touch /run/test/broken
      run ! inside systemctl reload lifecycled
      expect_status lifecycled 'reload failed: 10-web: the new copy: ended before it was ready, exit 9'
      [[ $(inside pgrep -f /usr/local/bin/web) == "${copies[-1]}" ]]
      inside rm /run/test/broken
    else
      inside systemctl reload lifecycled
      eventually said lifecycled ": generation $((++generation))"
      copies+=("$(inside pgrep -f /usr/local/bin/web)")
    fi
  done
  eventually is lifecycled ActiveState active
  enough
  (($(inside grep -c answered /run/test/attempts) >= 10000))
  run ! inside grep lost /run/test/attempts
  (($(printf '%s\n' "${copies[@]}" | sort -u | wc -l) == 10))
  inside systemctl stop web.socket lifecycled
  expect lifecycled Result success
  run ! inside pgrep -f /usr/local/bin/web
}
