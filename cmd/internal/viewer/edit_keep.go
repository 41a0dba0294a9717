package viewer

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
)

// kept is a list of changes on the disk.
type kept struct {
	Version int          `json:"version"`
	Hash    string       `json:"hash"` // of the file to which the list applies
	Time    time.Time    `json:"time"`
	Changes []keptChange `json:"changes"`
}

type keptChange struct {
	Words []string `json:"words"`
	Title string   `json:"title,omitempty"`
	Off   bool     `json:"off,omitempty"`
}

const keptVersion = 1

// recall returns the list that an earlier session kept. wrong states why a list cannot be read: then its file gets another name. Only
// one program at a time keeps a list of the file.
func (n *session) recall() (k *kept, wrong string) {
	if n.Keep == "" {
		return nil, ""
	}
	if err := os.MkdirAll(filepath.Dir(n.Keep), 0o700); err == nil {
		n.holds, err = filelock.TryHold(n.Keep)
		if errors.Is(err, filelock.ErrTaken) {
			n.Keep = ""
			return nil, "the list is not kept for a later session: another program edits the same file"
		}
	}
	data, err := regular.ReadFile(n.Keep, effort.SideFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	k = new(kept)
	if err == nil {
		err = json.Unmarshal(data, k)
	}
	if err == nil && k.Version != keptVersion {
		err = fmt.Errorf("version %d is not supported", k.Version)
	}
	if err == nil {
		for _, c := range k.Changes {
			if _, err = n.parse(c.Words); err != nil {
				break
			}
		}
	}
	switch {
	case err != nil:
		aside := fmt.Sprintf("%s.%d.unreadable", n.Keep, time.Now().Unix())
		if renamed := os.Rename(n.Keep, aside); renamed != nil {
			n.Keep = ""
			err = errors.Join(err, renamed)
		}
		return nil, fmt.Sprintf("the list of an earlier session, now %s, cannot be read: %v", filepath.Base(aside), err)
	case len(k.Changes) == 0:
		return nil, ""
	}
	return k, ""
}

// keep keeps the list for a later session. A file without changes has no list.
func (n *session) keep() {
	if n.Keep == "" {
		return
	}
	n.unkept = ""
	if err := n.write(); err != nil {
		n.unkept = fmt.Sprintf("the list is not kept for a later session: %v", err)
	}
}

func (n *session) write() error {
	if len(n.list) == 0 {
		if err := os.Remove(n.Keep); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	k := kept{keptVersion, hex.EncodeToString(n.digest[:]), time.Now().UTC(), nil}
	for _, e := range n.list {
		k.Changes = append(k.Changes, keptChange{e.words, e.title, e.off})
	}
	data, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(n.Keep), 0o700)
	}
	if err == nil {
		err = wholefile.Write(n.Keep, bytes.NewReader(data), 0o600)
	}
	return err
}
