package eventlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	lockName = "lock"
	// lockRetry is how often a waiting opener looks again.
	lockRetry = 20 * time.Millisecond
	// lockNoteBytesMax bounds what is read of a holder's note.
	lockNoteBytesMax = 4 << 10
)

var errLockHeld = errors.New("lock is held")

// dirLock is the lock of a data directory: an advisory lock on the file "lock", whose content names the holder.
// The operating system drops the lock with the process; the file stays.
type dirLock struct {
	file    *os.File
	started time.Time

	mu       sync.Mutex
	released bool
}

// lockNote is the JSON in the lock file.
type lockNote struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Socket  string    `json:"socket,omitempty"`
}

// lockDir takes the lock, waiting at most wait for another holder. Errors: LockedError, ErrUnavailable.
func lockDir(dir, socket string, wait time.Duration, now time.Time) (*dirLock, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", unavailable(err))
	}
	if err := waitForLock(file, wait); err != nil {
		note := readNote(file)
		file.Close() // only read from
		if errors.Is(err, errLockHeld) {
			return nil, &LockedError{Dir: dir, PID: note.PID, Started: note.Started, Socket: note.Socket}
		}
		return nil, fmt.Errorf("lock data directory: %w", unavailable(err))
	}
	lock := &dirLock{file: file, started: now}
	if err := lock.announce(socket); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return lock, nil
}

func waitForLock(file *os.File, wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for {
		err := tryLock(file)
		if !errors.Is(err, errLockHeld) || !time.Now().Before(deadline) {
			return err
		}
		<-time.After(min(lockRetry, time.Until(deadline)))
	}
}

// announce writes who holds the directory and where it listens.
func (l *dirLock) announce(socket string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return ErrClosed
	}
	note, err := json.Marshal(lockNote{PID: os.Getpid(), Started: l.started.UTC(), Socket: socket})
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write lock file: %w", unavailable(err))
	}
	if _, err := l.file.WriteAt(append(note, '\n'), 0); err != nil {
		return fmt.Errorf("write lock file: %w", unavailable(err))
	}
	return nil
}

func readNote(file *os.File) (note lockNote) {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, lockNoteBytesMax))
	if err != nil || json.Unmarshal(text, &note) != nil {
		return lockNote{} // the holder is about to write it; it is held all the same
	}
	return note
}

func (l *dirLock) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return nil
	}
	l.released = true
	// A stale note would name a process that no longer holds anything. Failing to blank it harms nobody.
	_ = l.file.Truncate(0)
	return l.file.Close()
}
