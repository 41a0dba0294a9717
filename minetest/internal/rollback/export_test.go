package rollback

import "testing"

// BothWays runs a test with SQLite, and without.
func BothWays(t *testing.T, test func(t *testing.T)) {
	t.Run("SQLite", test)
	t.Run("pages", func(t *testing.T) {
		before := open
		open = openPages
		defer func() { open = before }()
		test(t)
	})
}
