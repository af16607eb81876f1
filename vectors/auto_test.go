package vectors_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

// small makes graphs of few vectors.
var small = vectors.Options{FlatMax: 200, Target: 0.95, Seed: 5}

// topics makes n vectors around 20 directions: random ones have no neighbours to speak of.
func topics(r *rand.Rand, form vectors.Form, dim, n int) []vectors.Embedding {
	middle := make([][]float64, 20)
	for i := range middle {
		for range dim {
			middle[i] = append(middle[i], r.NormFloat64())
		}
	}
	out := make([]vectors.Embedding, n)
	for i := range out {
		out[i].Form = form
		for _, x := range middle[r.IntN(len(middle))] {
			x += 0.7 * r.NormFloat64()
			if form == vectors.FormInt8 {
				out[i].Int8 = append(out[i].Int8, int8(max(-127, min(127, math.Round(25*x)))))
			} else {
				out[i].Float32 = append(out[i].Float32, float32(x))
			}
		}
	}
	return out
}

// grown makes an index of vectors under the keys 0, 1, 2 and so on, and waits for the worker.
func grown(t testing.TB, o vectors.Options, from []vectors.Embedding) (*vectors.Auto, oracle) {
	t.Helper()
	ix, all := vectors.NewIndex(from[0].Dim(), from[0].Form, o), oracle{}
	t.Cleanup(ix.Close)
	for key, e := range from {
		require.NoError(t, ix.Add(uint32(key), e))
		all[uint32(key)] = e
	}
	ix.Settle()
	return ix, all
}

// exactly ranks with a flat index.
func (o oracle) exactly(dim int, form vectors.Form) *vectors.Flat {
	f := vectors.NewFlat(dim, form)
	for key, e := range o {
		if err := f.Add(key, e); err != nil {
			panic(err)
		}
	}
	return f
}

func TestAuto_IsFlatWhileVectorsAreFew(t *testing.T) {
	for _, form := range forms {
		r := rand.New(rand.NewPCG(1, 1))
		ix, o := vectors.NewIndex(33, form, vectors.Options{}), oracle{}
		for range 3 {
			churn(t, r, ix, o, form, 1)
			requireSearches(t, r, ix, o, form, 1)
		}
		require.Zero(t, ix.Stats().GraphNodes)
	}
}

// requireSound checks what holds of every answer, however approximate, and returns the part of the true answers that it has.
func requireSound(t testing.TB, ix *vectors.Auto, flat *vectors.Flat, q vectors.Embedding, k int, filter *roaring.Bitmap) (found, wanted int) {
	t.Helper()
	want, got := flat.Search(q, k, filter), ix.Search(q, k, filter)
	require.Equal(t, len(want), len(got))
	for i, h := range got {
		require.True(t, filter == nil || filter.Contains(h.Key))
		require.Equal(t, flat.Similarity(q, []uint32{h.Key}, nil)[0], h.Similarity)
		if i > 0 {
			require.Negative(t, cmp.Or(cmp.Compare(h.Similarity, got[i-1].Similarity), cmp.Compare(got[i-1].Key, h.Key)))
		}
		if h.Similarity >= want[len(want)-1].Similarity {
			found++
		}
	}
	return found, len(want)
}

func TestAuto_AnswersLikeFlatThroughRandomChanges(t *testing.T) {
	for _, form := range forms {
		t.Run(form.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, 2))
			from := topics(r, form, 24, 3000)
			ix, o := grown(t, small, from[:1000])
			flat := o.exactly(24, form)
			found, wanted := 0, 0
			for i := range 6000 {
				key := uint32(r.IntN(2000))
				switch r.IntN(20) {
				case 0, 1, 2, 3, 4, 5, 6, 7, 8:
					e := from[r.IntN(len(from))]
					require.NoError(t, ix.Add(key, e))
					require.NoError(t, flat.Add(key, e))
				case 9, 10, 11, 12, 13, 14, 15:
					require.Equal(t, flat.Remove(key), ix.Remove(key))
				default:
					k := []int{1, 5, 10, 50, 5000}[r.IntN(5)]
					filter := []*roaring.Bitmap{nil, every(1), every(2), every(10), every(200), roaring.New()}[r.IntN(6)]
					f, w := requireSound(t, ix, flat, from[r.IntN(len(from))], k, filter)
					found, wanted = found+f, wanted+w
				}
				require.Equal(t, flat.Len(), ix.Len())
				if i%1500 == 0 {
					ix.Settle()
					require.Positive(t, ix.Stats().GraphNodes)
				}
			}
			require.True(t, flat.Keys().Equals(ix.Keys()))
			require.Greater(t, float64(found)/float64(wanted), 0.97)
			keys := ix.Keys().ToArray()
			require.Equal(t, flat.Similarity(from[0], keys, nil), ix.Similarity(from[0], keys, nil))
			require.Empty(t, ix.Stats().Fault)
		})
	}
}

