package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const folder = "../../../docs/figures/"

// The picture in the repository is what its figures give.
func TestPlot_PictureIsThatOfTheFigures(t *testing.T) {
	drawn := filepath.Join(t.TempDir(), "vectors.svg")
	require.NoError(t, plot(folder+"vectors.json", drawn))
	got, err := os.ReadFile(drawn)
	require.NoError(t, err)
	want, err := os.ReadFile(folder + "vectors.svg")
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "docs/figures/vectors.svg is out of date: go run ./internal/peers/plot")
}

// Every point of every curve has a place inside its panel, and the picture is well-formed.
func TestDraw_HoldsAllPoints(t *testing.T) {
	f := figures{Sets: []set{{Name: "a", Vectors: 2, Dim: 3, Curves: []curve{
		{Index: "membrain", Points: []point{{0.8, 12_000}, {0.99, 4_000}, {1, 900}}},
		{Index: "hnswlib", Points: []point{{0.7, 5_000}, {0.995, 300}}},
	}}}}
	p := newPanel(f.Sets[0])
	for _, c := range f.Sets[0].Curves {
		for _, at := range c.Points {
			require.GreaterOrEqual(t, p.x(at), 0.0)
			require.LessOrEqual(t, p.x(at), float64(panelWidth))
			require.GreaterOrEqual(t, p.y(at.Queries), 0.0)
			require.LessOrEqual(t, p.y(at.Queries), float64(panelHeight))
		}
	}
	circles := 0
	d := xml.NewDecoder(bytes.NewReader(f.draw()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "circle" {
			circles++
		}
	}
	require.Equal(t, 5, circles)
}

func TestPlot_RefusesWhatIsNoFigures(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.json")
	require.Error(t, plot(in, in+".svg"))
	require.NoError(t, os.WriteFile(in, []byte("[]"), 0o600))
	require.ErrorContains(t, plot(in, in+".svg"), "in.json")
	require.NoFileExists(t, in+".svg")
}
