package cli

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/membrain-db/membrain/model"
)

const (
	barCells    = 24
	textColumns = 300 // of a text above its parts
	droppedRows = 10
)

// drawResult explains one result: the parts of its score as bars, the inputs of its strength, its state and source.
func drawResult(w io.Writer, rank int, r model.RecallResult) {
	fmt.Fprintf(w, "%d. %.4f  %s  %s  %s\n", rank, r.Score, r.Type, when(r.OccurredAt, r.CreatedAt), r.ID)
	fmt.Fprintf(w, "   %s\n", cut(clean(r.CompactText), textColumns))
	drawParts(w, r.Parts)
	fmt.Fprintf(w, "   strength    %s\n", decayLine(r.EffectiveStrength, r.Decay))
	fmt.Fprintf(w, "   belief      confidence %.2f (%.2f to %.2f), uncertainty %.2f, authority %.2f, conflict %s\n",
		r.Confidence, r.ConfidenceInterval.Low, r.ConfidenceInterval.High, r.Uncertainty, r.Authoritativeness, r.Conflict.State)
	fmt.Fprintf(w, "   state       %s, %s served from %s, salience %.2f, utility %.2f, recalled %d times\n",
		r.Lifecycle, r.Tier, orDash(clean(r.ServedFrom)), r.Salience, r.Utility, r.RecallCount)
	fmt.Fprintf(w, "   source      %s\n\n", sourceLine(r))
}

func sourceLine(r model.RecallResult) string {
	line := fmt.Sprintf("%s, reference %s, found by %s", r.Provenance.SourceKind, valueOrDash(r.Provenance.SourceRef), r.Lane)
	if r.SessionID != nil {
		line += ", session " + clean(*r.SessionID)
	}
	if len(r.Tags) > 0 {
		line += ", tags " + clean(strings.Join(r.Tags, " "))
	}
	for _, parent := range r.Provenance.Lineage {
		line += ", from " + parent.String()
	}
	return line
}

// decayLine names every input of the effective strength, and whether this request stored it.
func decayLine(effective float64, d model.DecayReply) string {
	stored := "computed on reading, not stored"
	if d.Persisted {
		stored = "stored by this request"
	}
	fading := fmt.Sprintf("%d ticks since access at tick %d, now tick %d", d.DeltaTicks, d.LastAccessedTick, d.CurrentTick)
	if d.BypassDecay {
		fading += ", does not fade"
	}
	return fmt.Sprintf("%.4f of base %.4f, stability %.0f ticks, %s; %s", effective, d.BaseStrength, d.Stability, fading, stored)
}

// drawParts draws each part of a score as a bar; a part that is subtracted is drawn light.
func drawParts(w io.Writer, parts map[string]float64) {
	largest := 0.0
	for _, v := range parts {
		largest = max(largest, math.Abs(v))
	}
	for _, name := range partOrder(parts) {
		fmt.Fprintf(w, "   %-11s %+.4f %s\n", clean(name), parts[name], bar(parts[name], largest))
	}
}

func bar(v, largest float64) string {
	if largest == 0 {
		return ""
	}
	cells := int(math.Round(math.Abs(v) / largest * barCells))
	if v < 0 {
		return strings.Repeat("░", cells)
	}
	return strings.Repeat("█", cells)
}

// partOrder is the order of the vocabulary, then that of the alphabet.
func partOrder(parts map[string]float64) []string {
	names := slices.DeleteFunc(model.PartNameLabels(), func(n string) bool { _, has := parts[n]; return !has })
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

func drawStages(w io.Writer, stages []model.StageTrace) {
	if len(stages) == 0 {
		return
	}
	var rows [][]string
	for _, s := range stages {
		bound := "-"
		if s.Bound > 0 {
			bound = fmt.Sprint(s.Bound)
		}
		rows = append(rows, []string{clean(s.Name), fmt.Sprint(s.In), fmt.Sprint(s.Out), bound})
	}
	table(w, []string{"STAGE", "IN", "OUT", "BOUND"}, rows)
	fmt.Fprintln(w)
}

func drawDropped(w io.Writer, dropped []model.DropTrace) {
	if len(dropped) == 0 {
		return
	}
	var rows [][]string
	for _, d := range dropped[:min(len(dropped), droppedRows)] {
		rows = append(rows, []string{d.Stage.String(), clean(d.Reason), rankOf(d), d.ID.String()})
	}
	table(w, []string{"LEFT OUT AT", "BECAUSE", "RANK", "ID"}, rows)
	if more := len(dropped) - droppedRows; more > 0 {
		fmt.Fprintf(w, "and %d more; --json shows all\n", more)
	}
	fmt.Fprintln(w)
}

func rankOf(d model.DropTrace) string {
	if d.Rank == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.4f)", d.Rank, d.Score)
}

// drawQuery shows how the query was read.
func drawQuery(w io.Writer, q *model.QueryTrace) {
	if q == nil {
		return
	}
	var terms []string
	for _, t := range q.Terms {
		terms = append(terms, fmt.Sprintf("%s (in %d)", clean(t.Term), t.DF))
	}
	fmt.Fprintf(w, "terms     %s\n", orDash(strings.Join(terms, ", ")))
	fmt.Fprintf(w, "entities  %s\n", orDash(clean(strings.Join(q.Entities, ", "))))
	fmt.Fprintf(w, "embedder  %s\n", orDash(clean(q.Embedder)))
	if q.Note != "" {
		fmt.Fprintf(w, "note      %s\n", clean(q.Note))
	}
	fmt.Fprintln(w)
}

// drawWhyNot tells why one memory is not among the results.
func drawWhyNot(w io.Writer, d *model.DropTrace) {
	if d == nil {
		return
	}
	fmt.Fprintf(w, "why not %s: left out at %s because %s, rank %s\n", d.ID, d.Stage, clean(d.Reason), rankOf(*d))
	drawParts(w, d.Parts)
	fmt.Fprintln(w)
}
