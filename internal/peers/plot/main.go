package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	in := flag.String("in", "docs/figures/vectors.json", "figures")
	out := flag.String("out", "docs/figures/vectors.svg", "picture")
	flag.Parse()
	if err := plot(*in, *out); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func plot(in, out string) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	var f figures
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return os.WriteFile(out, f.draw(), 0o644)
}
