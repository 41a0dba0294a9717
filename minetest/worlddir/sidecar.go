package worlddir

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/strictjson"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// sidecar is the content of .trowel.json. Files are identified by their paths in the folder.
type sidecar struct {
	Format    string                  `json:"format"`
	Backends  *world.Backends         `json:"backends,omitempty"`  // of a world without world.mt, which would name them
	Schema    string                  `json:"schema,omitempty"`    // of the table of blocks, if xyz
	TrueNames map[string]value        `json:"trueNames,omitempty"` // by path: names that are not valid file names
	Verifiers map[string]value        `json:"verifiers,omitempty"` // verifiers of passwords
	AuthFile  *value                  `json:"authFile,omitempty"`  // auth.txt, if it contains more than accounts
	Things    map[string]thingResidue `json:"things,omitempty"`
	Blocks    map[string]blockResidue `json:"blocks,omitempty"`
}

const schemaXYZ = "xyz"

// thingResidue is the original form of a player or of the storage of a mod, if the file does not represent it
// exactly. It is valid as long as the file is not edited.
type thingResidue struct {
	CRC32  uint32 `json:"crc"` // checksum of the file
	File   *value `json:"file,omitempty"`
	Record []byte `json:"record,omitempty"` // the record of a player in LevelDB
}

// valid reports whether the file is unchanged.
func (r *thingResidue) valid(content []byte) bool { return r.CRC32 == crc32.ChecksumIEEE(content) }

func readSidecar(fsys fs.FS) (*sidecar, error) {
	s := new(sidecar)
	if err := forms.ReadSidecar(fsys, s); err != nil {
		return nil, err
	}
	if s.Format != "" && s.Format != formatName {
		return nil, &fault.TextError{File: tree.Sidecar, Msg: fmt.Sprintf("the folder has the format %q, not %q", s.Format, formatName)}
	}
	return s, nil
}

// encode writes the sidecar, with a line for each file.
func (s *sidecar) encode() ([]byte, error) {
	var b bytes.Buffer
	var failed error
	lead := "{\n"
	part := func(key string, v any) {
		data, err := strictjson.Marshal(v, "")
		failed = errors.Join(failed, err)
		fmt.Fprintf(&b, "%s%q: %s", lead, key, bytes.TrimSpace(data))
		lead = ",\n"
	}
	part("format", formatName)
	if s.Backends != nil {
		part("backends", s.Backends)
	}
	if s.Schema != "" {
		part("schema", s.Schema)
	}
	if s.AuthFile != nil {
		part("authFile", s.AuthFile)
	}
	failed = errors.Join(failed,
		filesPart(&b, "trueNames", s.TrueNames), filesPart(&b, "verifiers", s.Verifiers),
		filesPart(&b, "things", s.Things), filesPart(&b, "blocks", s.Blocks))
	b.WriteString("\n}\n")
	return b.Bytes(), failed
}

// filesPart writes a map of entries, one line for each file.
func filesPart[T any](b *bytes.Buffer, key string, files map[string]T) error {
	if len(files) == 0 {
		return nil
	}
	fmt.Fprintf(b, ",\n%q: {", key)
	lead := "\n"
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at, err := strictjson.Marshal(name, "")
		if err != nil {
			return err
		}
		data, err := strictjson.Marshal(files[name], "")
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "%s%s: %s", lead, bytes.TrimSpace(at), bytes.TrimSpace(data))
		lead = ",\n"
	}
	b.WriteString("\n}")
	return nil
}

// playerResidue returns the residue of a player of a backend, or nil if the file represents the player exactly.
func playerResidue(p *world.Player, form *playerForm, backend string) (*thingResidue, error) {
	again := form.player(p.Name)
	switch backend {
	case world.Files:
		was, err := p.Append(nil)
		if err != nil {
			return nil, err
		}
		if now, err := again.Append(nil); err != nil || !bytes.Equal(now, was) {
			v := value(was)
			return &thingResidue{File: &v}, nil
		}
	case mapdb.LevelDB:
		was, err := p.AppendRecord(nil)
		if err != nil {
			return nil, err
		}
		if now, err := again.AppendRecord(nil); err != nil || !bytes.Equal(now, was) {
			return &thingResidue{Record: was}, nil
		}
	}
	return nil, nil
}

// player returns the player in the residue.
func (r *thingResidue) player(name string) (*world.Player, error) {
	if r.File != nil {
		return world.SalvagePlayer(*r.File)
	}
	return world.SalvagePlayerRecord(name, r.Record)
}

// modResidue is playerResidue for the storage of a mod.
func modResidue(m *world.ModData, backend string) (*thingResidue, error) {
	if backend != world.Files {
		return nil, nil
	}
	was, err := m.Append(nil)
	if err != nil {
		return nil, err
	}
	again := &world.ModData{Mod: m.Mod, Entries: m.Entries}
	if now, err := again.Append(nil); err != nil || !bytes.Equal(now, was) {
		v := value(was)
		return &thingResidue{File: &v}, nil
	}
	return nil, nil
}

// authFile returns the text of auth.txt, or nil if it can be rebuilt exactly from its accounts.
func authFile(text []byte, accounts []*world.Account) *value {
	plain := world.ParseAuthFile(nil)
	for _, a := range accounts {
		if plain.Put(a) != nil {
			break
		}
	}
	if bytes.Equal(plain.Append(nil), text) {
		return nil
	}
	v := value(text)
	return &v
}
