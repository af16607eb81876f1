//go:build sqlite

package bench

import (
	"context"
	"database/sql"
	"path/filepath"

	_ "modernc.org/sqlite" // registers itself with database/sql
)

// peers are the other databases that the log is compared with. They are linked only under the build tag sqlite, so
// that nobody else carries their 6 MB.
func peers() []func(string) (contender, error) { return []func(string) (contender, error){openSQLite} }

// openSQLite syncs its write-ahead log at every commit. One connection: more would only wait for each other's lock.
func openSQLite(dir string) (contender, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "sqlite.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return contender{}, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(context.Background(), "CREATE TABLE commits (seq INTEGER PRIMARY KEY, stored BLOB)"); err != nil {
		return contender{}, err
	}
	insert, err := db.PrepareContext(context.Background(), "INSERT INTO commits VALUES (?, ?)")
	if err != nil {
		return contender{}, err
	}
	commit := func(n uint64) error {
		bytes, err := stored(n)
		if err != nil {
			return err
		}
		_, err = insert.ExecContext(context.Background(), int64(n), bytes)
		return err
	}
	return contender{"sqlite_wal_full", commit, db.Close}, nil
}
