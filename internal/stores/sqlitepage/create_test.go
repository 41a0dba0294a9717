package sqlitepage

import "testing"

// TestWrongStatements tests that statements which SQLite has not written end in false.
func TestWrongStatements(t *testing.T) {
	for _, sql := range []string{"", "CREATE TABLE t", "CREATE TABLE t ()", "CREATE TABLE t (a, PRIMARY)",
		"CREATE TABLE t (a, PRIMARY PRIMARY KEY (a))",
		"CREATE TABLE t (a, UNIQUE)", "CREATE TABLE t (a, CONSTRAINT)", "CREATE TABLE t (a, CONSTRAINT b PRIMARY c)"} {
		if c, ok := parseTable(sql); ok {
			t.Errorf("%q is %+v", sql, c)
		}
	}
}
