package actors_test

import (
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

type key [16]byte

const hexDigits = "0123456789abcdef"

// keyName is "m/" and a UUID's 32 digits, as for memories.
func keyName(k key) string {
	b := make([]byte, 2, 34)
	copy(b, "m/")
	for _, x := range k {
		b = append(b, hexDigits[x>>4], hexDigits[x&15])
	}
	return string(b)
}

func keyOf(n int) (k key) {
	binary.BigEndian.PutUint64(k[8:], uint64(n))
	return k
}

type idle struct{}

func (idle) Receive(c *actors.Context) {
	if m, ok := c.Message().(ask); ok {
		m.Resolve(1)
	}
}

// withRouter runs f inside an actor that owns a router of idle actors.
func withRouter(b *testing.B, s *actors.System, name string, f func(c *actors.Context, r *actors.Router[key])) {
	done := make(chan struct{})
	spawn(b, s, name, func() actors.Actor {
		var router *actors.Router[key]
		return actors.ActorFunc(func(c *actors.Context) {
			switch m := c.Message().(type) {
			case actors.Started:
				router = actors.NewRouter(actors.RouterOptions[key]{
					Name: keyName, Producer: func() actors.Actor { return idle{} }, ResidentMax: 1 << 30,
				})
				f(c, router)
				close(done)
			case actors.Terminated:
				router.Terminated(c, m)
			}
		})
	})
	<-done
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkIdleActor reports what one idle child of a router costs: name, PID, registry, router entry, mailbox, an empty actor.
// Each has handled Started and one message.
func BenchmarkIdleActor(b *testing.B) {
	const count = 100_000
	for range b.N {
		s := actors.NewSystem(actors.Options{})
		before := heapInUse()
		start := time.Now()
		withRouter(b, s, "brain", func(c *actors.Context, r *actors.Router[key]) {
			for n := range count {
				if err := r.Route(c, keyOf(n), "x"); err != nil {
					b.Errorf("Route = %v", err)
				}
			}
		})
		spawned := time.Since(start)
		waitActors(s, count+1)
		perActor := float64(heapInUse()-before) / count
		b.ReportMetric(perActor, "heap_bytes/actor")
		b.ReportMetric(count/spawned.Seconds(), "spawns/s")
		if perActor > 1000 {
			b.Errorf("an idle actor costs %.0f bytes, want at most 1000", perActor)
		}
		shutdown(b, s)
	}
}

func BenchmarkSpawn(b *testing.B) {
	s := newSystem(b, actors.Options{})
	withRouter(b, s, "brain", func(c *actors.Context, r *actors.Router[key]) {
		b.ReportAllocs()
		b.ResetTimer()
		for n := range b.N {
			if err := r.Route(c, keyOf(n), "x"); err != nil {
				b.Errorf("Route = %v", err)
			}
		}
		b.StopTimer()
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "spawns/s")
}

func BenchmarkTell(b *testing.B) {
	s := newSystem(b, actors.Options{MailboxMax: 1 << 30})
	ref := spawn(b, s, "a", func() actors.Actor { return idle{} })
	b.ReportAllocs()
	for b.Loop() {
		_ = ref.Tell("x") // never over the cap
	}
	settled(b, ref)
}

// BenchmarkAsk is a round trip: tell, handle, answer through a pooled promise.
func BenchmarkAsk(b *testing.B) {
	s := newSystem(b, actors.Options{})
	ref := spawn(b, s, "a", func() actors.Actor { return idle{} })
	ctx := context.Background()
	b.Run("callers=1", func(b *testing.B) {
		var pool actors.Promises[int]
		b.ReportAllocs()
		for b.Loop() {
			askOnce(b, ctx, ref, &pool)
		}
	})
	b.Run("callers=64", func(b *testing.B) {
		var pool actors.Promises[int]
		b.ReportAllocs()
		b.SetParallelism(64 / runtime.GOMAXPROCS(0))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				askOnce(b, ctx, ref, &pool)
			}
		})
	})
}

func askOnce(b *testing.B, ctx context.Context, ref actors.Ref, pool *actors.Promises[int]) {
	q := ask{pool.New()}
	if err := ref.Tell(q); err != nil {
		b.Errorf("Tell = %v", err)
		return
	}
	if _, err := q.Wait(ctx); err != nil {
		b.Errorf("Wait = %v", err)
	}
}

// BenchmarkActivation asks a child that is not resident, through its parent's router: spawn, Started, answer.
func BenchmarkActivation(b *testing.B) {
	type routedAsk struct {
		key key
		q   ask
	}
	s := newSystem(b, actors.Options{})
	ref := spawn(b, s, "brain", func() actors.Actor {
		router := actors.NewRouter(actors.RouterOptions[key]{Name: keyName, Producer: func() actors.Actor { return idle{} }, ResidentMax: 1000})
		return actors.ActorFunc(func(c *actors.Context) {
			switch m := c.Message().(type) {
			case routedAsk:
				if err := router.Route(c, m.key, m.q); err != nil {
					m.q.Fail(err)
				}
			case actors.Terminated:
				router.Terminated(c, m)
			}
		})
	})
	var pool actors.Promises[int]
	took := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for n := range b.N {
		start := time.Now()
		q := ask{pool.New()}
		require.NoError(b, ref.Tell(routedAsk{keyOf(n), q}))
		if _, err := q.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50_us")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "p99_us")
}
