package mapedit

import (
	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// Become replaces the map by m, which the caller must not use afterwards, and reports the given changes.
func (e *Editor) Become(m *twmap.Map, changes []check.Change) {
	*e.m = *m
	e.paths = make(map[any]string)
	e.name()
	for _, c := range changes {
		e.report(c)
	}
}