// every is a filter of every nth key.
func every(n uint32) *roaring.Bitmap {
	f := roaring.New()
	for key := uint32(0); key < 3000; key += n {
		f.Add(key)
	}
	return f
}

func TestAuto_ReachesItsTarget(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	all := topics(r, vectors.FormFloat32, 48, 6200)
	from, queries := all[200:], all[:200]
	for _, target := range []float64{0.95, 0.99} {
		ix, o := grown(t, vectors.Options{FlatMax: 1000, Target: target, Costs: vectors.Costs{Row: 1e6, Key: 1e6, Visit: 1}}, from)
		flat := o.exactly(48, vectors.FormFloat32)
		s := ix.Stats()
		require.GreaterOrEqual(t, s.RecallSample, target)
		require.Equal(t, len(from), s.GraphNodes)
		require.Zero(t, s.Tail)
		require.Positive(t, s.Levels)
		found, wanted := 0, 0
		for _, q := range queries {
			f, w := requireSound(t, ix, flat, q, 10, nil)
			found, wanted = found+f, wanted+w
		}
		require.GreaterOrEqual(t, float64(found)/float64(wanted), target-0.01, "target %v, width %d", target, s.Ef)
	}
}

func TestAuto_TargetOneIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	o := small
	o.Target = 1
	ix, all := grown(t, o, topics(r, vectors.FormInt8, 24, 1000))
	require.Zero(t, ix.Stats().GraphNodes)
	requireSearches(t, r, ix, all, vectors.FormInt8, 127)
}

func TestAuto_ComesBackToFlat(t *testing.T) {
	for _, form := range forms {
		r := rand.New(rand.NewPCG(5, 5))
		ix, o := grown(t, small, topics(r, form, 24, 600))
		require.Positive(t, ix.Stats().GraphNodes)
		shrink := func(to int) {
			for key := range uint32(600 - to) {
				ix.Remove(key)
				delete(o, key)
			}
		}
		shrink(200) // the graph stays, answers are exact
		ix.Settle()
		require.Positive(t, ix.Stats().GraphNodes)
		requireSearches(t, r, ix, o, form, 127)
		shrink(100)
		ix.Settle()
		require.Zero(t, ix.Stats().GraphNodes)
		requireSearches(t, r, ix, o, form, 127)
		shrink(0)
		requireSearches(t, r, ix, o, form, 127)
	}
}

func TestAuto_RenewsAGraphThatIsMostlyDead(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	ix, o := grown(t, small, topics(r, vectors.FormInt8, 24, 3000))
	before := ix.Stats().GraphNodes
	for key := range uint32(2000) {
		ix.Remove(key)
		delete(o, key)
	}
	ix.Settle()
	s := ix.Stats()
	require.Less(t, s.GraphNodes, before/2+1)
	require.Less(t, s.Tombstones, before/2)
	flat := o.exactly(24, vectors.FormInt8)
	found, wanted := 0, 0
	for key := range uint32(100) {
		f, w := requireSound(t, ix, flat, o[2000+key], 10, nil)
		found, wanted = found+f, wanted+w
	}
	require.GreaterOrEqual(t, float64(found)/float64(wanted), 0.94)
}

