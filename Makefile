# Builds, runs, tests and installs. All flags beyond Package.swift's live here. `make help` says what there is.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=

bindir = $(PREFIX)/bin
unitdir = $(PREFIX)/lib/systemd/system
docdir = $(PREFIX)/share/doc/lifecycled
mandir = $(PREFIX)/share/man
completiondir = $(PREFIX)/share/bash-completion/completions
# The bus does not read /usr/local.
dbusdir = $(if $(filter /usr,$(PREFIX)),/usr/share,/etc)/dbus-1/system.d

# What every debug build and test run has in common, so that none of them undoes another's build.
DEBUG_FLAGS = --explicit-target-dependency-import-check error

# The installed binary runs without a Swift toolchain (static standard library, no RUNPATH) and without libstdc++, is
# position independent, and has few relocations to do at its start (packed ones, which glibc 2.36 and newer reads).
# Two things make it ready in two thirds of the time and 3 MB smaller in memory. Types are made by a call and not from
# their names, for which the runtime looks at all conformances of the program each time. And what runs at a start lies
# together: Packaging/link-order, which Benchmarks/link-order writes.
# The standard library asks for -lstdc++ by name; a folder that holds nothing but the archive makes that the static one.
RELEASE = .build/release-static
RELEASE_STRIP = -Xlinker -s
RELEASE_FLAGS = --configuration release --scratch-path $(RELEASE) $(DEBUG_FLAGS) \
	--static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --gc-sections $(RELEASE_STRIP) \
	-Xlinker --symbol-ordering-file=$(CURDIR)/Packaging/link-order -Xlinker --no-warn-symbol-ordering \
	-Xlinker -L$(CURDIR)/$(RELEASE)/archives
RELEASE_BINARY = $(RELEASE)/lifecycled
RELEASE_SOURCES = $(shell find Sources Package.swift -name '*.docc' -prune -o -type f -print) Makefile Packaging/link-order

