package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/membrain-db/membrain/vectors"
)

const nearest = 10

// Built is what an index cost.
type Built struct {
	CPUSeconds     float64 `json:"cpu_s"`
	BytesPerVector float64 `json:"bytes_per_vector"`
}

// Point is one width of a search.
type Point struct {
	Ef      int     `json:"ef"`
	Recall  float64 `json:"recall"`            // of the ten nearest by float32, from 0 to 1
	Queries float64 `json:"queries_per_cpu_s"` // one thread
}

var forms = map[string]vectors.Form{"membrain": vectors.FormFloat32, "membrain-int8": vectors.FormInt8}

func pathOf(dir, set, name string) string { return filepath.Join(dir, set+"."+name+".index") }

func embed(form vectors.Form, v []float32) vectors.Embedding {
	if form == vectors.FormFloat32 {
		return vectors.Embedding{Form: form, Float32: v}
	}
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	codes := make([]int8, len(v))
	for i, x := range v {
		codes[i] = int8(math.Round(float64(x) / float64(largest) * 127))
	}
	return vectors.Embedding{Form: form, Int8: codes}
}

// build makes an index of the base and saves it.
func build(dir, set, name string) (Built, error) {
	base, err := readVectors(filepath.Join(dir, set+".base.fvecs"))
	if err != nil {
		return Built{}, err
	}
	rows := make([]vectors.Embedding, len(base))
	for i, v := range base {
		rows[i] = embed(forms[name], v)
	}
	index := vectors.NewIndex(len(base[0]), forms[name], vectors.Options{})
	defer index.Close()
	before := spent()
	for i, e := range rows {
		if err := index.Add(uint32(i), e); err != nil {
			return Built{}, err
		}
	}
	index.Settle()
	b := Built{CPUSeconds: (spent() - before).Seconds(), BytesPerVector: float64(index.Stats().MemoryBytes) / float64(len(base))}
	return b, index.SaveFile(pathOf(dir, set, name), vectors.Header{})
}

// ask searches with several widths.
func ask(dir, set, name string, widths []int) ([]Point, error) {
	questions, err := readVectors(filepath.Join(dir, set+".query.fvecs"))
	if err != nil {
		return nil, err
	}
	truth, err := readWords(filepath.Join(dir, set+".truth.ivecs"))
	if err != nil {
		return nil, err
	}
	asked := make([]vectors.Embedding, len(questions))
	for i, v := range questions {
		asked[i] = embed(forms[name], v)
	}
	var points []Point
	for _, ef := range widths {
		p, err := askAt(pathOf(dir, set, name), asked, truth, ef)
		if err != nil {
			return nil, fmt.Errorf("width %d: %w", ef, err)
		}
		points = append(points, p)
	}
	return points, nil
}

func askAt(path string, asked []vectors.Embedding, truth [][]uint32, ef int) (Point, error) {
	if err := setWidth(path, ef); err != nil {
		return Point{}, err
	}
	index, _, err := vectors.LoadIndex(path, vectors.Header{}, vectors.Options{})
	if err != nil {
		return Point{}, err
	}
	defer index.Close()
	index.Settle()
	if got := index.Stats().Ef; got != ef {
		return Point{}, fmt.Errorf("the index took width %d", got)
	}
	for _, e := range asked[:100] {
		index.Search(e, nearest, nil)
	}
	answers := make([][]vectors.Hit, len(asked))
	before := spent()
	for i, e := range asked {
		answers[i] = index.Search(e, nearest, nil)
	}
	took := spent() - before
	found := 0
	for i, hits := range answers {
		for _, h := range hits {
			if slices.Contains(truth[i], h.Key) {
				found++
			}
		}
	}
	recall := float64(found) / float64(nearest*len(asked))
	return Point{Ef: ef, Recall: recall, Queries: float64(len(asked)) / took.Seconds()}, nil
}

// setWidth changes the width in the first page of a saved index: the package takes a recall to reach in its place, and a
// curve needs points beside it.
func setWidth(path string, ef int) error {
	const pageBytes, widthAt = 4096, 96
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close() // LoadIndex notices what is not written
	page := make([]byte, pageBytes)
	if _, err := file.ReadAt(page, 0); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(page[widthAt:], uint32(ef))
	body := page[:pageBytes-4]
	_, err = file.WriteAt(binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))), 0)
	return err
}
