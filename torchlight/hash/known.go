package hash

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The embedded dictionary, made by the program in gen: names that stand in the
// files of mods and in the game's own strings, as modders collected them, and
// those of layout objects and their properties. A line is a name in upper case, or
// a family: what stands before the number, what after it, and the lowest and the
// highest number, with tabs between them.
//
//go:generate go run ./gen names.txt.gz LISTS...
//go:embed names.txt.gz
var dictionary []byte

// Known returns the names that are known without any mod: those of the embedded
// list, and below them those of its numbered families, such as LEVEL1 to LEVEL100,
// also where the list lacks members.
func Known() *Names { return known() }

var known = sync.OnceValue(load)

func load() *Names {
	var names, families []string
	for line := range strings.Lines(inflate(dictionary)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.IndexByte(line, '\t') < 0 {
			names = append(names, line)
		} else {
			families = append(families, line)
		}
	}
	members := newNames(nil, 0, members(families))
	return newNames(members, len(names), slices.Values(names))
}

// members goes through the names of families.
func members(families []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range families {
			f := strings.Split(line, "\t")
			lowest, _ := strconv.Atoi(f[2])
			highest, _ := strconv.Atoi(f[3])
			for i := lowest; i <= highest; i++ {
				if !yield(f[0] + strconv.Itoa(i) + f[1]) {
					return
				}
			}
		}
	}
}

// inflate cannot fail: the tests read what is embedded.
func inflate(data []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic("hash: embedded names: " + err.Error())
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic("hash: embedded names: " + err.Error())
	}
	return string(text)
}
