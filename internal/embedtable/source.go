package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// dim is the number of components of the source's vectors; each is followed by its length and its rank.
const dim = 100

// readSource returns the first n words of the source with their vectors. The source is one JSON object whose member
// "vectors" maps words, in order of falling frequency, to dim components, the length and the rank.
func readSource(path string, n int) (words []string, rows [][]float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	if err := seekVectors(d); err != nil {
		return nil, nil, fmt.Errorf("find vectors in %s: %w", path, err)
	}
	for len(words) < n {
		word, row, err := readRow(d, len(words))
		if err != nil {
			return nil, nil, fmt.Errorf("row %d of %s: %w", len(words), path, err)
		}
		words, rows = append(words, word), append(rows, row)
	}
	return words, rows, nil
}

// seekVectors leaves d behind the opening brace of the member "vectors".
func seekVectors(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key == "vectors" {
			_, err := d.Token()
			return err
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	return fmt.Errorf("no such member")
}

func readRow(d *json.Decoder, rank int) (word string, row []float64, err error) {
	key, err := d.Token()
	if err != nil {
		return "", nil, err
	}
	word, ok := key.(string)
	if !ok {
		return "", nil, fmt.Errorf("got %v, want a word", key)
	}
	if err := d.Decode(&row); err != nil {
		return "", nil, fmt.Errorf("vector of %q: %w", word, err)
	}
	if len(row) != dim+2 || row[dim+1] != float64(rank) {
		return "", nil, fmt.Errorf("vector of %q has %d numbers ending in %v, want %d ending in its rank", word, len(row), row[len(row)-1:], dim+2)
	}
	return word, row[:dim], nil
}
