// Package maprules checks maps against the written rules by which a community releases maps: DDNet, KoG and Unique. The rules and the
// algorithms, with how often released maps break each, are described in docs/formats/teeworlds-release.md.
//
// [ComparePhysics] compares what affects gameplay in two versions of a map: the tiles of the physics layers and the settings. All
// else is design: the game draws it, and no player can win or lose by it.
package maprules

import (
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
)

// rule is a written rule, and the findings that show that a map breaks it.
type rule struct {
	Name   string // the heading on the page of the rules, with its number if it has one
	Binds  bool   // a map that breaks it is not released; else the rule is advice
	Source string // address of the page
	Kinds  []*check.Kind
	Types  []string // types of maps that it is for; nil: all
	Except []string // types of maps that it is not for
	Person string   // what only a person can judge; "": nothing
}

// Set is the rules of a community.
type Set struct {
	Name  string
	Title string
	Rules []rule
	run   func(c *checker)
}

// Types are the types of maps that rules distinguish.
var Types = []string{"novice", "moderate", "brutal", "insane", "dummy", "ddmax", "oldschool", "solo", "race", "fun"}

const (
	rulesPage  = "https://ddnet.org/mapping/rules/"
	advicePage = "https://ddnet.org/mapping/guidelines/"
	bugsPage   = "https://forum.ddnet.org/viewtopic.php?t=5137"
	checkPage  = "https://crates.io/crates/twmap"
	kogPage    = "https://github.com/kingofgores/maps-workflow"
	uniquePage = "https://uniqueclan.net/maps"
)

var sets = []Set{
	{Name: "ddnet", Title: "DDNet", run: (*checker).ddnet, Rules: []rule{
		{Name: "Noob filters", Binds: true, Source: rulesPage,
			Person: "noob filters are short, and not on team-forced, solo or novice maps"},
		{Name: "Start and finish line: start line", Binds: true, Source: rulesPage, Except: []string{"fun"},
			Kinds: []*check.Kind{foundStartSkip, foundNoStart}},
		{Name: "Start and finish line: finish line", Binds: true, Source: rulesPage, Except: []string{"fun"},
			Kinds:  []*check.Kind{foundFinish},
			Person: "the finish can be reached from the winner room, and one can go back and help"},
		{Name: "Time CPs", Binds: true, Source: rulesPage, Except: []string{"fun"}, Kinds: []*check.Kind{foundTimes, foundTimesOrder}},
		{Name: "Bugs", Binds: true, Source: bugsPage,
			Kinds: []*check.Kind{foundNinja}, Person: "none of the listed bugs of the game is part of the map"},
		{Name: "Functional gameplay", Binds: true, Source: rulesPage, Except: []string{"solo"},
			Kinds: []*check.Kind{foundSpawnsFew, foundSpawnsGround, foundSpawnDeath,
				foundStartSmall}, Person: "skips of parts are small"},
		{Name: "Fake tiles", Binds: true, Source: rulesPage,
			Kinds: []*check.Kind{foundFake}, Person: "with the entities shown, everything can be understood"},
		{Name: "Marking", Binds: true, Source: rulesPage, Kinds: []*check.Kind{foundUnmarked, foundUnmarkedGroup}},
		{Name: "Naming your map", Binds: true, Source: rulesPage, Kinds: []*check.Kind{foundNameTaken}},
		{Name: "Dummy maps", Binds: true, Source: rulesPage, Types: []string{"dummy"},
			Kinds:  []*check.Kind{foundDummySetting, foundDummyUnlock},
			Person: "the dummy cannot reach the finish, and its deep freeze cannot be skipped"},
		{Name: "Race maps", Binds: true, Source: rulesPage, Types: []string{"race"}, Kinds: []*check.Kind{foundRaceTile}},
		{Name: "Solo maps", Binds: true, Source: rulesPage, Types: []string{"solo"},
			Kinds: []*check.Kind{foundSoloSetting, foundSoloSpawn, foundSoloExit}},
		{Name: "Novice maps", Binds: true, Source: rulesPage, Types: []string{"novice"},
			Person: "parts that fail easily are rare, and none of them is solo"},
		{Name: "Gameplay 1, Consistent difficulty", Source: advicePage, Person: "the difficulty has no large spikes"},
		{Name: "Gameplay 3, Recoverability", Source: advicePage, Person: "where it is easy to fail, one can recover"},
		{Name: "Gameplay 4, Claustrophobia", Source: advicePage, Person: "parts have room for comfortable movement"},
		{Name: "Gameplay 6.1, Teleport: From", Source: advicePage, Kinds: []*check.Kind{foundTeleBlue}},
		{Name: "Gameplay 6.3, Teleport: (C)TOTele", Source: advicePage, Except: []string{"solo"},
			Kinds: []*check.Kind{foundExitSingle, foundExitGround}},
		{Name: "Gameplay 7, Spam", Source: advicePage, Kinds: []*check.Kind{foundSpam}},
		{Name: "Gameplay 8, Team size", Source: advicePage, Kinds: []*check.Kind{foundTeamForced}},
		{Name: "Design 1, Colors and contrasts", Source: advicePage,
			Person: "contrast and saturation are moderate, and gradients have no bands"},
		{Name: "Design 2.1, Unused: Images", Source: advicePage,
			Kinds: []*check.Kind{foundImageEmbedded, foundImageTwice, foundImageExternal, foundImageUnused}},
		{Name: "Design 2.2, Unused: Groups and layers", Source: advicePage, Kinds: []*check.Kind{foundEmpty}},
		{Name: "Design 2.3, Unused: Envelopes", Source: advicePage, Kinds: []*check.Kind{foundEnvelopeUnused}},
		{Name: "Design 3, Image format", Source: advicePage, Kinds: []*check.Kind{foundImageSide}},
		{Name: "Design 4, Layer size", Source: advicePage, Kinds: []*check.Kind{foundLayerLarge}},
		{Name: "Design 5, HD (High Detail)", Source: advicePage, Kinds: []*check.Kind{foundUnmarkedDetail}},
		{Name: "Design 6, Background", Source: advicePage, Kinds: []*check.Kind{foundHole}},
		{Name: "Design 7, Entities off", Source: advicePage, Kinds: []*check.Kind{foundNoSign}},
		{Name: "Design 8, Logo", Source: advicePage, Person: "logos are behind the tees"},
		{Name: "twmap-check-ddnet", Source: checkPage,
			Kinds: []*check.Kind{foundThroughNothing, foundTileOld, foundSpeedupIdle, foundSettingRare}},
	}},
	{Name: "kog", Title: "KoG", run: (*checker).kog, Rules: []rule{
		{Name: "map requirements", Binds: true, Source: kogPage, Kinds: []*check.Kind{foundKogTile, foundKogQuest}},
		{Name: "map warnings", Source: kogPage, Kinds: []*check.Kind{foundKogAuthor, foundKogLicense}},
		{Name: "length", Source: kogPage, Person: "a run takes at least 45 s on an easy map, and 90 s on others"},
	}},
	{Name: "unique", Title: "Unique", run: (*checker).unique, Rules: []rule{
		{Name: "race tiles", Binds: true, Source: uniquePage, Kinds: []*check.Kind{foundUniqueTile}},
	}},
}

