package cli

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/trace"
)

func (a *app) dumpCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dump FILE [PATH]",
		Short: "Show every byte of a file",
		Long: `Dump shows every field of a game file in the order in which it is read: its
offset, in hexadecimal and in decimal, its length in bytes, its name and value,
and what the value means. Fields of data that is compressed in the file stand
below, indented, with their offsets in the inflated data. Bytes that belong to
no field are listed at the end as gaps, and so are bytes that the file should
have and lacks. Of a damaged file, dump shows what comes before the damage.

PATH chooses the fields below one: items[3] shows items[3].size and the others
of that item. In an archive, PATH can be that of a file.

With --json it prints an array of {space, path, offset, length, value, meaning}.
Space is the field that the bytes were inflated from, "" for the file itself;
byte strings are in hexadecimal; the path of a gap is "gap".`,
		Example: `  trowel dump climb.map | less
  trowel dump climb.map header
  trowel dump --json broken.map`,
		Args: args(1, 2),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	a.optionFlags(cmd, optionsFor(0))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.page()
		g, err := a.find(cmd, args[0])
		if err != nil {
			return err
		}
		defer g.Close()
		if err := a.ownedOptions(cmd, g.Format); err != nil {
			return err
		}
		if g.Dump == nil {
			return fmt.Errorf("%s: a %s has no bytes to show", g.name, g.Title)
		}
		d := &dump{w: a.out, asJSON: asJSON, list: jsonArray{w: a.out}}
		if !g.src.IsDir() {
			d.size = g.src.Size
		}
		if len(args) == 2 {
			d.path = args[1]
		}
		broke := g.Dump(cmd.Context(), a.job(cmd, g.Format), g.src, d.path, d.field)
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		d.end(g.src)
		if d.err != nil {
			return d.err
		}
		if broke != nil {
			var fault *fault.Error
			if !errors.As(broke, &fault) {
				return named(broke, g.name) // nothing is wrong with the file
			}
			a.talk.fail(named(broke, g.name))
			return errFound
		}
		if d.fields == 0 && d.path != "" {
			return hint(fmt.Errorf("%s: no field %s", g.name, d.path), "`trowel dump %s` shows all", g.name)
		}
		a.talk.say("%s", d.summary())
		return nil
	}
	return cmd
}

// dump prints fields as they come, and keeps in mind which bytes they cover.
type dump struct {
	w      io.Writer
	asJSON bool
	list   jsonArray
	path   string // what is to be shown; "" for everything
	size   int64  // of the file, 0 for a folder
	err    error  // of w

	fields  int
	space   string // of the field printed last
	covered spans  // bytes of the file itself that belong to fields
	gaps    int
	missing int64         // bytes in gaps
	beyond  int64         // bytes that should come after the end of the file
	absent  []trace.Field // what they should be
}

func (d *dump) field(f trace.Field) {
	if f.Space == "" {
		if d.size > 0 && f.Offset >= d.size && f.Len > 0 { // the file should have more
			d.beyond += f.Len
			d.absent = append(d.absent, f)
			return
		}
		d.covered.add(f.Offset, f.Len)
	}
	if d.err != nil || d.path != "" && !under(f.Path, d.path) && !under(f.Space, d.path) {
		return
	}
	d.fields++
	if d.asJSON {
		d.err = d.list.add(object{{"space", f.Space}, {"path", f.Path}, {"offset", f.Offset}, {"length", f.Len}, {"value", jsonValue(f.Value)}, {"meaning", f.Meaning}})
		return
	}
	if f.Space != d.space && f.Space != "" {
		d.printf("%32sinside %s:\n", "", printable(f.Space))
	}
	d.space = f.Space
	indent := ""
	if f.Space != "" {
		indent = "  "
	}
	text := printable(f.Path)
	if v := textValue(f.Value); v != "" {
		text += " = " + v
	}
	if f.Meaning != "" {
		text += "  (" + printable(f.Meaning) + ")"
	}
	d.printf("%s%08x %10d %10d  %s\n", indent, f.Offset, f.Offset, f.Len, text)
}

func (d *dump) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

// end prints the gaps, if the whole file was to be shown.
func (d *dump) end(src *format.Source) {
	if d.path == "" && !src.IsDir() {
		for _, gap := range d.covered.gaps(src.Size) {
			d.gap(src, gap)
		}
		slices.SortStableFunc(d.absent, func(a, b trace.Field) int { return cmp.Compare(a.Offset, b.Offset) })
		for _, f := range d.absent {
			d.missingGap(f)
		}
	}
	if d.asJSON && d.err == nil {
		d.err = d.list.end()
	}
}

