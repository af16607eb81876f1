package eventlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// adviseWillNeed starts reading a range into the page cache. It is advice: an error costs speed only.
func adviseWillNeed(file *os.File, offset, length int64) {
	_ = unix.Fadvise(int(file.Fd()), offset, length, unix.FADV_WILLNEED)
}
