package eventlog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

// onDisk is a Bolt that remembers where it lies.
type onDisk struct {
	*eventlog.Bolt
	dir string
}

func openBolt(t testing.TB, dir string, o eventlog.Options) *onDisk {
	t.Helper()
	store, err := eventlog.OpenBolt(dir, o)
	require.NoError(t, err)
	return &onDisk{store, dir}
}

func TestBolt_Conforms(t *testing.T) {
	logtest.Suite{
		New: func(t *testing.T) logtest.Store { return openBolt(t, t.TempDir(), eventlog.Options{}) },
		Reopen: func(t *testing.T, store logtest.Store) logtest.Store {
			require.NoError(t, store.Close())
			return openBolt(t, store.(*onDisk).dir, eventlog.Options{})
		},
	}.Run(t)
}

func TestMemory_Conforms(t *testing.T) {
	logtest.Suite{
		New:    func(*testing.T) logtest.Store { return eventlog.NewMemory() },
		Reopen: func(_ *testing.T, store logtest.Store) logtest.Store { return store.(*eventlog.Memory).Reopened() },
	}.Run(t)
}
