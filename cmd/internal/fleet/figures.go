package fleet

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// figures describe a work and the machines that do it. Times are in seconds, sizes in bytes.
type figures struct {
	parts, part, cpu, spread, read, split, merge, start float64 // the work
	cores, machines, source, queue, connections         float64 // what workers share
	slow, factor, mtbf, back, rescue, limit, attempts   float64 // what goes wrong

	sizes []float64 // of each part, if they were measured
}

// figure is the declaration of a figure that users give and read.
type figure struct {
	name, means string
	unit        unit
	at          func(*figures) *float64
	least, most float64
}

type unit string

const (
	number   unit = "number"
	duration unit = "time"
	volume   unit = "size"
)

const forever = 365 * 24 * 3600.0

// allFigures declares the figures, those of the work first.
var allFigures = []figure{
	{"parts", "number of parts", number, func(f *figures) *float64 { return &f.parts }, 1, 1e6},
	{"part", "mean time of a part on one worker alone", duration, func(f *figures) *float64 { return &f.part }, 1e-6, forever},
	{"cpu", "processor time of a part", duration, func(f *figures) *float64 { return &f.cpu }, 0, forever},
	{"spread", "standard deviation of the logarithm of the times of parts", number, func(f *figures) *float64 { return &f.spread }, 0, 5},
	{"read", "bytes that a part reads", volume, func(f *figures) *float64 { return &f.read }, 0, 1e18},
	{"split", "time of splitting the work", duration, func(f *figures) *float64 { return &f.split }, 0, forever},
	{"merge", "time of merging all results", duration, func(f *figures) *float64 { return &f.merge }, 0, forever},
	{"start", "time of starting the process of a part, part of it", duration, func(f *figures) *float64 { return &f.start }, 0, forever},
	{"cores", "processors of a machine", number, func(f *figures) *float64 { return &f.cores }, 1, 1e4},
	{"machines", "machines that workers share; 0: one for each", number, func(f *figures) *float64 { return &f.machines }, 0, 1e6},
	{"source", "bytes a second that all workers can read; 0: no limit", volume, func(f *figures) *float64 { return &f.source }, 0, 1e18},
	{"queue", "parts a second that the queue hands out", number, func(f *figures) *float64 { return &f.queue }, 1e-3, 1e6},
	{"connections", "max_connections of PostgreSQL; a worker needs five", number, func(f *figures) *float64 { return &f.connections }, 8, 1e6},
	{"slow", "fraction of workers that are slow", number, func(f *figures) *float64 { return &f.slow }, 0, 1},
	{"factor", "how many times longer a slow worker needs", number, func(f *figures) *float64 { return &f.factor }, 1, 1e6},
	{"mtbf", "mean time of work until a worker dies; 0: never", duration, func(f *figures) *float64 { return &f.mtbf }, 0, 100 * forever},
	{"back", "time until a dead worker is started again", duration, func(f *figures) *float64 { return &f.back }, 0, forever},
	{"rescue", "time until another worker does the part of a dead one", duration, func(f *figures) *float64 { return &f.rescue }, 0, forever},
	{"limit", "time after which a part is ended", duration, func(f *figures) *float64 { return &f.limit }, 1e-3, forever},
	{"attempts", "attempts until a part is given up", number, func(f *figures) *float64 { return &f.attempts }, 1, maxAttempts},
}

// ofWork is the number of figures that are measured.
const ofWork = 8

// newFigures returns the figures that are assumed: the rate of the queue is that of docs/scale.md, and connections is the
// default of PostgreSQL.
func newFigures(cores int) *figures {
	return &figures{start: 0.05, cores: float64(cores), queue: 380, connections: 100, factor: 4, back: 60, rescue: 8, limit: 600, attempts: 5}
}

// chosen are the figures that a user gives: NAME=VALUE,NAME=VALUE.
type chosen struct {
	*figures
	given map[string]bool
}

func (c *chosen) String() string { return "" }
func (c *chosen) Type() string   { return "figures" }

// Set parses figures.
func (c *chosen) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(word, "=")
		var of *figure
		for i := range allFigures {
			if allFigures[i].name == strings.TrimSpace(name) {
				of = &allFigures[i]
			}
		}
		if of == nil || !ok {
			return fmt.Errorf("expected NAME=VALUE with a name of --help, not %.50q", word)
		}
		v, err := of.unit.parse(value)
		if err != nil || !(v >= of.least && v <= of.most) {
			return fmt.Errorf("%s: expected a %s from %s to %s, not %.50q", of.name, of.unit, of.unit.format(of.least),
				of.unit.format(of.most), value)
		}
		if *of.at(c.figures) = v; of.name == "parts" || of.name == "attempts" {
			*of.at(c.figures) = math.Trunc(v)
		}
		c.given[of.name] = true
	}
	return nil
}

func (u unit) parse(text string) (float64, error) {
	switch u {
	case duration:
		d, err := time.ParseDuration(text)
		if text == "0" {
			err = nil
		}
		return d.Seconds(), err
	case volume:
		scale := 1.0
		for i, c := range "KMGT" {
			if rest, ok := strings.CutSuffix(text, string(c)); ok {
				text, scale = rest, math.Pow(1000, float64(i+1))
			}
		}
		v, err := strconv.ParseFloat(text, 64)
		return v * scale, err
	}
	return strconv.ParseFloat(text, 64)
}

// format returns a value in the form that parse reads, with three digits.
func (u unit) format(v float64) string {
	switch u {
	case duration:
		return inSeconds(v)
	case volume:
		scale := ""
		for _, c := range "KMGT" {
			if v < 1000 {
				break
			}
			v, scale = v/1000, string(c)
		}
		return strconv.FormatFloat(round3(v), 'f', -1, 64) + scale
	}
	return strconv.FormatFloat(round3(v), 'f', -1, 64)
}

// round3 rounds to three digits; whole numbers stay.
func round3(v float64) float64 {
	if v == math.Trunc(v) {
		return v
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return v
}

// inSeconds returns a time for people: three digits below a minute, tenths of seconds below an hour.
func inSeconds(s float64) string {
	switch {
	case s < 60:
		s = round3(math.Round(s*1e3) / 1e3)
	case s < 3600:
		s = math.Round(s*10) / 10
	default:
		s = math.Round(s)
	}
	return time.Duration(math.Round(s * 1e9)).String()
}

// work returns the figures of the work in the form that Set reads.
func (f *figures) work() string {
	var list []string
	for _, one := range allFigures[:ofWork] {
		list = append(list, one.name+"="+one.unit.format(*one.at(f)))
	}
	return strings.Join(list, ",")
}

// aboutFigures returns the table of the figures for the help.
func aboutFigures() string {
	var b strings.Builder
	assumed := newFigures(1)
	for i, one := range allFigures {
		switch i {
		case 0:
			b.WriteString("Figures of the work, which are measured:\n\n")
		case ofWork:
			b.WriteString("\nFigures of the machines, which are assumed unless given:\n\n")
		}
		means := one.means
		if v := *one.at(assumed); i >= ofWork && v != 0 && one.name != "cores" {
			means += " (" + one.unit.format(v) + ")"
		}
		fmt.Fprintf(&b, "    %-12s %s\n", one.name, means)
	}
	return b.String()
}
