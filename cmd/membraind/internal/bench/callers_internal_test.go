package bench

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCallers_ShareTheCalls(t *testing.T) {
	var seen [100]atomic.Int32
	got, err := times(context.Background(), 7, len(seen), func(i int) error { seen[i].Add(1); return nil })
	require.NoError(t, err)
	require.Equal(t, len(seen), got.done)
	require.Len(t, got.took, len(seen))
	for i := range seen {
		require.Equal(t, int32(1), seen[i].Load(), "call %d", i)
	}
}

func TestCallers_StopWhenTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tick := func(int) error { <-time.After(time.Second); return nil }
		got, err := during(context.Background(), 3, 10*time.Second, tick)
		require.NoError(t, err)
		require.Equal(t, 30, got.done)
		require.Equal(t, 10*time.Second, got.elapsed)
		require.InDelta(t, 3, got.perSecond(), 1e-9)
		require.Equal(t, time.Second, got.took.at(0.99))
	})
}

func TestCallers_FirstErrorStopsAll(t *testing.T) {
	full := errors.New("full")
	got, err := times(context.Background(), 1, 100, func(i int) error {
		if i == 5 {
			return full
		}
		return nil
	})
	require.ErrorIs(t, err, full)
	require.Equal(t, 5, got.done)
}

func TestCallers_StopWithTheirContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	got, err := times(ctx, 1, 100, func(i int) error {
		if i == 9 {
			stop()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 10, got.done)
}
