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
// pause are added to the next commit of the namespace. A crash loses repeats not yet written, never a first.
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

// repeats hands over the counted refusals, in the order of their last.
func (r *refusals) repeats() []model.Fact {
	if len(r.pending) == 0 {
		return nil
	}
	all := make([]model.RequestRefused, 0, len(r.pending))
	for _, f := range r.pending {
		all = append(all, f)
	}
	clear(r.pending)
	slices.SortFunc(all, func(a, b model.RequestRefused) int {
		return cmp.Or(cmp.Compare(a.At, b.At), slices.Compare(a.Memory[:], b.Memory[:]), cmp.Compare(a.Verb, b.Verb))
	})
	facts := make([]model.Fact, len(all))
	for i, f := range all {
		facts[i] = f
	}
	return facts
}

// refusal adds the audit fact of a refused job. A repeat is only counted: the refusal is returned as an error and
// nothing is written.
func (b *brain) refusal(j *job, refused *model.RefusedError, before []model.Fact) ([]model.Fact, error) {
	var id model.MemoryID
	if len(j.asks) > 0 {
		id = j.asks[0].id
	}
	fact, ok := model.Refusal(j.verb, id, refused, j.at)
	if !ok || b.refusals.repeat(j.caller.Agent, fact) {
		return nil, j.refused
	}
	return append(before, fact), nil
}
