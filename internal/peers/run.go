package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Figures is what docs/figures/vectors.json holds; internal/peers/plot draws it.
type Figures struct {
	Machine string `json:"machine"`
	Load    string `json:"load"` // tasks waiting for processors: averages over 1, 5 and 15 minutes, at the end
	Rounds  int    `json:"rounds"`
	Sets    []Set  `json:"sets"`
}

// Set is one set of vectors.
type Set struct {
	Name    string  `json:"name"`
	Vectors int     `json:"vectors"`
	Dim     int     `json:"dim"`
	Curves  []Curve `json:"curves"`
}

// Curve is one index on one set.
type Curve struct {
	Index  string  `json:"index"`
	Built  Built   `json:"built"`
	Points []Point `json:"points"`
}

var widths = map[string][]int{
	"clustered": {16, 32, 64, 96, 128, 192, 256},
	"glove":     {16, 32, 64, 128, 256, 512},
}

var indexes = []string{"membrain", "membrain-int8", "hnswlib", "usearch", "usearch-i8"}

// run asks every index that stands in dir, in turns, and returns the medians of the rounds.
func run(dir string, rounds int, python, script string) (Figures, error) {
	out := Figures{Machine: machine(), Rounds: rounds}
	for _, name := range slices.Sorted(maps.Keys(widths)) {
		set, err := runSet(dir, name, rounds, python, script)
		if err != nil {
			return Figures{}, fmt.Errorf("%s: %w", name, err)
		}
		out.Sets = append(out.Sets, set)
	}
	out.Load = load()
	return out, nil
}

func runSet(dir, name string, rounds int, python, script string) (Set, error) {
	set := Set{Name: name}
	for _, index := range indexes {
		var built Built
		text, err := os.ReadFile(filepath.Join(dir, name+"."+index+".build.json"))
		if err == nil && len(text) > 0 { // a set without one of the peers is fine
			if err := json.Unmarshal(text, &built); err != nil {
				return Set{}, err
			}
			set.Curves = append(set.Curves, Curve{Index: index, Built: built})
		}
	}
	seen := make([][][]Point, len(set.Curves))
	for round := range rounds {
		for i, c := range set.Curves {
			points, err := askEither(dir, name, c.Index, python, script)
			if err != nil {
				return Set{}, fmt.Errorf("%s, round %d: %w", c.Index, round, err)
			}
			seen[i] = append(seen[i], points)
		}
	}
	for i := range set.Curves {
		set.Curves[i].Points = medians(seen[i])
	}
	base, err := os.Stat(filepath.Join(dir, name+".base.fvecs"))
	if err != nil {
		return Set{}, err
	}
	questions, err := readVectors(filepath.Join(dir, name+".query.fvecs"))
	if err != nil {
		return Set{}, err
	}
	set.Dim = len(questions[0])
	set.Vectors = int(base.Size()) / (4 + 4*set.Dim)
	return set, nil
}

func askEither(dir, set, index, python, script string) (points []Point, err error) {
	if _, ours := forms[index]; ours {
		return ask(dir, set, index, widths[set])
	}
	args := []string{script, "ask", dir, set, index}
	for _, ef := range widths[set] {
		args = append(args, strconv.Itoa(ef))
	}
	command := exec.Command(python, args...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &points)
	return points, err
}

// medians of the rates of several rounds. The recall of a width is the same in all.
func medians(rounds [][]Point) []Point {
	points := slices.Clone(rounds[0])
	for i := range points {
		var rates []float64
		for _, round := range rounds {
			rates = append(rates, round[i].Queries)
		}
		slices.Sort(rates)
		points[i].Queries = rates[len(rates)/2]
	}
	return points
}

// machine and load say what Linux tells; other systems say less.
func machine() string {
	model := "unknown processor"
	text, err := os.ReadFile("/proc/cpuinfo")
	if _, after, ok := strings.Cut(string(text), "model name"); err == nil && ok {
		line, _, _ := strings.Cut(after, "\n")
		model = strings.TrimLeft(line, "\t :")
	}
	return fmt.Sprintf("%s, %d threads, %s", model, runtime.NumCPU(), runtime.Version())
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