MAN_PAGES = $(wildcard Packaging/man/*.[58])
EXAMPLES = Packaging/systemd/hardening.conf $(wildcard Examples/*/*.hook Examples/*/*.process)

TSAN_FLAGS = --scratch-path .build/tsan --sanitize=thread -Xswiftc -DTSAN
# The measures are linked as the installed binary is, but keep their names for a profile.
BENCH_FLAGS = --package-path Benchmarks --scratch-path Benchmarks/.build --configuration release \
	--static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --gc-sections \
	-Xlinker --symbol-ordering-file=$(CURDIR)/Packaging/link-order -Xlinker --no-warn-symbol-ordering \
	-Xlinker -L$(CURDIR)/Benchmarks/.build/archives

LIBRARY_TESTS = ^(MediatorTests|MediatorBridgeTests|MediatorTestKitTests)\.
SYSTEM_TESTS = ^(MediatorLinuxTests|LifecycledTests)\.

export SWIFT DEBUG_FLAGS NO_SKIP

.DEFAULT_GOAL := help
.PHONY: help run test test-tsan bench bench-build bench-check lint docs format release install uninstall clean deps toolchain

help: ## say what there is
	@echo 'make run [ARGS="--config DIR"]     build lifecycled and run it in this terminal'
	@echo 'make test [NO_SKIP=1]              run all tests; with NO_SKIP=1 a skipped one is a failure'
	@echo 'make lint                          format, the law of the rooms, shell, man pages, spelling'
	@echo 'make docs                          the documentation of the libraries, into .build/docs'
	@echo 'make format                        lay the Swift sources out as the lint wants them'
	@echo 'make test-tsan                     run the unit tests under ThreadSanitizer'
	@echo 'make bench [ARGS=--record]         how near the floor: one table, in ten minutes; see Benchmarks/README.md'
	@echo 'make bench-check [ARGS=--record]   counts of instructions and allocations beside their thresholds'
	@echo 'make release                       build the binary that is installed: $(RELEASE_BINARY)'
	@echo 'make install [DESTDIR= PREFIX=]    install it, with unit, man pages, completion (PREFIX is $(PREFIX))'
	@echo 'make uninstall [DESTDIR= PREFIX=]  take it away again; configuration stays'
	@echo 'make clean                         delete what was built'

toolchain:
	@.ci/toolchain

deps:
	@.ci/deps build

run: toolchain deps
	@$(SWIFT) build $(DEBUG_FLAGS) --product lifecycled && exec .build/debug/lifecycled $(ARGS)

test: toolchain deps
	@Tests/run

test-tsan: toolchain deps
	$(SWIFT) test --disable-xctest $(TSAN_FLAGS) --filter '$(LIBRARY_TESTS)' --skip 'Closure|Matrix'
	$(SWIFT) test --disable-xctest $(TSAN_FLAGS) --no-parallel --filter '$(SYSTEM_TESTS)'

bench-build: toolchain
	@.ci/deps build bench
	@mkdir -p Benchmarks/.build/archives
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" Benchmarks/.build/archives/libstdc++.a
	@# The package manager does not know that the order is linked in.
	@for name in bench daemon; do \
		[ ! Packaging/link-order -nt Benchmarks/.build/release/$$name ] || rm -f Benchmarks/.build/release/$$name; done
	$(SWIFT) build $(BENCH_FLAGS)

bench: $(RELEASE_BINARY) bench-build
	@Benchmarks/run $(RELEASE_BINARY) $(ARGS)

bench-check: $(RELEASE_BINARY) bench-build
	@Benchmarks/check $(RELEASE_BINARY) $(ARGS)

lint: toolchain
	@.ci/deps lint
	@.ci/lint

docs: toolchain
	@.ci/deps build docs
	@.ci/docs

format: toolchain
	$(SWIFT) format format --in-place --recursive --configuration .swift-format Sources Tests Examples Package.swift \
		Benchmarks/Sources Benchmarks/Package.swift Benchmarks/Floor Benchmarks/Peers

release: $(RELEASE_BINARY)

# A file of our own with a time of our own: `make release`, then `sudo make install`, needs no Swift as root.
$(RELEASE_BINARY): $(RELEASE_SOURCES)
	@.ci/toolchain
	@.ci/deps build
	@mkdir -p $(RELEASE)/archives
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" $(RELEASE)/archives/libstdc++.a
	$(SWIFT) build $(RELEASE_FLAGS) --product lifecycled
	@install -m 755 $(RELEASE)/release/lifecycled $@

install: $(RELEASE_BINARY)
	install -d -m 755 $(addprefix $(DESTDIR),$(bindir) $(unitdir) $(docdir)/examples $(completiondir) $(dbusdir)) \
		$(DESTDIR)$(mandir)/man5 $(DESTDIR)$(mandir)/man8
	install -m 755 $(RELEASE_BINARY) $(DESTDIR)$(bindir)/lifecycled
	sed 's|^\(Exec[A-Z][a-z]*\)=/usr/bin/|\1=$(bindir)/|' Packaging/systemd/lifecycled.service >$(RELEASE)/lifecycled.service
	install -m 644 $(RELEASE)/lifecycled.service $(DESTDIR)$(unitdir)/lifecycled.service
	install -m 644 Packaging/dbus/io.lifecycled.conf $(DESTDIR)$(dbusdir)/io.lifecycled.conf
	install -m 644 $(EXAMPLES) $(DESTDIR)$(docdir)/examples/
	install -m 644 LICENSE CHANGELOG.md $(DESTDIR)$(docdir)/
	install -m 644 $(filter %.5,$(MAN_PAGES)) $(DESTDIR)$(mandir)/man5/
	install -m 644 $(filter %.8,$(MAN_PAGES)) $(DESTDIR)$(mandir)/man8/
	install -m 644 Packaging/bash-completion/completions/lifecycled $(DESTDIR)$(completiondir)/lifecycled
	@$(if $(DESTDIR),:,echo 'Now: systemctl daemon-reload && systemctl enable --now lifecycled')

uninstall:
	rm -f $(DESTDIR)$(bindir)/lifecycled $(DESTDIR)$(unitdir)/lifecycled.service $(DESTDIR)$(dbusdir)/io.lifecycled.conf
	rm -f $(foreach page,$(notdir $(MAN_PAGES)),$(DESTDIR)$(mandir)/man$(lastword $(subst ., ,$(page)))/$(page))
	rm -f $(DESTDIR)$(completiondir)/lifecycled
	rm -rf $(DESTDIR)$(docdir)
	@$(if $(DESTDIR),:,echo 'Now: systemctl daemon-reload')

clean:
	rm -rf .build Tests/Consumer/.build Benchmarks/.build
