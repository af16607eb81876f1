package bench

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc/self/stat, on every Linux of today.
const clockTick = 10 * time.Millisecond

// processorTime is what this process has spent of all its cores, system calls and garbage collection included: what a
// busy machine does not change much. false where the system does not tell.
func processorTime() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, false
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name before may hold spaces
	fields := strings.Fields(after)
	const user, system = 11, 12 // fields 14 and 15 of proc_pid_stat(5), the first two cut off
	if len(fields) <= system {
		return 0, false
	}
	u, errU := strconv.ParseInt(fields[user], 10, 64)
	s, errS := strconv.ParseInt(fields[system], 10, 64)
	return time.Duration(u+s) * clockTick, errU == nil && errS == nil
}
