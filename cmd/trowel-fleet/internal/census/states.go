package census

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"io"
	"maps"
	"slices"
)

// states are the states of partitions. They are in a temporary file: of a hundred thousand, only names and places are in memory.
type states struct {
	temp   *Temp
	file   *spool
	at     map[string]span
	totals map[string]total // by table
}

// span is a place in the file.
type span struct{ offset, size int64 }

// total is the sum of the files of a table.
type total struct {
	files int
	rows  int64
}

func newStates(temp *Temp) *states {
	return &states{temp: temp, at: make(map[string]span), totals: make(map[string]total)}
}

// get returns the state of a partition; nil: there is none.
func (s *states) get(part string) (*State, error) {
	at, ok := s.at[part]
	if !ok {
		return nil, nil
	}
	return s.read(at)
}

func (s *states) read(at span) (*State, error) {
	state := new(State)
	return state, json.NewDecoder(io.NewSectionReader(s.file.file, at.offset, at.size)).Decode(state)
}

func (s *states) set(part string, state *State) (err error) {
	if s.file == nil {
		if s.file, err = s.temp.spool(); err != nil {
			return err
		}
	}
	data, err := json.Marshal(state)
	if err == nil {
		err = s.delete(part)
	}
	if err != nil {
		return err
	}
	s.at[part] = span{s.file.size, int64(len(data))}
	s.count(state, 1)
	_, err = s.file.Write(data)
	return err
}

func (s *states) delete(part string) error {
	old, err := s.get(part)
	if old != nil && err == nil {
		s.count(old, -1)
		delete(s.at, part)
	}
	return err
}

func (s *states) count(state *State, sign int) {
	for table, c := range state.Tables {
		t := s.totals[table]
		t.files, t.rows = t.files+sign, t.rows+int64(sign)*c.Rows
		s.totals[table] = t
	}
}

// names returns the names of the partitions in order.
func (s *states) names() []string { return slices.Sorted(maps.Keys(s.at)) }

// each calls do with each state, in the order of the partitions.
func (s *states) each(do func(part string, state *State) error) error {
	for _, part := range s.names() {
		state, err := s.get(part)
		if err == nil {
			err = do(part, state)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sizes are the sizes of the files of tables, by the hashes of their names.
type sizes map[string]map[uint64]int64

// intact reports whether the files of a partition have their recorded sizes. It sets the size of every other
// file to -1, because nothing is known about its content.
func (d *Dataset) intact(ctx context.Context, part string, state *State, sizes sizes) (bool, error) {
	whole := true
	for table, c := range state.Tables {
		if !tableName(table) {
			delete(state.Tables, table)
			continue
		}
		if sizes[table] == nil {
			list := make(map[uint64]int64)
			if err := d.store.List(ctx, table, func(name string, size int64) error {
				list[maphash.String(seed, name)] = size
				return nil
			}); err != nil {
				return false, err
			}
			sizes[table] = list
		}
		if size, ok := sizes[table][maphash.String(seed, part+".parquet")]; !ok || size != c.Size {
			state.Tables[table] = Content{Size: -1}
			whole = false
		}
	}
	return whole, nil
}

// seed is that of the hashes of names.
var seed = maphash.MakeSeed()

// nameSet is a set of many names of files, by their hashes. With a probability of 1 in 10^13 it has a name that was not added.
type nameSet map[uint64]struct{}

func (n nameSet) add(name string) { n[maphash.String(seed, name)] = struct{}{} }

func (n nameSet) has(name string) bool { _, ok := n[maphash.String(seed, name)]; return ok }
