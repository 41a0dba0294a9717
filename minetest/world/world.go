// Package world reads and writes the parts of a Minetest world other than its blocks: world.mt and the other files of
// settings, the players, the accounts, and the storage of mods, in each backend of the engine. It finds the database
// of blocks, which package mapdb reads, and checks the whole world.
//
// Opening something never changes the world. A store that is opened for writing changes nothing before its Commit.
package world

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
)

// The lines that end files of settings.
const (
	MapMetaEnd = "[end_of_params]" // map_meta.txt
	EnvMetaEnd = "EnvArgsEnd"      // env_meta.txt
)

// ReadWorldMT reads world.mt of the world in dir. A world of 2011 has no world.mt: its settings are empty. So are those of a file
// of zero bytes, which a loss of power leaves.
func ReadWorldMT(dir string) (*Settings, error) {
	text, err := readFile(filepath.Join(dir, "world.mt"))
	if errors.Is(err, fs.ErrNotExist) {
		return ParseSettings(nil, ""), nil
	}
	if err != nil {
		return nil, err
	}
	if len(bytes.Trim(text, "\x00")) == 0 {
		text = nil
	}
	return ParseSettings(text, ""), nil
}

// GameID returns the ID of the game of the world, or "" if there is none.
func (s *Settings) GameID() string {
	id, _ := s.Get("gameid")
	return id
}

// WorldName returns the name of the world in dir: the name in its settings s, or the name of the folder.
func WorldName(dir string, s *Settings) string {
	if name, _ := s.Get("world_name"); name != "" {
		return name
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

// Mods yields the mods in world.mt, and whether each is enabled. Values other than "true" also enable a mod: newer
// engines write the name of the folder that contains the mod.
func (s *Settings) Mods() iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for name, value := range s.All() {
			if mod, ok := strings.CutPrefix(name, "load_mod_"); ok && !yield(mod, value != "false" && value != "nil") {
				return
			}
		}
	}
}

// texts are the files of a world that the engine reads as a whole.
var texts = []string{"world.mt", "map_meta.txt", "env_meta.txt", "ipban.txt", "auth.txt", "force_loaded.txt"}

// CheckText returns an error if a file that the engine reads as a whole cannot be read that way: it is a folder or a
// pipe, or it is larger than [effort.TextFile] allows. The name is relative to the folder of the world.
func CheckText(name string, info fs.FileInfo) error {
	switch {
	case !slices.Contains(texts, name):
		return nil
	case !info.Mode().IsRegular():
		return notAFile("", info)
	case info.Size() > effort.TextFile.Limit(0):
		return regular.TooLarge("", info.Size(), effort.TextFile)
	}
	return nil
}

// UnreadableTexts yields the names of the files in the folder of a world that [CheckText] rejects, each with the
// error.
func UnreadableTexts(dir string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range texts {
			info, err := os.Stat(filepath.Join(dir, name))
			if err == nil {
				err = CheckText(name, info)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !yield(name, err) {
				return
			}
		}
	}
}

func notAFile(name string, info fs.FileInfo) error {
	return &fault.Error{File: name, Offset: -1, Want: "a file", Got: info.Mode().Type().String(), Err: fault.ErrFormat}
}

// readFile reads a regular file; folders and devices are rejected.
func readFile(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, notAFile(filepath.Base(path), st)
	}
	data, err := regular.ReadFile(path, effort.TextFile)
	if regular.IsPointer(data) {
		return nil, &fault.Error{File: filepath.Base(path), Offset: -1, Err: regular.ErrPointer}
	}
	return data, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// wrong returns an error about a value in a database or a file.
func wrong(file, path, want, format string, args ...any) *fault.Error {
	return &fault.Error{File: file, Path: path, Offset: -1, Want: want, Got: fmt.Sprintf(format, args...), Err: fault.ErrFormat}
}
