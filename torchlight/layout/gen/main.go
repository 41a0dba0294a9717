// Command gen makes dictionary.txt.gz, which package layout embeds: the kinds of
// objects and their properties, and the numbers of the feature tags.
//
//	go run ./torchlight/layout/gen objects.json tags.inc tags.json > torchlight/layout/dictionary.txt.gz
//
// The objects are JSON, an object by number with "name" (a name, and after a
// ">" the category) and "props", an object by code with "type" and "name". Tags
// are lines with "id: 1; name:'A'", and JSON of numbers by name; where both
// name a number, the first one's spelling stays, and each name keeps its number.
//
// The result has a line for each entry, with tabs between the fields: "object",
// number, name and category; after it, for each of its properties the letter
// of its kind, code and name; last, for each tag "tag", number and name.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// letters are the letters of the kinds of values, by their names in the JSON.
var letters = map[string]string{
	"BOOL": "B", "INTEGER": "I", "UNSIGNED INT": "U", "FLOAT": "F", "INT64": "Q", "INTEGER64": "Q",
	"STRING": "S", "TRANSLATE": "T", "VECTOR2": "2", "VECTOR3": "3", "VECTOR4": "4",
}

type object struct {
	Name  string
	Props map[string]struct{ Type, Name string }
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: gen objects.json tags.inc tags.json > dictionary.txt.gz")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(objectsFile, incFile, tagsFile string) error {
	var text bytes.Buffer
	if err := writeObjects(&text, objectsFile); err != nil {
		return err
	}
	if err := writeTags(&text, incFile, tagsFile); err != nil {
		return err
	}
	zw, err := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := zw.Write(text.Bytes()); err != nil {
		return err
	}
	return zw.Close()
}

func writeObjects(text *bytes.Buffer, file string) error {
	var objects map[string]object
	if err := readJSON(file, &objects); err != nil {
		return err
	}
	names := make(map[string]bool)
	for _, number := range sortedNumbers(objects) {
		o := objects[number]
		name, category, _ := strings.Cut(o.Name, ">")
		if names[name] {
			return fmt.Errorf("%s: two objects have the name %q", file, name)
		}
		names[name] = true
		fmt.Fprintf(text, "object\t%s\t%s\t%s\n", number, name, category)
		for _, code := range sortedNumbers(o.Props) {
			p := o.Props[code]
			letter, ok := letters[p.Type]
			if !ok {
				return fmt.Errorf("%s: object %s, property %s: unknown type %q", file, number, code, p.Type)
			}
			fmt.Fprintf(text, "%s\t%s\t%s\n", letter, code, strings.ToUpper(p.Name))
		}
	}
	return nil
}

var tagLine = regexp.MustCompile(`id:\s*(\d+)\s*;\s*name:\s*'([^']*)'`)

func writeTags(text *bytes.Buffer, incFile, tagsFile string) error {
	inc, err := os.ReadFile(incFile)
	if err != nil {
		return err
	}
	var more map[string]int
	if err := readJSON(tagsFile, &more); err != nil {
		return err
	}
	type tag struct {
		number int
		name   string
	}
	var tags []tag
	have := make(map[string]int)
	for _, m := range tagLine.FindAllStringSubmatch(string(inc), -1) {
		number, err := strconv.Atoi(m[1])
		if err != nil {
			return err
		}
		tags = append(tags, tag{number, m[2]})
		have[strings.ToUpper(m[2])] = number
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if n, ok := have[strings.ToUpper(name)]; !ok {
			tags = append(tags, tag{more[name], name})
		} else if n != more[name] {
			return fmt.Errorf("tag %q is number %d and %d", name, n, more[name])
		}
	}
	slices.SortStableFunc(tags, func(a, b tag) int { return cmp.Compare(a.number, b.number) })
	for _, t := range tags {
		fmt.Fprintf(text, "tag\t%d\t%s\n", t.number, t.name)
	}
	return nil
}

func readJSON(file string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// sortedNumbers returns the keys of m, which are numbers, in ascending order.
func sortedNumbers[T any](m map[string]T) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return cmp.Compare(x, y)
	})
}
