// Checks a copy of the public log with the Go project's own code, golang.org/x/mod/sumdb: note and tlog.
//
// The argument is a folder with `key` (a vkey), `checkpoint`, `old` (an older checkpoint), `tile/…` as it is served, and `proofs.json`:
// {"inclusion": [{"entry", "leaf_index", "path"}], "consistency": [{"from", "to", "path"}]}, bytes in hex. The second argument, a
// signer's key, signs `text`: what comes out is for Moveledger to verify.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type proofs struct {
	Inclusion []struct {
		Entry string   `json:"entry"`
		Index int64    `json:"leaf_index"`
		Path  []string `json:"path"`
	} `json:"inclusion"`
	Consistency []struct {
		From int64    `json:"from"`
		To   int64    `json:"to"`
		Path []string `json:"path"`
	} `json:"consistency"`
}

func main() {
	folder := os.Args[1]
	verifier, err := note.NewVerifier(strings.TrimSpace(string(read(folder, "key"))))
	must(err)
	tree := head(read(folder, "checkpoint"), verifier)
	old := head(read(folder, "old"), verifier)
	fmt.Printf("note: signed by %s, %d leaves, root %s\n", verifier.Name(), tree.N, tree.Hash)

	reader := tlog.TileHashReader(tree, tiles{folder})
	root, err := tlog.TreeHash(tree.N, reader)
	must(err)
	require(root == tree.Hash, "the tiles hash to another root")
	var wanted proofs
	must(json.Unmarshal(read(folder, "proofs.json"), &wanted))
	for _, given := range wanted.Inclusion {
		entry, err := hex.DecodeString(given.Entry)
		must(err)
		leaf := tlog.RecordHash(entry)
		must(tlog.CheckRecord(hashes(given.Path), tree.N, tree.Hash, given.Index, leaf))
		own, err := tlog.ProveRecord(tree.N, given.Index, reader)
		must(err)
		require(same(own, hashes(given.Path)), "Go's path of leaf %d is another", given.Index)
		require(bytes.Equal(entryAt(folder, tree.N, given.Index), entry), "the bundle has another entry %d", given.Index)
	}
	fmt.Printf("inclusion: %d paths hold, and are those that Go makes from the tiles\n", len(wanted.Inclusion))
	for _, given := range wanted.Consistency {
		from, err := tlog.TreeHash(given.From, reader)
		must(err)
		to, err := tlog.TreeHash(given.To, reader)
		must(err)
		if given.From < given.To {
			must(tlog.CheckTree(hashes(given.Path), given.To, to, given.From, from))
		}
		own, err := tlog.ProveTree(given.To, given.From, reader)
		must(err)
		require(same(own, hashes(given.Path)), "Go's proof from %d to %d is another", given.From, given.To)
	}
	before, err := tlog.TreeHash(old.N, reader)
	must(err)
	require(before == old.Hash, "the older checkpoint is of another log")
	fmt.Printf("consistency: %d proofs hold, and are those that Go makes; the checkpoint of %d leaves is a beginning\n", len(wanted.Consistency), old.N)

	if len(os.Args) > 2 {
		signer, err := note.NewSigner(os.Args[2])
		must(err)
		signed, err := note.Sign(&note.Note{Text: string(read(folder, "text"))}, signer)
		must(err)
		must(os.WriteFile(filepath.Join(folder, "signed"), signed, 0o600))
	}
}

// head opens a note and reads what it says: C2SP's tlog-checkpoint, of which x/mod only knows an older dialect.
func head(signed []byte, verifier note.Verifier) tlog.Tree {
	opened, err := note.Open(signed, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	require(len(lines) == 4 && lines[0] == verifier.Name() && lines[3] == "", "not a checkpoint of %s", verifier.Name())
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	raw, err := base64.StdEncoding.DecodeString(lines[2])
	must(err)
	var root tlog.Hash
	require(len(raw) == len(root), "the root has %d bytes", len(raw))
	copy(root[:], raw)
	return tlog.Tree{N: size, Hash: root}
}

type tiles struct{ folder string }

func (t tiles) Height() int                         { return height }
func (t tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t tiles) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range list {
		found = append(found, read(t.folder, served(tile)))
	}
	return found, nil
}

// served gives a tile's path in tlog-tiles: as x/mod has it, but without the height, and "entries" for "data".
func served(tile tlog.Tile) string {
	path := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", height))
	return "tile/" + strings.Replace(path, "data/", "entries/", 1)
}

func entryAt(folder string, size, index int64) []byte {
	first := index >> height << height
	width := size - first
	if width > 1<<height {
		width = 1 << height
	}
	bundle := read(folder, served(tlog.Tile{H: height, L: -1, N: index >> height, W: int(width)}))
	for at := first; ; at++ {
		require(len(bundle) >= 2, "the bundle ends before entry %d", index)
		length := int(bundle[0])<<8 | int(bundle[1])
		require(len(bundle) >= 2+length, "the bundle ends before entry %d", index)
		if at == index {
			return bundle[2 : 2+length]
		}
		bundle = bundle[2+length:]
	}
}

func hashes(texts []string) []tlog.Hash {
	found := []tlog.Hash{}
	for _, text := range texts {
		raw, err := hex.DecodeString(text)
		must(err)
		var hash tlog.Hash
		require(len(raw) == len(hash), "a hash has %d bytes", len(raw))
		copy(hash[:], raw)
		found = append(found, hash)
	}
	return found
}

func same(one, other []tlog.Hash) bool {
	if len(one) != len(other) {
		return false
	}
	for at := range one {
		if one[at] != other[at] {
			return false
		}
	}
	return true
}

func read(folder, name string) []byte {
	found, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	must(err)
	return found
}

func require(holds bool, format string, facts ...any) {
	if !holds {
		must(fmt.Errorf(format, facts...))
	}
}

func must(err error) {
	if err != nil {
		fmt.Println("WRONG:", err)
		os.Exit(1)
	}
}
