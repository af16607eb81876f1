package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// writeVectors writes an .fvecs file: before each vector its dimension as int32, all little-endian.
func writeVectors(path string, rows [][]float32) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	out := bufio.NewWriterSize(file, 1<<20)
	var b []byte
	for _, row := range rows {
		b = binary.LittleEndian.AppendUint32(b[:0], uint32(len(row)))
		for _, x := range row {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.Flush()
}

// readWords returns the rows of an .fvecs or .ivecs file as 32-bit words.
func readWords(path string) ([][]uint32, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows [][]uint32
	for len(b) > 0 {
		if len(b) < 4 || uint64(len(b)) < 4+4*uint64(binary.LittleEndian.Uint32(b)) {
			return nil, fmt.Errorf("%s: row %d is cut", path, len(rows))
		}
		row := make([]uint32, binary.LittleEndian.Uint32(b))
		b = b[4:]
		for i := range row {
			row[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		rows, b = append(rows, row), b[4*len(row):]
	}
	return rows, nil
}

func readVectors(path string) ([][]float32, error) {
	words, err := readWords(path)
	rows := make([][]float32, len(words))
	for i, w := range words {
		rows[i] = make([]float32, len(w))
		for j, x := range w {
			rows[i][j] = math.Float32frombits(x)
		}
	}
	return rows, err
}
