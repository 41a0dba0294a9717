package twmap

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"trowel/check"
	"trowel/internal/bin"
	"trowel/internal/parallel"
	"trowel/teeworlds/datafile"
)

// Check reports everything that is wrong with the map as Encode would write it:
// what DDNet refuses, what it ignores, and what a map maker would not want. It
// inflates all data, on all cores. What is wrong with the container is not
// part of it: see [CheckFile].
//
// Like Encode it must not run twice at a time.
func (m *Map) Check(sink check.Sink) {
	c := checker{m: m}
	for kind := range numKinds {
		c.used[kind] = m.Physics(kind)
	}
	c.f, c.fault = m.current()
	c.add(c.checkLaw)
	c.add(c.checkItems)
	c.add(c.checkInfo)
	c.checkMedia()
	c.add(c.checkEnvelopes)
	c.checkGroups()
	c.add(c.checkLeftovers)
	c.run(sink)
	// What the parts add up to is known when all of them were seen.
	c.checkUse(sink)
	c.checkPlay(sink)
}

// CheckFile reports everything that is wrong with a datafile that should be a
// map: with the container, and with the map in it.
func CheckFile(f *datafile.File, sink check.Sink) {
	m, err := FromDatafile(f)
	if err != nil {
		f.Check(sink)
		sink.Add(foundNoVersion, "", -1, "%v", err)
		return
	}
	found := check.Collect(m.Check) // inflates on all cores, which the container does not
	f.Check(sink)
	for _, finding := range found {
		sink(finding)
	}
}

// checker collects what has to be done for a check, and what it sees on the way.
type checker struct {
	m     *Map
	f     *datafile.File // what Encode would write, nil if it would fail
	fault error

	used [numKinds]*TileLayer // the layers that the game uses
	jobs []func(check.Sink)
	play [numKinds]*playStats // of the layers that the game uses

	mu                     sync.Mutex
	images, sounds, envels map[int]bool // what layers refer to
}

// add adds a job. Jobs run at the same time.
func (c *checker) add(job func(check.Sink)) { c.jobs = append(c.jobs, job) }

// run runs the jobs on all cores and reports what they found in their order.
func (c *checker) run(sink check.Sink) {
	c.images, c.sounds, c.envels = make(map[int]bool), make(map[int]bool), make(map[int]bool)
	found := make([][]check.Finding, len(c.jobs))
	parallel.Each(len(c.jobs), func(i int) { found[i] = check.Collect(c.jobs[i]) })
	for _, list := range found {
		for _, f := range list {
			sink(f)
		}
	}
}

// spots collects places: all are counted, the first are named.
type spots struct {
	n     int
	named []string
}

const maxNamed = 8

// add adds a place; name is called only if the place will be named.
func (s *spots) add(name func() string) {
	if s.n++; len(s.named) < maxNamed {
		s.named = append(s.named, name())
	}
}

// tile adds the tile at a place.
func (s *spots) tile(x, y int) { s.add(func() string { return fmt.Sprintf("%d,%d", x, y) }) }

// number adds a numbered thing.
func (s *spots) number(n int) { s.add(func() string { return fmt.Sprint(n) }) }

// String lists the places, with dots if there are more.
func (s *spots) String() string {
	list := strings.Join(s.named, " ")
	if s.n > len(s.named) {
		list += " ..."
	}
	return list
}

// of counts things: "1 tile", "3 tiles".
func (s *spots) of(thing string) string { return count(s.n, thing) }

// count puts the first word of a thing into the plural if there are more.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	word, rest, more := strings.Cut(thing, " ")
	if more {
		rest = " " + rest
	}
	return fmt.Sprintf("%d %ss%s", n, word, rest)
}

// title is the name of a thing behind its path, for people who know the map by
// its names.
func title(what, name string) string {
	if name == "" {
		return what
	}
	return fmt.Sprintf("%s %q", what, name)
}

// reason tells what is wrong, without the place: a finding names it itself.
func reason(err error) string {
	var e *bin.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	bare := *e
	bare.Path, bare.Offset = "", -1
	return bare.Error()
}
