package mapedit

import (
	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// Become makes the map another one, which nobody may use any more, and reports what changed by that.
func (e *Editor) Become(m *twmap.Map, changes []check.Change) {
	*e.m = *m
	e.paths = make(map[any]string)
	e.name()
	for _, c := range changes {
		e.report(c)
	}
}
