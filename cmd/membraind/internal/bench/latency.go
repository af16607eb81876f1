package bench

import (
	"slices"
	"time"
)

// latencies are how long calls took.
type latencies []time.Duration

// at returns the quantile q in [0,1] by nearest rank; 0 when there were no calls.
func (l latencies) at(q float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// beyond is what each call took longer than the one of part with the same number.
func (l latencies) beyond(part latencies) latencies {
	more := make(latencies, min(len(l), len(part)))
	for i := range more {
		more[i] = l[i] - part[i]
	}
	return more
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// latency notes p50 and p99 in milliseconds.
func (r *runner) latency(metric string, l latencies) {
	r.add(metric+".p50_ms", millis(l.at(0.50)), "ms", len(l))
	r.add(metric+".p99_ms", millis(l.at(0.99)), "ms", len(l))
}
