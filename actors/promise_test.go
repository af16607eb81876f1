package actors_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

func TestPromise_TheFirstAnswerCounts(t *testing.T) {
	p := actors.NewPromise[int]()
	require.True(t, p.Resolve(1))
	require.False(t, p.Resolve(2))
	require.False(t, p.Fail(errBoom))
	v, err := p.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, v)
	require.False(t, p.Resolve(3), "after Wait nobody listens")
	_, err = p.Wait(t.Context())
	require.ErrorIs(t, err, actors.ErrAwaited)
}

func TestPromise_FailIsReturnedByWait(t *testing.T) {
	var pool actors.Promises[int]
	p := pool.New()
	p.Undelivered(errBoom)
	_, err := p.Wait(t.Context())
	require.ErrorIs(t, err, errBoom)
}

func TestPromise_TheZeroOneAnswersNobody(t *testing.T) {
	var p actors.Promise[int]
	require.False(t, p.Resolve(1))
	_, err := p.Wait(t.Context())
	require.ErrorIs(t, err, actors.ErrAwaited)
}

func TestPromise_WaitGivesUpWithTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := actors.NewPromise[int]()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errBoom)
		defer cancel()
		start := time.Now()
		_, err := p.Wait(ctx)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

func TestPromise_AnAnswerThatIsThereBeatsAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		p := actors.NewPromise[int]()
		p.Resolve(5)
		v, err := p.Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, 5, v)
	}
}

func TestPromise_ASecondWaiterIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := actors.NewPromise[int]()
		first := make(chan int, 1)
		go func() {
			v, _ := p.Wait(context.Background())
			first <- v
		}()
		synctest.Wait()
		_, err := p.Wait(context.Background())
		require.ErrorIs(t, err, actors.ErrAwaited)
		p.Resolve(9)
		require.Equal(t, 9, <-first)
	})
}

// A late answer to a timed-out Wait must never reach the next user of the pooled slot.
func TestPromise_ALateAnswerNeverReachesTheNextUser(t *testing.T) {
	var pool actors.Promises[int]
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	reused := 0
	for n := range 1000 {
		old := pool.New()
		_, err := old.Wait(ended)
		require.ErrorIs(t, err, context.Canceled)
		next := pool.New()
		if old.Resolve(-1) || old.Fail(errBoom) {
			t.Fatal("a late answer was taken")
		}
		require.True(t, next.Resolve(n))
		v, err := next.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, n, v)
		if _, err := old.Wait(t.Context()); errors.Is(err, actors.ErrAwaited) {
			reused++
		}
	}
	require.Equal(t, 1000, reused)
}

func TestPromise_PooledAnswersNeverCross(t *testing.T) {
	var pool actors.Promises[int]
	var answered, late atomic.Int64
	var all sync.WaitGroup
	for asker := range 8 {
		all.Go(func() {
			for n := range 2000 {
				id := asker*10_000 + n
				p := pool.New()
				ctx, cancel := context.WithCancel(context.Background())
				all.Go(func() { p.Resolve(id) })
				all.Go(cancel)
				switch v, err := p.Wait(ctx); {
				case err != nil:
					late.Add(1)
				case v != id:
					t.Errorf("Wait = %d, want %d", v, id)
				default:
					answered.Add(1)
				}
				cancel()
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 16_000, answered.Load()+late.Load())
	t.Logf("%d answered, %d late", answered.Load(), late.Load())
}
