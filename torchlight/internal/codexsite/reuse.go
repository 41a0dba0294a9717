package codexsite

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"trowel.example/torchlight/internal/figure"
)

// made describes parts that were made from files of the game. A later site takes them from this one while the files are unchanged.
// It has hashes instead of paths, because a public site has none.
type made struct {
	Reads []string `json:"reads"` // hashes of the paths, in order
	Sum   string   `json:"sum"`   // hash of their contents and of the facts
	Parts []string `json:"parts"`
	Facts string   `json:"facts,omitempty"` // about the parts, as JSON
}

// reuse makes parts, or takes them from the earlier site.
type reuse struct {
	program  string // makes the parts; parts of another program are not reused
	earlier  fs.FS
	manifest *manifest         // of the earlier site; nil: none
	paths    map[string]string // files and folders of the game by the hashes of their paths
	list     func(folder string) []string
}

func hashOf(parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// newReuse returns how the parts of a site are made, with those of an earlier one.
func (w *writer) newReuse() *reuse {
	r := &reuse{program: w.Program, earlier: w.Earlier, paths: make(map[string]string), list: w.names()}
	for _, s := range w.sources {
		for name := range s.Files.Files() {
			name, dir := strings.ToUpper(name), strings.ToUpper(path.Dir(name))+"/"
			r.paths[hashOf(name)], r.paths[hashOf(dir)] = name, dir
		}
	}
	if w.Earlier != nil {
		r.manifest, _ = readManifest(w.Earlier) // without one, everything is made
	}
	return r
}

// reads notes what is read of the files of the game.
type reads struct {
	of  *writer
	mu  sync.Mutex
	sum map[string]string // by the hash of the path
}

// files returns the files of the game. What is read of them is noted, except for some files.
func (r *reads) files(except []string) figure.Files {
	return figure.Files{
		Read: func(name string) ([]byte, error) {
			data, err := r.of.content(name)
			if upper := strings.ToUpper(name); !slices.Contains(except, upper) {
				r.note(upper, contentOf(data, err))
			}
			return data, err
		},
		List: func(folder string) []string {
			list := r.of.reuse.list(folder)
			sum := absent
			if len(list) > 0 {
				sum = hashOf(list...)
			}
			r.note(strings.ToUpper(folder)+"/", sum)
			return slices.Clone(list)
		},
	}
}

func (r *reads) note(name, sum string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum[hashOf(name)] = sum
}

// absent is the hash of a file that does not exist.
const absent = "absent"

func contentOf(data []byte, err error) string {
	if err != nil {
		return absent
	}
	return hashOf(string(data))
}

// total returns the hashes of the paths in order, and that of everything with some facts.
func (r *reads) total(facts string) (paths []string, sum string) {
	paths = slices.Sorted(maps.Keys(r.sum))
	all := append([]string{facts}, paths...)
	for _, p := range paths {
		all = append(all, r.sum[p])
	}
	return paths, hashOf(all...)
}

// parts are the contents of parts by their names.
type parts map[string][]byte

// make returns parts for a key. If the earlier site has them, and everything that they were made from is unchanged, they are
// taken from there. Otherwise do makes them, with facts about them, from the files that it reads. Except are files whose
// part in the result is in the key. Several keys can be made at the same time.
func (w *writer) make(key string, except []string, do func(files figure.Files) (parts, string, error)) (made, error) {
	key = hashOf(w.reuse.program, key)
	m, has := made{}, false
	if w.reuse.manifest != nil {
		m, has = w.reuse.manifest.Made[key]
	}
	var p parts
	if has {
		p, has = w.reuse.take(w, m)
	}
	if !has {
		r := &reads{of: w, sum: make(map[string]string)}
		var facts string
		var err error
		if p, facts, err = do(r.files(except)); err != nil {
			return made{}, err
		}
		m = made{Parts: slices.Sorted(maps.Keys(p)), Facts: facts}
		m.Reads, m.Sum = r.total(facts)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Made[key] = m
	for _, name := range m.Parts {
		if w.Parts[name] == "" {
			if err := w.put(name, p[name]); err != nil {
				return made{}, err
			}
		}
	}
	return m, nil
}

// take returns the parts of the earlier site, unless one of them or something that they were made from has changed.
func (r *reuse) take(w *writer, m made) (parts, bool) {
	now := &reads{of: w, sum: make(map[string]string)}
	files := now.files(nil)
	for _, p := range m.Reads {
		switch name := r.paths[p]; {
		case name == "":
			now.sum[p] = absent
		case strings.HasSuffix(name, "/"):
			files.List(strings.TrimSuffix(name, "/"))
		default:
			_, _ = files.Read(name)
		}
	}
	if _, sum := now.total(m.Facts); sum != m.Sum {
		return nil, false
	}
	all := make(parts)
	for _, name := range m.Parts {
		if !strings.HasPrefix(name, "models/") && !strings.HasPrefix(name, "icons/") {
			return nil, false
		}
		data, err := fs.ReadFile(r.earlier, name)
		if err != nil || partHash(data) != r.manifest.Parts[name] {
			return nil, false
		}
		all[name] = data
	}
	return all, true
}

func partHash(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data))[:32] }
