package effort_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

var update = flag.Bool("update", false, "write the table of docs/limits.md again")

// TestMeter tests that a budget grows with the size and the factor, and that a sum of any order decides.
func TestMeter(t *testing.T) {
	k := effort.Kind{Unit: "steps", Least: 100, Each: 2}
	m := k.Start(50)
	if err := m.Spend(200); err != nil {
		t.Error(err)
	}
	if got, n := k.Nearest(); got != 1 || n != 200 {
		t.Errorf("nearest %v", got)
	}
	err := m.Spend(1)
	if !errors.Is(err, effort.ErrMet) || !errors.Is(err, fault.ErrLimit) || err.Error() != "expected at most 200 steps, found more" {
		t.Error(err)
	}
	if err := k.Start(50).Times(3).Spend(600); err != nil {
		t.Error(err)
	}
	effort.SetFactor(3)
	defer effort.SetFactor(1)
	if err := k.Start(50).Spend(600); err != nil {
		t.Error(err)
	}
	if err := k.Start(50).Spend(601); err == nil {
		t.Error("more than three times the budget")
	}
	effort.SetFactor(effort.MaxFactor)
	huge := effort.Kind{Unit: "steps", Least: 1 << 62, Each: 1 << 62}
	if err := huge.Start(1 << 62).Times(1 << 30).Spend(1 << 61); err != nil {
		t.Error(err)
	}
	effort.SetFactor(1)
	m = k.Start(0)
	met := make([]bool, 101)
	parallel.Each(101, func(i int) { met[i] = m.Spend(1) != nil })
	n := 0
	for _, is := range met {
		if is {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of 101 units met a budget of 100", n)
	}
}

// TestPage tests that docs/limits.md has the table of all kinds.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Work | Counted | Budget | Largest known | Factor |\n| --- | --- | --- | --- | --- |\n")
	for _, k := range effort.Kinds() {
		most, known, part := words.Thousands(k.Least), "none is known", ""
		if k.Each > 0 {
			most += fmt.Sprintf(", and %s for each %s", words.Thousands(k.Each), k.Size)
		}
		if k.Known > 0 {
			known = words.Thousands(k.Known) + ": " + k.Thing
			if part = fmt.Sprintf("%.1f", float64(k.Least)/float64(k.Known)); k.Least >= 10*k.Known {
				part = words.Thousands(k.Least / k.Known)
			}
			if k.Known > k.Least {
				t.Errorf("%s: the largest known has %s, more than the limit", k.Work, known)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", k.Work, k.Unit, most, known, part)
	}
	const name = "../../../docs/limits.md"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), "| Work |")
	_, after, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatalf("%s has no table", name)
	}
	want := before + b.String() + "\n" + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("%s is out of date: run this test with -update", name)
	}
}
