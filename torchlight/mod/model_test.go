package mod_test

import (
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/torchlight/mod"
)

func TestModel(t *testing.T) {
	for version := uint16(1); version <= mod.LastVersion; version++ {
		mutate.Model(t, header(version), (*mod.Header).Clone, (*mod.Header).Equal, (*mod.Header).Encode)
	}
}

// TestHeaderOfVersion tests that fields that a version does not have are an error.
func TestHeaderOfVersion(t *testing.T) {
	h := header(2)
	h.Releases = []mod.Release{{1, 2}}
	if _, err := h.Encode(); err == nil || err.Error() != "releases: expected none after version 1, found 1" {
		t.Error(err)
	}
	h = header(1)
	h.Required[0].Version = 1
	if _, err := h.Encode(); err == nil || err.Error() != "required: expected no versions of required mods before version 2, found some" {
		t.Error(err)
	}
}