func TestAuto_ReadersSeeWhatWritersFinished(t *testing.T) {
	const writers, keys, dim = 2, 800, 16
	for _, form := range forms {
		t.Run(form.String(), func(t *testing.T) {
			ix := vectors.NewIndex(dim, form, vectors.Options{FlatMax: 150, Target: 0.95, Seed: 1})
			defer ix.Close()
			from := topics(rand.New(rand.NewPCG(7, 7)), form, dim, 4000)
			stay := roaring.New()
			for key := range uint32(100) { // these are always there, under one vector or another
				require.NoError(t, ix.Add(key, from[key]))
				stay.Add(key)
			}
			stop := make(chan struct{})
			var readers, all sync.WaitGroup
			for i := range uint64(2) {
				readers.Go(func() {
					r := rand.New(rand.NewPCG(i, 8))
					for {
						select {
						case <-stop:
							return
						default:
						}
						q := from[r.IntN(len(from))]
						checkHits(t, ix.Search(q, 10, nil), 10)
						checkHits(t, ix.Search(q, 100, stay), 100)
						for i, x := range ix.Similarity(q, []uint32{3, 4, 99}, nil) {
							if math.IsNaN(float64(x)) {
								t.Errorf("key %d vanished for a moment", i)
							}
						}
						ix.Stats()
					}
				})
			}
			for w := range uint32(writers) {
				all.Go(func() {
					r := rand.New(rand.NewPCG(uint64(w), 9))
					for range 2500 {
						key, e := 1000*(w+1)+r.Uint32N(keys), from[r.IntN(len(from))]
						switch {
						case w == 0 && r.IntN(10) == 0:
							if ix.Add(r.Uint32N(100), e) != nil {
								t.Error("refused")
							}
						case r.IntN(3) == 0:
							ix.Remove(key)
							if hits := ix.Search(e, 1, roaring.BitmapOf(key)); len(hits) > 0 {
								t.Errorf("found %v, which was removed", hits)
							}
						default:
							if ix.Add(key, e) != nil || ix.Similarity(e, []uint32{key}, nil)[0] != 1 {
								t.Errorf("the writer does not read key %d as written", key)
							}
							if hits := ix.Search(e, 1, roaring.BitmapOf(key)); len(hits) != 1 || hits[0].Similarity != 1 {
								t.Errorf("found %v, not key %d as written", hits, key)
							}
						}
					}
				})
			}
			all.Wait()
			close(stop)
			readers.Wait()
			ix.Settle()
			require.Positive(t, ix.Stats().GraphNodes)
			require.Equal(t, ix.Len(), int(ix.Keys().GetCardinality()))
		})
	}
}

func TestAuto_AfterCloseTakesVectorsAndStartsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	from := topics(r, vectors.FormInt8, 16, 600)
	ix, o := grown(t, small, from[:300])
	ix.Close()
	ix.Close()
	for key := uint32(300); key < 600; key++ {
		require.NoError(t, ix.Add(key, from[key]))
		o[key] = from[key]
	}
	ix.Settle()
	require.Equal(t, 300, ix.Stats().Tail)
	requireSound(t, ix, o.exactly(16, vectors.FormInt8), from[0], 10, nil)
}

func TestOptions_NameEveryFault(t *testing.T) {
	require.NoError(t, vectors.Options{}.Validate())
	err := vectors.Options{Target: 2, FlatMax: -1, Costs: vectors.Costs{Row: 1}}.Validate()
	for _, what := range []string{"target recall 2", "flat up to -1", "costs"} {
		require.ErrorContains(t, err, what)
	}
	require.Panics(t, func() { vectors.NewIndex(3, vectors.FormInt8, vectors.Options{Target: -1}) })
}

func saveAuto(t testing.TB, ix *vectors.Auto) (path string, b []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "index")
	require.NoError(t, ix.SaveFile(path, header))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return path, b
}

func TestLoadIndex_GivesTheSameIndex(t *testing.T) {
	for _, form := range forms {
		t.Run(form.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 9))
			from := topics(r, form, 33, 1500)
			ix, _ := grown(t, small, from[:1000])
			for key := range uint32(100) {
				ix.Remove(key * 3)
				require.NoError(t, ix.Add(key*7+5000, from[key])) // a second key, or a fresh node
			}
			ix.Settle()
			ix.Close()
			for key := uint32(1000); key < 1100; key++ { // these stay in the tail
				require.NoError(t, ix.Add(key, from[key]))
			}
			path, saved := saveAuto(t, ix)
			o := small
			o.Seed = 77 // the file's counts
			got, h, err := vectors.LoadIndex(path, vectors.Header{Namespace: 7, EmbedderID: header.EmbedderID}, o)
			require.NoError(t, err)
			got.Close()
			require.Equal(t, header, h)
			require.True(t, ix.Keys().Equals(got.Keys()))
			for i := range 100 {
				require.Equal(t, ix.Search(from[i], 10, nil), got.Search(from[i], 10, nil))
				require.Equal(t, ix.Search(from[i], 10, every(2)), got.Search(from[i], 10, every(2)))
			}
			if got.Stats().Tail == 100 { // else the worker was quick: other bytes, rightly
				_, again := saveAuto(t, got)
				require.Equal(t, saved, again)
			}
			again, _, err := vectors.LoadIndex(path, header, o)
			require.NoError(t, err)
			defer again.Close()
			again.Settle()
			require.Zero(t, again.Stats().Tail)
			for key := uint32(1100); key < 1500; key++ {
				require.NoError(t, again.Add(key, from[key]))
				again.Remove(key - 600)
			}
			again.Settle()
			require.Equal(t, again.Len(), int(again.Keys().GetCardinality()))
			require.Empty(t, again.Stats().Fault)
		})
	}
}