// Names returns the names of all sets.
func Names() (names []string) {
	for _, s := range sets {
		names = append(names, s.Name)
	}
	return names
}

// Named returns a set of rules.
func Named(name string) (*Set, error) {
	i := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name })
	if i < 0 {
		return nil, &fault.NameError{Kind: "set of rules", Name: name, Names: Names()}
	}
	return &sets[i], nil
}

// applies reports whether the rule is for maps of a type.
func (r *rule) applies(kind string) bool {
	return (r.Types == nil || slices.Contains(r.Types, kind)) && !slices.Contains(r.Except, kind)
}

// ruleOf returns the rule of a set that a finding shows to be broken, or nil.
func (s *Set) ruleOf(id string) *rule {
	i := slices.IndexFunc(s.Rules, func(r rule) bool {
		return slices.ContainsFunc(r.Kinds, func(k *check.Kind) bool { return k.ID == id })
	})
	if i < 0 {
		return nil
	}
	return &s.Rules[i]
}

// named returns the name of a rule of the set, or without one that of the set.
func (s *Set) named(r *rule) *check.Rule {
	if r == nil {
		return &check.Rule{Set: s.Title}
	}
	return &check.Rule{Set: s.Title, Name: r.Name, Binds: r.Binds, Source: r.Source}
}

// Naming returns a sink for the findings of [twmap.Map.CheckFile], of which some show that a rule is broken.
func (s *Set) Naming(kind string, sink check.Sink) check.Sink {
	return func(f check.Finding) {
		if r := s.ruleOf(f.ID); r != nil && r.applies(kind) {
			f.Rule = s.named(r)
		}
		sink.Report(f)
	}
}

// persons returns what only a person can judge of a map of a type.
func (s *Set) persons(kind string) string {
	var list []string
	for i := range s.Rules {
		if r := &s.Rules[i]; r.Person != "" && r.applies(kind) {
			list = append(list, r.Person)
		}
	}
	return strings.Join(list, "; ")
}
