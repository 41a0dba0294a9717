//go:build !js

package world

import "testing"

// BothWays runs a test that reads SQLite files with SQLite, and without.
func BothWays(t *testing.T, test func(t *testing.T)) {
	t.Run("SQLite", test)
	t.Run("pages", func(t *testing.T) {
		onlyPages = true
		defer func() { onlyPages = false }()
		test(t)
	})
}

// MaxSent is the size of an inventory that no server can send.
var MaxSent = &maxSent
