package brain

import (
	"cmp"
	"slices"

	"github.com/membrain-db/membrain/model"
)

// refusalsMax bounds the refusals whose repeats are counted; past it a repeat is written at once.
const refusalsMax = 1024

// refusalPause is the time, in milliseconds, in which the same refusal to the same caller is counted instead of
// written again.
const refusalPause = 60_000

// refusals coalesces the audit facts of refused requests: the first is written at once, its repeats within the
// pause are added to the caller's next commit. The end of the process loses repeats not yet written, never a first.
type refusals struct {
	seen    map[refusalKey]model.Millis
	pending map[refusalKey]model.RequestRefused
}

type refusalKey struct {
	agent  string
	verb   model.Verb
	memory model.MemoryID
	family model.FailureFamily
	flag   model.PolicyFlag
}

func newRefusals() refusals {
	return refusals{seen: map[refusalKey]model.Millis{}, pending: map[refusalKey]model.RequestRefused{}}
}

// repeat counts a refusal that was written a moment ago; false when it has to be written now.
func (r *refusals) repeat(agent string, f model.RequestRefused) bool {
	key := refusalKey{agent, f.Verb, f.Memory, f.Family, f.Flag}
	at, ok := r.seen[key]
	if !ok || f.At-at >= refusalPause {
		if len(r.seen) >= refusalsMax {
			clear(r.seen)
		}
		r.seen[key] = f.At
		return false
	}
	f.Count += r.pending[key].Count
	r.pending[key] = f
	return true
}

// take hands over the counted refusals of a caller, in the order of their last.
func (r *refusals) take(agent string) []model.RequestRefused {
	var list []model.RequestRefused
	for key, f := range r.pending {
		if key.agent == agent {
			list = append(list, f)
			delete(r.pending, key)
		}
	}
	slices.SortFunc(list, func(a, b model.RequestRefused) int {
		return cmp.Or(
			cmp.Compare(a.At, b.At), slices.Compare(a.Memory[:], b.Memory[:]), cmp.Compare(a.Verb, b.Verb),
			cmp.Compare(a.Family, b.Family), cmp.Compare(a.Flag, b.Flag),
		)
	})
	return list
}

// giveBack takes back what take handed over, because its commit failed.
func (r *refusals) giveBack(agent string, list []model.RequestRefused) {
	for _, f := range list {
		key := refusalKey{agent, f.Verb, f.Memory, f.Family, f.Flag}
		if later, ok := r.pending[key]; ok {
			later.Count += f.Count
			f = later
		}
		r.pending[key] = f
	}
}

// restart forgets which refusals were written: some of their commits may have failed.
func (r *refusals) restart() { clear(r.seen) }

// refusal returns the audit fact of a refused job. A repeat is only counted: the refusal is returned as an error and
// nothing is written.
func (b *brain) refusal(j *job, refused *model.RefusedError) (model.Fact, error) {
	var id model.MemoryID
	if len(j.asks) > 0 {
		id = j.asks[0].id
	}
	fact, ok := model.Refusal(j.verb, id, refused, j.at)
	if !ok || b.refusals.repeat(j.caller.Agent, fact) {
		return nil, j.refused
	}
	return fact, nil
}
