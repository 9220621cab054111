// A peer: Go's signal.Notify, a goroutine and READY=1 of go-systemd.
package main

import (
	"encoding/binary"
	"os"
	"os/signal"
	"syscall"
	"unsafe"

	"github.com/coreos/go-systemd/daemon"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTERM)
	daemon.SdNotify(false, "READY=1")
	for number := range signals {
		if number == syscall.SIGTERM {
			return
		}
		var now syscall.Timespec
		syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&now)), 0)
		var bytes [8]byte
		binary.LittleEndian.PutUint64(bytes[:], uint64(now.Nano()))
		os.Stdout.Write(bytes[:])
	}
}
