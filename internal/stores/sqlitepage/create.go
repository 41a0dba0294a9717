package sqlitepage

import (
	"slices"
	"strings"
)

// An Affinity is the kind of values that a column prefers.
type Affinity uint8

const (
	NoAffinity Affinity = iota // also called BLOB
	TextAffinity
	NumericAffinity
	IntegerAffinity
	RealAffinity
)

// affinityOf returns the affinity of a declared type.
func affinityOf(declared string) Affinity {
	declared = strings.ToUpper(declared)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(declared, p) })
	}
	switch {
	case has("INT"):
		return IntegerAffinity
	case has("CHAR", "CLOB", "TEXT"):
		return TextAffinity
	case declared == "" || has("BLOB"):
		return NoAffinity
	case has("REAL", "FLOA", "DOUB"):
		return RealAffinity
	}
	return NumericAffinity
}

// A Column is a column of a table.
type Column struct {
	Name     string
	Type     string // as declared
	Affinity Affinity
	// Key is the place of the column in the primary key, from 1; 0 if it is in none.
	Key int
	// Generated is set if the column is computed from others.
	Generated bool

	virtual   bool   // computed and not stored
	collation string // upper case
	fallback  any    // the value of rows that were stored before the column was added
	unknown   bool   // fallback is an expression
}

// keyColumn is a column of an index.
type keyColumn struct {
	column    int    // -1 if it is an expression
	collation string // upper case; "" for that of the column
	desc      bool
}

// creation is the contents of a CREATE TABLE statement.
type creation struct {
	columns      []Column
	rowid        int         // the column that is an alias of the rowid, or -1
	primary      []keyColumn // of a primary key that is not the rowid
	withoutRowID bool
	unique       [][]keyColumn // of the automatic indexes, in order; the primary key is one of them
	strict       bool
}

// parseTable parses a CREATE TABLE statement, which SQLite has accepted. It returns false for other text.
func parseTable(sql string) (*creation, bool) {
	list, ok := tokensOf(sql)
	r := &tokenReader{list}
	if !ok || !r.skip("CREATE") {
		return nil, false
	}
	_ = r.skip("TEMP") || r.skip("TEMPORARY")
	if !r.skip("TABLE") {
		return nil, false
	}
	r.skip("IF", "NOT", "EXISTS")
	if _, ok := r.qualified(); !ok {
		return nil, false
	}
	body, ok := r.group()
	if !ok {
		return nil, false
	}
	c := &creation{rowid: -1}
	if !c.body(&tokenReader{body}) {
		return nil, false
	}
	for len(r.rest) > 0 {
		switch {
		case r.skip("WITHOUT", "ROWID"):
			c.withoutRowID = true
		case r.skip("STRICT"):
			c.strict = true
		default:
			r.next()
		}
	}
	return c, c.finish()
}

// body parses the columns and constraints.
func (c *creation) body(r *tokenReader) bool {
	for left := len(r.rest); left > 0; {
		if r.peek().isKeyword("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN") {
			if !c.constraint(r) {
				return false
			}
		} else if !c.column(r) {
			return false
		}
		r.skipChar(',') // optional between constraints
		if len(r.rest) == left {
			return false // such as PRIMARY without KEY
		}
		left = len(r.rest)
	}
	return len(c.columns) > 0
}

// constraint parses a constraint of the table.
func (c *creation) constraint(r *tokenReader) bool {
	if r.skip("CONSTRAINT") {
		if _, ok := r.name(); !ok {
			return false
		}
	}
	primary := r.skip("PRIMARY", "KEY")
	if primary || r.skip("UNIQUE") {
		inner, ok := r.group()
		if !ok {
			return false
		}
		list, ok := c.keyColumns(inner)
		if !ok {
			return false
		}
		c.addKey(list, primary, false)
	}
	for len(r.rest) > 0 && r.peek().kind != ',' && !r.peek().isKeyword("CONSTRAINT", "PRIMARY", "UNIQUE") {
		if _, ok := r.group(); !ok {
			r.next()
		}
	}
	return true
}

// keyColumns parses the columns of a key.
func (c *creation) keyColumns(list []token) (keys []keyColumn, ok bool) {
	r := &tokenReader{list}
	for len(r.rest) > 0 {
		k := keyColumn{column: -1}
		if name, ok := r.name(); ok {
			k.column = c.columnNamed(name)
		}
		for len(r.rest) > 0 && r.peek().kind != ',' {
			switch {
			case r.skip("COLLATE"):
				name, _ := r.name()
				k.collation = strings.ToUpper(name)
			case r.skip("ASC"):
			case r.skip("DESC"):
				k.desc = true
			case r.skip("AUTOINCREMENT"):
			default:
				k.column = -1 // an expression
				if _, ok := r.group(); !ok {
					r.next()
				}
			}
		}
		r.skipChar(',')
		keys = append(keys, k)
	}
	return keys, len(keys) > 0
}

// columnNamed returns the number of a column, or -1.
func (c *creation) columnNamed(name string) int {
	return slices.IndexFunc(c.columns, func(col Column) bool { return strings.EqualFold(col.Name, name) })
}

