package worldbackup

import (
	"archive/zip"
	"bytes"
	"testing"
)

// FuzzBackup tests that an archive is either rejected, or is a backup from whose parts an equal backup can be
// written.
func FuzzBackup(f *testing.F) {
	pack := func(files ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Store})
			if err == nil {
				_, err = w.Write([]byte(files[i+1]))
			}
			if err != nil {
				f.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	f.Add(pack("blocks/1,-2,3", "bytes", "files/ipban.txt", "", manifestName,
		`{"Format":"trowel world backup 1","Blocks":1,"Stores":["players"]}`))
	f.Add(pack(manifestName, `{"Format":"trowel world backup 1"}`, "files/players/ann", "name = ann"))
	f.Add(pack("files/../world.mt", "x"))
	f.Add(pack("things/players-1", `{"Part":"players","Name":"ann","Missing":true}`, manifestName, `{"Format":"trowel world backup 1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		m, _, blocks, files, _, err := contents(z)
		if err != nil {
			return
		}
		if m.Format != backupFormat || len(blocks) != m.Blocks {
			t.Fatalf("%+v with %d blocks", m, len(blocks))
		}
		for _, p := range blocks {
			if !p.Valid() {
				t.Errorf("a block at %v", p)
			}
		}
		for _, file := range files {
			if !isOurs(file.Name[len(filesFolder):]) {
				t.Errorf("a file %q", file.Name)
			}
		}
	})
}
