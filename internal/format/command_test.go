package format

import (
	"errors"
	"strings"
	"testing"
)

var toyCommands = []*Command{
	{Name: "replace", Args: []Option{{Name: "from"}, {Name: "to", Type: Integer}},
		Options: []Option{{Name: "layer", List: true}, {Name: "flags", Type: Bool}}},
	{Name: "shift", Args: []Option{{Name: "by", Type: Integer, Default: "1"}}},
	{Name: "set", Args: []Option{{Name: "key"}, {Name: "value", List: true}}},
	{Name: "remove", Args: []Option{{Name: "layer", List: true, Need: Required}}},
}

func TestParseSteps(t *testing.T) {
	warned := ""
	job := &Job{Reports: Reports{OnWarn: func(path, _ string) { warned = path }}}
	_, err := ParseSteps(job, toyCommands, strings.Fields("replace --layer a 3 4 --layer=b --flags then shift then "+
		"shift -2 then set -- --key a then"))
	if err == nil || !strings.Contains(err.Error(), "after then") {
		t.Fatalf("a then at the end: %v", err)
	}
	steps, err := ParseSteps(job, toyCommands, strings.Fields("replace --layer a 3 4 --layer=b --flags then shift then "+
		"shift -2 then set -- --key a b"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range steps {
		for _, o := range append(s.Args, s.Options...) {
			got = append(got, o.Name+"="+strings.Join(o.Values(s.Job), "+"))
		}
	}
	want := "from=3 to=4 layer=a+b flags=true by=1 by=-2 key=--key value=a+b"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("got  %s\nwant %s", g, want)
	}
	if steps[3].Job.Warn("x", ""); warned != "x" {
		t.Error("the job of a step does not report to the receiver of the run")
	}
}

func TestParseStepsErrors(t *testing.T) {
	for words, want := range map[string]string{
		"":                       "expected the name",
		"then shift":             "expected the name",
		"shft 1":                 "no such command: shft",
		"shift x":                `shift: BY: expected a whole number, not "x"`,
		"shift 1 2":              `shift: unexpected argument "2": shift [BY]`,
		"replace 1":              "replace: expected TO: replace FROM TO",
		"remove":                 "remove: expected LAYER: remove LAYER...",
		"replace 1 2 --layer":    "replace: --layer needs a value",
		"replace 1 2 --lair x":   "replace: no option --lair",
		"replace 1 2 --flags=no": `replace: --flags: expected true or false, not "no"`,
	} {
		_, err := ParseSteps(&Job{}, toyCommands, strings.Fields(words))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", words, err, want)
		}
		if strings.Contains(want, "no such") != errors.Is(err, ErrCommand) {
			t.Errorf("%q: %v: wrong cause", words, err)
		}
	}
}

func TestUsage(t *testing.T) {
	for i, want := range []string{"replace FROM TO", "shift [BY]", "set KEY [VALUE...]", "remove LAYER..."} {
		if got := toyCommands[i].Usage(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// FuzzParseSteps tests that any words parse to steps with all required values, or to an error.
func FuzzParseSteps(f *testing.F) {
	for _, words := range []string{"replace --layer a 3 4 --flags then shift", "set -- --key a b", "shift -2 then then",
		"replace 1 2 --flags=no"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, line string) {
		steps, err := ParseSteps(&Job{}, toyCommands, strings.Fields(line))
		if err != nil {
			return
		}
		for _, s := range steps {
			for _, o := range s.Args {
				if _, given := s.Job.Values[o.Name]; o.Needed() && !given {
					t.Errorf("%q: %s has no %s", line, s.Name, o.Name)
				}
				if err := o.Check(s.Job.Value(o.Name)); err != nil && !o.List {
					t.Errorf("%q: %s: %v", line, s.Name, err)
				}
			}
		}
	})
}
