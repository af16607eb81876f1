package bench

import (
	"os"
	"strconv"
	"strings"
)

// writtenBytes is what this process has caused to be written to storage, by whole pages, as the kernel counts it in
// /proc/self/io (write_bytes). false where the system does not count, or keeps its temporary files in memory.
func writtenBytes() (uint64, bool) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "write_bytes:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			return n, err == nil && n > 0
		}
	}
	return 0, false
}