func TestLoadIndex_ReadsFlatFiles(t *testing.T) {
	flat := filled(t, vectors.FormInt8, 24, 500)
	path, saved := save(t, flat)
	ix, h, err := vectors.LoadIndex(path, header, vectors.Options{})
	require.NoError(t, err)
	require.Equal(t, header, h)
	_, again := saveAuto(t, ix)
	require.Equal(t, saved, again)

	ix, _, err = vectors.LoadIndex(path, header, small) // too large for flat here
	require.NoError(t, err)
	defer ix.Close()
	ix.Settle()
	require.Positive(t, ix.Stats().GraphNodes)
	require.True(t, flat.Keys().Equals(ix.Keys()))
	graph, _ := saveAuto(t, ix)
	_, _, err = vectors.LoadFile(graph, header)
	require.ErrorIs(t, err, vectors.ErrRebuild)

	exact := small
	exact.Target = 1
	ix, _, err = vectors.LoadIndex(graph, header, exact)
	require.NoError(t, err)
	defer ix.Close()
	ix.Settle()
	require.Zero(t, ix.Stats().GraphNodes)
}

func TestLoadIndex_RefusesDamage(t *testing.T) {
	for _, form := range forms {
		ix, _ := grown(t, vectors.Options{FlatMax: 20, Target: 0.95}, topics(rand.New(rand.NewPCG(1, 1)), form, 8, 60))
		ix.Close()
		require.NoError(t, ix.Add(1000, topics(rand.New(rand.NewPCG(2, 2)), form, 8, 1)[0]))
		path, b := saveAuto(t, ix)
		refused := func(b []byte, what string, at int) {
			t.Helper()
			require.NoError(t, os.WriteFile(path, b, 0o600))
			got, _, err := vectors.LoadIndex(path, header, small)
			require.ErrorIs(t, err, vectors.ErrRebuild, "%s %d", what, at)
			require.Nil(t, got)
		}
		for at := 0; at < len(b); at += 1 + at%37 {
			flipped := bytes.Clone(b)
			flipped[at] ^= 1 << (at % 8)
			refused(flipped, "flipped", at)
		}
		for n := 0; n < len(b); n += 1 + n%371 {
			refused(b[:n], "cut to", n)
		}
		refused(append(bytes.Clone(b), 0), "longer", 1)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		other := header
		other.Namespace++
		_, _, err := vectors.LoadIndex(path, other, small)
		require.ErrorIs(t, err, vectors.ErrRebuild)
		require.ErrorContains(t, err, "namespace 7, want 8")
		other = header
		other.EmbedderID += "x"
		_, _, err = vectors.LoadIndex(path, other, small)
		require.ErrorContains(t, err, "another embedder")
	}
}

func TestSaveFile_HoldsNoRemovedVector(t *testing.T) {
	for _, form := range forms {
		from := topics(rand.New(rand.NewPCG(3, 1)), form, 40, 700)
		ix, _ := grown(t, small, from)
		needle := func(e vectors.Embedding) []byte { return e.AppendBinary(nil)[2:] }
		_, b := saveAuto(t, ix)
		require.True(t, bytes.Contains(b, needle(from[123])))
		require.True(t, ix.Remove(123))
		_, b = saveAuto(t, ix)
		require.False(t, bytes.Contains(b, needle(from[123])))
		require.True(t, bytes.Contains(b, needle(from[124])))
	}
}

func BenchmarkAuto(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, form := range forms {
		from := topics(r, form, 384, 20_000)
		ix, _ := grown(b, vectors.Options{Target: 0.95}, from)
		for _, share := range []uint32{1, 2, 10, 100} {
			filter := every(share)
			if share == 1 {
				filter = nil
			}
			b.Run(fmt.Sprintf("%v/filter=1 in %d", form, share), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					ix.Search(from[i%len(from)], 10, filter)
					i++
				}
			})
		}
	}
}
