package twmap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
)

// Check reports every problem of the map as Encode would write it: what DDNet refuses, what it ignores, and what a
// map maker would not want. Check inflates all data, on all cores. [CheckFile] also reports the problems of the
// container.
func (m *Map) Check(sink check.Sink) { m.CheckFor(nil, sink) }

// CheckFor is Check for the server of a profile: its own tiles and settings are not reported. Nil is DDNet's server.
func (m *Map) CheckFor(profile *Profile, sink check.Sink) {
	if err := m.validate(false); err != nil {
		sink.Add(foundModel, "", -1, "%v", err)
		return
	}
	c := checker{m: m, profile: profile}
	c.left.Store(maxPlaces)
	c.findParts()
	c.findForeign()
	for kind := range numKinds {
		if l := m.Physics(kind); !c.foreign[l] {
			c.used[kind] = l
		}
	}
	c.f = m.current(datafile.DefaultLevel)
	c.add(c.checkLaw)
	c.add(c.checkItems)
	c.add(c.checkInfo)
	c.checkMedia()
	c.add(c.checkEnvelopes)
	c.checkGroups()
	c.add(c.checkLeftovers)
	c.run(sink)
	// These checks need the results of all jobs.
	c.checkUse(sink)
	c.checkPlay(sink)
	c.checkTeles(sink)
}

// CheckFile reports every problem of a datafile that should be a map: those of the container and those of the map in
// it.
func CheckFile(f *datafile.File, sink check.Sink) {
	m, err := FromDatafile(f)
	if m == nil {
		f.Check(sink)
		sink.Add(foundNoVersion, "", -1, "%v", err)
		return
	}
	m.CheckFile(sink)
}

// CheckFile calls the function CheckFile for the file that the map was decoded from.
func (m *Map) CheckFile(sink check.Sink) { m.CheckFileFor(nil, sink) }

// CheckFileFor is CheckFile for the server of a profile, as in [Map.CheckFor].
func (m *Map) CheckFileFor(profile *Profile, sink check.Sink) {
	// Inflates on all cores, unlike the check of the container.
	found := check.Collect(func(sink check.Sink) { m.CheckFor(profile, sink) })
	m.file.datafile.Check(sink)
	for _, finding := range found {
		sink(finding)
	}
}

// checker holds the jobs of a check and what they collect.
type checker struct {
	m       *Map
	f       *datafile.File // what Encode would write
	profile *Profile       // of the server that the map is for; nil: DDNet

	left    atomic.Int32               // how many more places the findings may keep
	groups  []*Part                    // by the number of the group
	layers  map[Layer]*Part            // for the layers of groups
	foreign map[*TileLayer]bool        // layers of other games
	mod     string                     // the game that the map is for, if that is not DDNet; "" if unknown
	content map[*datafile.Block]string // what a block that is not a text contains

	used [numKinds]*TileLayer // the layers that the game uses
	jobs []func(check.Sink)
	play [numKinds]*playStats // for the layers that the game uses

	mu                     sync.Mutex
	images, sounds, envels map[int]bool // indexes that layers refer to
}

// add adds a job. Jobs run concurrently.
func (c *checker) add(job func(check.Sink)) { c.jobs = append(c.jobs, job) }

// run runs the jobs on all cores and reports their findings in the order of the jobs.
func (c *checker) run(sink check.Sink) {
	c.images, c.sounds, c.envels = make(map[int]bool), make(map[int]bool), make(map[int]bool)
	found := make([][]check.Finding, len(c.jobs))
	parallel.Each(len(c.jobs), func(i int) { found[i] = check.Collect(c.jobs[i]) })
	for _, f := range fold(slices.Concat(found...)) {
		sink(f)
	}
}

// findParts numbers and names the parts that findings refer to.
func (c *checker) findParts() {
	c.layers = make(map[Layer]*Part)
	for i, g := range c.m.Groups {
		group := &Part{Kind: PartGroup, Number: i, Name: g.Name}
		c.groups = append(c.groups, group)
		for j, l := range g.Layers {
			c.layers[l] = &Part{Kind: PartLayer, Number: j, Name: l.Base().Name, Group: group}
		}
	}
	c.content = make(map[*datafile.Block]string)
	hold := func(ref *dataRef, what func() string) {
		if ref.block != nil {
			c.content[ref.block] = what()
		}
	}
	for i, im := range c.m.Images {
		hold(&im.data, func() string { return fmt.Sprintf("the pixels of image %d", i) })
	}
	for i, s := range c.m.Sounds {
		hold(&s.data, func() string { return fmt.Sprintf("the bytes of sound %d", i) })
	}
	for l, part := range c.layers {
		switch l := l.(type) {
		case *TileLayer:
			hold(&l.data[l.dataKind()], func() string { return "the tiles of " + part.Path() })
		case *QuadLayer:
			hold(&l.data, func() string { return "the quads of " + part.Path() })
		case *SoundLayer:
			hold(&l.data, func() string { return "the sources of " + part.Path() })
		}
	}
}

// spots returns an empty collection of places.
func (c *checker) spots() spots { return spots{left: &c.left} }

// foldings lists the kinds that are reported once for a whole map, with the name of what they count.
var foldings = map[string]string{
	foundTileDeprecated.ID: "booster of the old kind",
	foundEnvelopeNone.ID:   "reference to an envelope by a number below -1",
	foundGroupEx.ID:        "group with a parallax zoom",
	foundLayerShared.ID:    "layer shared by two groups",
	foundItemLong.ID:       "item with surplus integers",
}

// fold merges all findings of a kind that is reported once for a map into one finding, at the position of the first.
func fold(all []check.Finding) []check.Finding {
	var list []check.Finding
	first := make(map[string]int)    // the position of the finding of a kind in the list
	paths := make(map[string]*spots) // the paths that the finding names
	last := make(map[string]string)  // the last path added
	for _, f := range all {
		thing, ok := foldings[f.ID]
		if !ok {
			list = append(list, f)
			continue
		}
		i, again := first[f.ID]
		if !again {
			first[f.ID], paths[f.ID] = len(list), &spots{n: 1, named: []string{f.Path}}
			last[f.ID] = f.Path
			list = append(list, f)
			continue
		}
		s := paths[f.ID]
		if f.Path != last[f.ID] {
			last[f.ID] = f.Path
			if s.n++; len(s.named) < maxNamed {
				s.named = append(s.named, f.Path)
			}
		}
		one := &list[i]
		one.Path, one.Offset = "", -1
		one.At = append(one.At, f.At...)
		one.Message = fmt.Sprintf("%s: %s", count(max(len(one.At), s.n), thing), s)
	}
	return list
}

// count is [words.Count] for a thing whose first word takes the plural.
func count(n int, thing string) string {
	word, rest, more := strings.Cut(thing, " ")
	if more {
		rest = " " + rest
	}
	return words.Count(n, word) + rest
}

// title returns what followed by the quoted name of the thing, for readers who know the map by its names.
func title(what, name string) string {
	if name == "" {
		return what
	}
	return fmt.Sprintf("%s %q", what, name)
}

// reason returns the error without its location: the finding states the location itself.
func reason(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	bare := *e
	bare.Path, bare.Offset = "", -1
	return bare.Error()
}
