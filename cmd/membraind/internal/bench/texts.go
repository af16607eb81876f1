package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer makes up what agents might remember, from a seed. What it writes has the shape of notes and turns of
// talk: 10 to 35 words, names that come back, a few frequent words and many rare ones.
type writer struct{ r *rand.Rand }

func newWriter(seed uint64) *writer { return &writer{rand.New(rand.NewPCG(seed, 20260101))} }

// story is one text with what a question about it would name.
type story struct {
	text, who, thing, place string
}

// question asks for a story in other words than its own.
func (s story) question(n int) string {
	forms := []string{
		"What did %s say about the %s in %s?", "When was %s working on the %s near %s?",
		"Which decision about %s and the %s came from %s?", "Where is %s with the %s, was it %s?",
	}
	return fmt.Sprintf(forms[n%len(forms)], s.who, s.thing, s.place)
}

// write makes the next story.
func (w *writer) write() story {
	s := story{who: w.name(), thing: w.thing(), place: w.place()}
	sentences := []string{fmt.Sprintf(w.pick(openings), s.who, w.pick(verbs), s.thing, s.place)}
	for range 1 + w.r.IntN(2) {
		sentences = append(sentences, w.detail())
	}
	s.text = strings.Join(sentences, " ")
	return s
}

// detail is a sentence that adds something.
func (w *writer) detail() string {
	switch w.r.IntN(4) {
	case 0:
		return fmt.Sprintf("%s %s it on %d %s because the %s was %s.", w.name(), w.pick(verbs), 1+w.r.IntN(28), w.pick(months), w.thing(), w.pick(states))
	case 1:
		return fmt.Sprintf("The %s took %d minutes and the %s stayed %s.", w.thing(), 2+w.r.IntN(118), w.thing(), w.pick(states))
	case 2:
		return fmt.Sprintf("Ticket %s-%d says the %s in %s is %s.", strings.ToUpper(w.pick(nouns)[:3]), 100+w.r.IntN(9_000), w.thing(), w.place(), w.pick(states))
	}
	return fmt.Sprintf("Next week %s wants to know whether the %s still %s the %s.", w.name(), w.thing(), w.pick(relations), w.thing())
}

func (w *writer) thing() string { return w.pick(adjectives) + " " + w.often(nouns) }
func (w *writer) place() string { return w.often(places) }

// name is often one of a few people, sometimes one of many.
func (w *writer) name() string {
	if w.r.IntN(4) > 0 {
		return w.often(people)
	}
	return w.pick(starts) + w.pick(middles) + w.pick(ends)
}

func (w *writer) pick(from []string) string { return from[w.r.IntN(len(from))] }

// often draws the first of a list much more often than the last, as words are in texts.
func (w *writer) often(from []string) string {
	at := int(w.r.ExpFloat64() * float64(len(from)) / 4)
	return from[at%len(from)]
}

var (
	openings = []string{
		"%s %s the %s in %s yesterday.", "%s said that the team %s the %s at the %s office.",
		"After lunch %s %s the %s and moved on to %s.", "%s: I finally %s the %s, greetings from %s!",
		"According to %s, nobody %s the %s since the move to %s.", "%s never %s the %s before the visit to %s.",
	}
	verbs = []string{
		"repaired", "reviewed", "deployed", "rejected", "painted", "measured", "cancelled", "renamed", "restored",
		"tested", "presented", "archived", "ordered", "borrowed", "calibrated", "translated", "refactored", "sold",
		"scheduled", "audited", "praised", "unplugged", "documented", "photographed", "merged", "profiled",
	}
	relations = []string{"needs", "blocks", "replaces", "feeds", "contradicts", "follows", "covers", "outlives"}
	states    = []string{
		"late", "flaky", "approved", "missing", "twice as fast", "out of stock", "encrypted", "unsigned", "stable",
		"under review", "too expensive", "half full", "obsolete", "on fire", "reproducible", "in quarantine",
	}
	adjectives = []string{
		"old", "blue", "nightly", "broken", "regional", "shared", "wooden", "digital", "quarterly", "secret", "second",
		"northern", "temporary", "public", "heavy", "remote", "annual", "small", "legacy", "portable", "experimental",
		"handmade", "redundant", "seasonal", "central", "spare", "golden", "automatic", "foreign", "quiet",
	}
	nouns = []string{
		"database", "report", "garden", "server", "contract", "piano", "pipeline", "invoice", "bridge", "recipe",
		"camera", "migration", "budget", "bicycle", "gateway", "interview", "sculpture", "backup", "schedule", "kitchen",
		"firewall", "novel", "telescope", "dashboard", "workshop", "antenna", "vaccine", "compiler", "festival", "queue",
		"greenhouse", "license", "turbine", "playlist", "calendar", "staircase", "certificate", "orchestra", "parser",
		"sailboat", "archive", "marathon", "microscope", "proposal", "battery", "curriculum", "warehouse", "podcast",
		"satellite", "mortgage", "aquarium", "cluster", "dictionary", "elevator", "fireplace", "glossary", "harvest",
		"insurance", "jacket", "keyboard", "lighthouse", "monument", "notebook", "observatory", "passport", "quilt",
		"reservoir", "scaffold", "theatre", "umbrella", "vineyard", "windmill", "xylophone", "yearbook", "zeppelin",
	}
	places = []string{
		"Frankfurt", "Lisbon", "the lab", "Kyoto", "the basement", "Nairobi", "Oslo", "the harbour", "Toronto", "Lima",
		"the library", "Melbourne", "Prague", "the annex", "Seattle", "Hanoi", "the rooftop", "Warsaw", "Quito",
		"the clinic", "Dublin", "Izmir", "the studio", "Tallinn", "Porto", "Sapporo", "the quarry", "Ghent", "Adelaide",
	}
	people = []string{
		"Caroline", "Ahmed", "Mei", "Joanna", "Pavel", "Ingrid", "Tomas", "Priya", "Kofi", "Elena", "Hugo", "Aiko",
		"Samuel", "Leila", "Bram", "Noor", "Victor", "Yusuf", "Greta", "Diego",
	}
	months = []string{"January", "March", "April", "May", "June", "August", "October", "November"}

	starts  = []string{"Bel", "Cor", "Dan", "Fa", "Gor", "Har", "Jo", "Ka", "Lu", "Mar", "Nel", "Or", "Per", "Ro", "Sa", "Ti", "Ul", "Ve", "Wil", "Za"}
	middles = []string{"a", "be", "do", "ki", "la", "mi", "no", "ra", "sti", "ve", "wi", "zu"}
	ends    = []string{"dorf", "ger", "lin", "man", "na", "nen", "ri", "sen", "ska", "ton", "vic", "well"}
)
