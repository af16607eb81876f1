package codec_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// reference is the formula of the doc comments, written out on joined bytes.
func reference(key []byte, parts ...string) (d [16]byte) {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		n := uint64(len(part))
		h.Write([]byte{byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		h.Write([]byte(part))
	}
	copy(d[:], h.Sum(nil))
	return d
}

func TestDigests_FollowTheirFormulas(t *testing.T) {
	r := exampleRecord()
	require.Equal(t, reference(r.Salt[:], r.Context, r.Text), codec.ContentDigest(r))
	salt := digest(0x70)
	require.Equal(t, reference(salt[:], "a payload"), codec.PayloadDigest(salt, []byte("a payload")))
	secret := [32]byte{1, 2, 3}
	require.Equal(t, reference(secret[:], "encode", "", "req-1"), codec.KeyedDigest(secret, "encode", "", "req-1"))
}

// Stored digests outlive the code: these values, worked out with another implementation, may never change.
func TestDigests_GoldenValues(t *testing.T) {
	content := codec.ContentDigest(exampleRecord())
	require.Equal(t, "80224f96efd75499e26f04f0042083f3", hex.EncodeToString(content[:]))
	payload := codec.PayloadDigest(digest(0x70), []byte("a payload"))
	require.Equal(t, "51154bc0205d6ef12289e86631306ddb", hex.EncodeToString(payload[:]))
	request := codec.KeyedDigest([32]byte{1, 2, 3}, "encode", "agent", "req-1")
	require.Equal(t, "839fb7311ed3cf8994536e624bf08703", hex.EncodeToString(request[:]))
}

func TestContentDigest_CoversTextAndContextOnly(t *testing.T) {
	base := codec.ContentDigest(exampleRecord())
	with := func(change func(*model.Record)) [16]byte {
		r := exampleRecord()
		change(&r)
		return codec.ContentDigest(r)
	}
	require.Equal(t, base, with(func(r *model.Record) { r.Embeddings = nil }), "embeddings may be replaced")
	require.Equal(t, base, with(func(r *model.Record) { r.Fingerprint = 0 }))
	require.NotEqual(t, base, with(func(r *model.Record) { r.Text += " " }))
	require.NotEqual(t, base, with(func(r *model.Record) { r.Context = "" }))
	require.NotEqual(t, base, with(func(r *model.Record) { r.Salt[15]++ }))
	require.NotEqual(t, base, with(func(r *model.Record) { r.Text, r.Context = r.Context, r.Text }))
	require.NotEqual(t,
		with(func(r *model.Record) { r.Context, r.Text = "ab", "c" }),
		with(func(r *model.Record) { r.Context, r.Text = "a", "bc" }), "a border that moves")
}

func TestKeyedDigest_TellsSplitsAndSecretsApart(t *testing.T) {
	seen := map[[16]byte][]string{}
	for _, parts := range [][]string{nil, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"ab", ""}, {"", "ab"}} {
		d := codec.KeyedDigest([32]byte{}, parts...)
		require.NotContains(t, seen, d, "%q and %q", parts, seen[d])
		seen[d] = parts
	}
	require.NotEqual(t, codec.KeyedDigest([32]byte{1}, "a"), codec.KeyedDigest([32]byte{2}, "a"))
}
