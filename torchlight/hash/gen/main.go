// Gen generates the embedded dictionary of package hash from lists of names:
//
//	go run ./gen names.txt.gz LIST...
//
// A list is a text with a name in each line or, if its name ends in .json, JSON with the names of layout objects and
// their properties, or with the tags of layouts as keys. The lists come from modders, who collected them from the
// game's files and their own, and from the sources of mods.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: gen OUTPUT LIST...")
	}
	names := map[string]bool{}
	for _, list := range os.Args[2:] {
		data, err := os.ReadFile(list)
		if err != nil {
			log.Fatal(err)
		}
		if !strings.HasSuffix(list, ".json") {
			for line := range strings.Lines(string(data)) {
				add(names, strings.TrimRight(line, "\r\n"))
			}
			continue
		}
		var value any
		if err := json.Unmarshal(data, &value); err != nil {
			log.Fatalf("%s: %v", list, err)
		}
		addJSON(names, value)
	}
	if err := os.WriteFile(os.Args[1], write(names), 0o666); err != nil {
		log.Fatal(err)
	}
}

// add adds a name in upper case, converted unit by unit as in the game, if it is valid in a text.
func add(names map[string]bool, name string) {
	if strings.ContainsAny(name, ":\t\n") || strings.HasPrefix(name, "/") || !utf8.ValidString(name) {
		return
	}
	names[strings.Map(unicode.ToUpper, name)] = true
}

// addJSON adds the names in JSON lists of layout objects and of tags.
func addJSON(names map[string]bool, value any) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	if name, ok := object["name"].(string); ok {
		name, _, _ = strings.Cut(name, ">") // the part after it is the group in the editor
		typ, _ := object["type"].(string)
		if n, err := strconv.Atoi(strings.TrimPrefix(typ, "VECTOR")); err == nil && n <= 4 {
			for _, axis := range "XYZW"[:n] {
				add(names, name+string(axis))
			}
		} else {
			add(names, name)
		}
	}
	for key, value := range object {
		switch value.(type) {
		case float64:
			add(names, key)
		case map[string]any:
			addJSON(names, value)
		}
	}
}

// write returns the dictionary: names, with the better one first if two have the same hash, and families.
func write(names map[string]bool) []byte {
	var text bytes.Buffer
	for _, name := range slices.SortedFunc(maps.Keys(names), better) {
		fmt.Fprintln(&text, name)
	}
	for _, f := range families(names) {
		fmt.Fprintf(&text, "%s\t%s\t%d\t%d\n", f.before, f.after, f.lowest, f.highest)
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	z.Write(text.Bytes())
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	return out.Bytes()
}

var (
	property = regexp.MustCompile(`^[A-Z][A-Z0-9_ ]+$`)
	number   = regexp.MustCompile(`[0-9]+`)
	letter   = regexp.MustCompile(`\pL`)
)

// better orders names that look like those of properties first, and then alphabetically, because similar names next to
// each other compress best.
func better(a, b string) int {
	if x, y := property.MatchString(a), property.MatchString(b); x != y {
		if x {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

type family struct {
	before, after   string
	lowest, highest int
}

// families finds at least two names that differ only in one number, and extends them to all numbers up to 100, or up to
// 1000 if a number is above 100.
func families(names map[string]bool) []family {
	found := map[[2]string]*family{}
	count := map[[2]string]int{}
	for name := range names {
		for _, m := range number.FindAllStringIndex(name, -1) {
			digits := name[m[0]:m[1]]
			n, err := strconv.Atoi(digits)
			if err != nil || n >= 1000 || strconv.Itoa(n) != digits {
				continue // numbers with leading zeros do not form a family
			}
			key := [2]string{name[:m[0]], name[m[1]:]}
			if !letter.MatchString(key[0] + key[1]) {
				continue
			}
			f := found[key]
			if f == nil {
				f = &family{key[0], key[1], n, n}
				found[key] = f
			}
			f.lowest, f.highest = min(f.lowest, n), max(f.highest, n)
			count[key]++
		}
	}
	var all []family
	for key, f := range found {
		if count[key] < 2 {
			continue
		}
		f.lowest = min(f.lowest, 1)
		if f.highest <= 100 {
			f.highest = 100
		} else {
			f.highest = 1000
		}
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b family) int {
		return cmp.Or(cmp.Compare(a.before, b.before), cmp.Compare(a.after, b.after))
	})
	return all
}
