package cold_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

const (
	cutFile  = "COLD_CUT"  // the shard that TestCut_Child opens and cuts
	sealFile = "COLD_SEAL" // the shard that TestKill_Child seals again and again
)

func child(t *testing.T, test, variable, value string) *exec.Cmd {
	command := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	command.Env = append(os.Environ(), variable+"="+value)
	command.Stderr = os.Stderr
	return command
}

func cutSet() *set { return random(3, cold.FormFloat32, 384, 400) }

// C2: a file that is cut while it is open gives an error, in a process of its own, which a fault would end.
func TestShard_SurvivesACutFile(t *testing.T) {
	path, _ := seal(t, cutSet(), cold.Options{Exact: true})
	out, err := child(t, "TestCut_Child", cutFile, path).Output()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "PASS")
}

func TestCut_Child(t *testing.T) {
	path := os.Getenv(cutFile)
	if path == "" {
		t.Skip("only as a process of TestShard_SurvivesACutFile")
	}
	s, scratch := cutSet(), cold.NewScratch()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := len(b) - 1; cut >= 0; cut -= 4999 {
		require.NoError(t, os.WriteFile(path, b, 0o600))
		shard := open(t, path)
		hits, similarities, err := probe(s, shard, scratch)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, int64(cut)))
		gotHits, gotSimilarities, err := probe(s, shard, scratch)
		if err != nil {
			require.ErrorIs(t, err, cold.ErrRebuild, "cut to %d", cut)
			require.ErrorIs(t, shard.Err(), cold.ErrRebuild)
			continue
		}
		require.Equal(t, hits, gotHits, "cut to %d", cut)
		require.Equal(t, similarities, gotSimilarities, "cut to %d", cut)
	}
}

// noisy prints a line at every so many looks at a row, which tells its parent how far Seal has come.
type noisy struct {
	*set
	looks int
}

func (n *noisy) Row(i int) cold.Row {
	if n.looks++; n.looks%16 == 0 {
		fmt.Println("look")
	}
	return n.set.Row(i)
}

func killSet(which int) *set { return random(uint64(which), cold.FormInt8, 16, 300) }

func TestKill_Child(t *testing.T) {
	path := os.Getenv(sealFile)
	if path == "" {
		t.Skip("only as a process of TestSeal_AKillLeavesTheOldOrTheNew")
	}
	for which := 1; ; which++ {
		_, err := cold.Seal(context.Background(), path, &noisy{set: killSet(which % 2)}, cold.Options{})
		require.NoError(t, err)
	}
}

// C3: kill -9 at any moment leaves one of the two, whole; the next Seal removes what is left beside it.
func TestSeal_AKillLeavesTheOldOrTheNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shard")
	_, err := cold.Seal(context.Background(), path, killSet(0), cold.Options{})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		command := child(t, "TestKill_Child", sealFile, path)
		out, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		lines := bufio.NewScanner(out)
		for range 1 + r.IntN(400) {
			require.True(t, lines.Scan())
		}
		require.NoError(t, command.Process.Kill())
		require.Error(t, command.Wait())
		requireOneOfTwo(t, path)
	}
	_, err = cold.Seal(context.Background(), path, killSet(0), cold.Options{})
	require.NoError(t, err)
	requireNothingBeside(t, path, 1)
}

func requireOneOfTwo(t *testing.T, path string) {
	shard := open(t, path)
	scratch := cold.NewScratch()
	similarities, err := shard.Similarity(killSet(0).Row(0), []uint32{killSet(0).keys[0], killSet(1).keys[0]}, nil, scratch)
	require.NoError(t, err)
	require.Len(t, similarities, 2)
	which := 1
	if similarities[0] == 1 {
		which = 0
	}
	hits, all, err := probe(killSet(which), shard, scratch)
	require.NoError(t, err)
	require.NotEmpty(t, hits)
	for i, key := range killSet(which).keys {
		hit, err := shard.Similarity(killSet(which).Row(i), []uint32{key}, nil, scratch)
		require.NoError(t, err)
		require.EqualValues(t, 1, hit[0])
	}
	require.Len(t, all, 300)
}