// addKey adds a primary key or another unique key. A second key of the same columns needs no index.
func (c *creation) addKey(list []keyColumn, primary, descending bool) {
	if primary {
		if k := list[0].column; len(list) == 1 && k >= 0 && strings.EqualFold(c.columns[k].Type, "INTEGER") && !descending {
			c.rowid = k
			c.primary = list
			return
		}
		c.primary = list
	}
	same := func(other []keyColumn) bool {
		return slices.EqualFunc(list, other, func(a, b keyColumn) bool {
			return a.column == b.column && c.collationOf(a) == c.collationOf(b)
		})
	}
	if !slices.ContainsFunc(c.unique, same) {
		c.unique = append(c.unique, list)
	}
}

// collationOf returns the collation of a column of a key.
func (c *creation) collationOf(k keyColumn) string {
	switch {
	case k.collation != "":
		return k.collation
	case k.column >= 0 && c.columns[k.column].collation != "":
		return c.columns[k.column].collation
	}
	return "BINARY"
}

// constraintStarts are the keywords that end the type of a column.
var constraintStarts = []string{"CONSTRAINT", "DEFAULT", "NULL", "NOT", "PRIMARY", "UNIQUE", "CHECK", "REFERENCES",
	"COLLATE", "AS", "DEFERRABLE"}

// column parses a column.
func (c *creation) column(r *tokenReader) bool {
	name, ok := r.name()
	if !ok {
		return false
	}
	number := len(c.columns)
	c.columns = append(c.columns, Column{Name: name})
	col := &c.columns[number]
	var words []string
	for len(r.rest) > 0 && r.peek().kind != ',' && r.peek().kind != '(' && !r.peek().isKeyword(constraintStarts...) &&
		!r.skip("GENERATED", "ALWAYS") {
		word, ok := r.name()
		if !ok {
			return false
		}
		words = append(words, word)
	}
	col.Type = strings.Join(words, " ")
	r.group() // a size
	for len(r.rest) > 0 && r.peek().kind != ',' {
		switch {
		case r.skip("PRIMARY", "KEY"):
			desc := r.skip("DESC")
			c.addKey([]keyColumn{{column: number, desc: desc}}, true, desc)
		case r.skip("UNIQUE"):
			c.addKey([]keyColumn{{column: number}}, false, false)
		case r.skip("COLLATE"):
			name, _ := r.name()
			col.collation = strings.ToUpper(name)
		case r.skip("DEFAULT"):
			col.setFallback(r)
		case r.skip("AS"):
			r.group()
			col.Generated, col.virtual = true, !r.skip("STORED")
		case r.skip("ON"): // SET DEFAULT would resemble another constraint
			r.next()
			_ = r.skip("SET") || r.skip("NO")
			r.next()
		default:
			if _, ok := r.group(); !ok {
				r.next()
			}
		}
	}
	return true
}

// setFallback parses a default value.
func (col *Column) setFallback(r *tokenReader) {
	if inner, ok := r.group(); ok {
		in := &tokenReader{inner}
		col.setFallback(in)
		col.unknown = col.unknown || len(in.rest) > 0
		return
	}
	negative, sign := false, false
	for r.peek().kind == '-' || r.peek().kind == '+' {
		negative, sign = negative != (r.next().kind == '-'), true
	}
	t := r.next()
	switch ok := !sign; t.kind {
	case number:
		col.fallback, ok = numberOf(t.text, negative)
		col.unknown = !ok
	case quotedText, quotedName:
		col.fallback, col.unknown = t.text, !ok
	case blobText:
		col.fallback, col.unknown = []byte(t.text), !ok
	default:
		switch {
		case t.isKeyword("NULL"):
		case t.isKeyword("TRUE"):
			col.fallback = int64(1)
		case t.isKeyword("FALSE"):
			col.fallback = int64(0)
		case t.kind == bareWord && !t.isKeyword("CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"):
			col.fallback = t.text
		default:
			col.unknown = true
		}
		col.unknown = col.unknown || !ok
	}
}

// finish completes the columns once the whole statement is known.
func (c *creation) finish() bool {
	for i := range c.columns {
		col := &c.columns[i]
		if col.Affinity = affinityOf(col.Type); c.strict && strings.EqualFold(col.Type, "ANY") {
			col.Affinity = NoAffinity
		}
		col.fallback = col.Affinity.apply(col.fallback)
	}
	for i, k := range c.primary {
		if k.column < 0 {
			return false
		}
		if col := &c.columns[k.column]; col.Key == 0 {
			col.Key = i + 1
		}
	}
	if c.withoutRowID {
		c.rowid = -1
	}
	return !c.withoutRowID || len(c.primary) > 0
}

// parseIndex parses a CREATE INDEX statement on a table. partial is set if the index lacks some rows.
func (c *creation) parseIndex(sql string) (keys []keyColumn, partial, ok bool) {
	list, ok := tokensOf(sql)
	r := &tokenReader{list}
	if !ok || !r.skip("CREATE") {
		return nil, false, false
	}
	r.skip("UNIQUE")
	if !r.skip("INDEX") {
		return nil, false, false
	}
	r.skip("IF", "NOT", "EXISTS")
	if _, ok := r.qualified(); !ok || !r.skip("ON") {
		return nil, false, false
	}
	if _, ok := r.name(); !ok {
		return nil, false, false
	}
	inner, ok := r.group()
	if !ok {
		return nil, false, false
	}
	keys, ok = c.keyColumns(inner)
	return keys, r.skip("WHERE"), ok
}