// missingGap prints a gap of bytes that the file should have and lacks.
func (d *dump) missingGap(f trace.Field) {
	switch {
	case d.err != nil:
	case d.asJSON:
		d.err = d.list.add(object{{"space", ""}, {"path", "gap"}, {"offset", f.Offset}, {"length", f.Len}, {"value", nil}, {"meaning", "missing: " + f.Meaning}})
	default:
		d.printf("%08x %10d %10d  gap  (missing: %s)\n", f.Offset, f.Offset, f.Len, printable(f.Meaning))
	}
}

func (d *dump) gap(src io.ReaderAt, g span) {
	d.gaps++
	d.missing += g.end - g.start
	data := make([]byte, min(g.end-g.start, preview+1))
	n, _ := src.ReadAt(data, g.start)
	if d.asJSON {
		if d.err == nil {
			d.err = d.list.add(object{{"space", ""}, {"path", "gap"}, {"offset", g.start}, {"length", g.end - g.start}, {"value", hex.EncodeToString(data[:min(n, preview)])}, {"meaning", "belongs to no field"}})
		}
		return
	}
	d.printf("%08x %10d %10d  gap  %s\n", g.start, g.start, g.end-g.start, hexPreview(data[:n]))
}

func (d *dump) summary() string {
	s := plural(d.fields, "field")
	switch {
	case d.path != "":
		return s
	case d.gaps > 0:
		s += fmt.Sprintf(", %s in %s", plural(int(d.missing), "byte"), plural(d.gaps, "gap"))
	case d.beyond == 0:
		s += ", no gaps"
	}
	if d.beyond > 0 {
		s += fmt.Sprintf(", %s missing", plural(int(d.beyond), "byte"))
	}
	return s
}

// under reports whether a field is the one at path, or below it.
func under(field, path string) bool {
	rest, ok := strings.CutPrefix(field, path)
	return ok && (rest == "" || strings.ContainsRune(".[/", rune(rest[0])))
}

// preview is how many bytes or numbers of a long value are shown.
const preview = 16

// textValue writes a value for people, shortened.
func textValue(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		const most = 100
		if len(v) > most {
			return strconv.Quote(v[:most]) + fmt.Sprintf("… (%s)", plural(len(v), "byte"))
		}
		return strconv.Quote(v)
	case []byte:
		s := hexPreview(v)
		if len(v) > preview {
			s += fmt.Sprintf(" (%s)", plural(len(v), "byte"))
		}
		return s
	case fmt.Stringer:
		return printable(v.String())
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		n := min(v.Len(), preview)
		s := fmt.Sprint(v.Slice(0, n).Interface())
		if n < v.Len() {
			s = strings.TrimSuffix(s, "]") + fmt.Sprintf(" …] (%s)", plural(v.Len(), "number"))
		}
		return s
	}
	return printable(fmt.Sprint(value))
}

func hexPreview(b []byte) string {
	s := fmt.Sprintf("% x", b[:min(len(b), preview)])
	if len(b) > preview {
		s += " …"
	}
	return s
}

// jsonValue makes a value fit for JSON.
func jsonValue(value any) any {
	switch v := value.(type) {
	case []byte:
		return hex.EncodeToString(v)
	case float32:
		return jsonValue(float64(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return v
	}
	if _, err := json.Marshal(value); err != nil {
		return fmt.Sprint(value)
	}
	return value
}

// span is the bytes from start up to end.
type span struct{ start, end int64 }

// spans is bytes of a file, in order and merged where they touch.
type spans []span

func (s *spans) add(start, length int64) {
	if length <= 0 {
		return
	}
	one := span{start, start + length}
	list := *s
	// Fields mostly come in order: then this looks at the last span only.
	i := len(list)
	for i > 0 && list[i-1].start > one.end {
		if i > 1 && list[i-2].start > one.end { // far back: search
			i, _ = slices.BinarySearchFunc(list, one.end, func(x span, at int64) int {
				if x.start <= at {
					return -1
				}
				return 1
			})
			break
		}
		i--
	}
	first := i
	for first > 0 && list[first-1].end >= one.start {
		first--
		one.start, one.end = min(one.start, list[first].start), max(one.end, list[first].end)
	}
	*s = slices.Replace(list, first, i, one)
}

// gaps returns what is not covered of a file of the given size.
func (s spans) gaps(size int64) []span {
	var gaps []span
	at := int64(0)
	for _, one := range s {
		if one.start > at {
			gaps = append(gaps, span{at, min(one.start, size)})
		}
		at = max(at, one.end)
	}
	if at < size {
		gaps = append(gaps, span{at, size})
	}
	return gaps
}
