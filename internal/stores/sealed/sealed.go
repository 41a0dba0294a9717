//go:build !js

// Package sealed keeps files encrypted in another store, each as a file of age (age-encryption.org/v1). Anyone who can read
// the other store sees the names, sizes and times of the files.
//
// All files are encrypted to one [Key], which is in the store, too: once for each reader, in files that the reader decrypts
// with an identity of age or with a passphrase. So readers can change without encrypting the files again.
//
// Messages are signed, and signatures verified, with keys of minisign (jedisct1.github.io/minisign).
package sealed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"

	"filippo.io/age"
	"filippo.io/age/armor"

	"trowel.example/fault"
	"trowel.example/internal/files/host"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
)

// Key is the key of a store.
type Key struct{ identity *age.X25519Identity }

// NewKey returns a random key.
func NewKey() (*Key, error) {
	id, err := age.GenerateX25519Identity()
	return &Key{id}, err
}

// Name returns a name of the key that does not help anyone to guess it.
func (k *Key) Name() string {
	sum := sha256.Sum256([]byte(k.identity.Recipient().String()))
	return hex.EncodeToString(sum[:16])
}

// Folder is the folder of a store with its key, encrypted for each reader.
const Folder = "keys"

const (
	keyExtension = ".age"
	maxKeyFiles  = 64
)

// workFactor is the cost of passphrases, the default of age: 256 MiB of memory and about a second. Tests lower it.
var workFactor = 18

// unlocked has the keys that passphrases have decrypted or encrypted in this run, by the name of the key and the passphrase in the
// environment, which is empty if the user has entered it.
var unlocked sync.Map

// derived remembers a key, and returns the memory in which a passphrase was derived to the system, before anything else needs memory.
func derived(k *Key) {
	unlocked.Store([2]string{k.Name(), host.Env(variablePhrase)}, k)
	debug.FreeOSMemory()
}

// Wrap writes the key into the store, encrypted for the readers: twice, since without it everything is lost. The second file is
// the first as text (age calls it armored), since each encryption with a passphrase costs a second. It returns the names of the files
// that it has written, also with an error.
func (k *Key) Wrap(ctx context.Context, s storage.Store, readers Readers) (made []string, err error) {
	groups, err := readers.groups(s)
	if err != nil {
		return nil, err
	}
	for _, to := range groups {
		var data, text bytes.Buffer
		armored := armor.NewWriter(&text)
		w, err := age.Encrypt(io.MultiWriter(&data, armored), to...)
		if err == nil {
			_, err = io.WriteString(w, k.identity.String()+"\n")
		}
		if err == nil {
			err = errors.Join(w.Close(), armored.Close())
		}
		if err != nil {
			return made, err
		}
		for _, data := range [][]byte{data.Bytes(), text.Bytes()} {
			name := keyFile(data)
			if err := storage.WriteFile(ctx, s, name, data); err != nil {
				return made, err
			}
			made = append(made, name)
		}
	}
	if readers.Passphrase {
		derived(k)
	}
	return made, nil
}

var keyName = regexp.MustCompile(`^` + Folder + `/[0-9a-f]{16}\` + keyExtension + `$`)

// IsKey reports whether a file has a name that Wrap gives.
func IsKey(name string) bool { return keyName.MatchString(name) }

// keyFile returns the name of a file with a key, which is a hash of its content.
func keyFile(data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%s/%x%s", Folder, sum[:8], keyExtension)
}

// CheckKeys calls bad with each file of the store that should contain the key and has changed, and with Folder if all are unchanged and a
// copy is missing.
func CheckKeys(ctx context.Context, s storage.Store, bad func(name string, err error)) error {
	names, err := Wrapped(ctx, s)
	if err != nil {
		return err
	}
	intact := true
	for _, name := range names {
		data, err := storage.ReadFile(ctx, s, name, effort.SmallFile)
		if storage.IsUnavailable(err) {
			return err
		}
		if err == nil && keyFile(data) != name {
			err = &fault.Error{File: s.Path(name), Offset: -1, Want: "a file with the hash of its name", Got: keyFile(data)}
		}
		if err != nil {
			intact = false
			bad(name, err)
		}
	}
	if intact && len(names)%2 != 0 {
		bad(Folder, &fault.Error{File: s.Path(Folder), Offset: -1, Want: "each file with the key twice", Got: words.Count(len(names), "file")})
	}
	return nil
}

// Wrapped returns the names of the files that contain the key, each for one or more readers.
func Wrapped(ctx context.Context, s storage.Store) (names []string, err error) {
	err = s.List(ctx, Folder, func(i storage.Info) error {
		if IsKey(i.Name) {
			names = append(names, i.Name)
		}
		return nil
	})
	if err == nil && len(names) > maxKeyFiles {
		err = &fault.Error{File: s.Path(Folder), Offset: -1, Want: fmt.Sprintf("at most %d keys", maxKeyFiles), Got: fmt.Sprint(len(names))}
	}
	return names, err
}

// ErrNoKey means that the user has no key of a store.
var ErrNoKey = errors.New("encrypted, and no key given: set " + VariableFile + " to the path of a file with an " +
	"identity of age, or " + variablePhrase + " to the passphrase")

// ErrOtherKey means that the keys of the user are not those of a store.
var ErrOtherKey = errors.New("encrypted, but not for this key: neither the identities in the file that " + VariableFile +
	" names nor the passphrase decrypt it")

// Unwrap returns the key of a store with the given name. It reads the identities in the file that the variable
// TROWEL_KEY_FILE names, or the passphrase in TROWEL_PASSPHRASE, or else asks for the passphrase. The error wraps [ErrNoKey]
// or [ErrOtherKey] if they decrypt no file with the key.
func Unwrap(ctx context.Context, s storage.Store, name string) (*Key, error) {
	files, err := Wrapped(ctx, s)
	if err != nil {
		return nil, err
	}
	missing := ErrNoKey
	var cause error
	contents := make(map[string][]byte)
	for _, file := range files {
		data, err := storage.ReadFile(ctx, s, file, effort.SmallFile)
		if storage.IsUnavailable(err) {
			return nil, err
		}
		if err != nil {
			cause = errors.Join(cause, err)
			continue
		}
		if bytes.HasPrefix(data, []byte(armor.Header)) {
			if data, err = io.ReadAll(armor.NewReader(bytes.NewReader(data))); err != nil {
				cause = errors.Join(cause, otherKey(s, file, err))
				continue
			}
		}
		contents[file] = data
	}
	tried := make(map[string]bool)               // a file and its copy
	for _, phrase := range []bool{false, true} { // identities ask for nothing
		for _, file := range files {
			data := contents[file]
			if data == nil || tried[string(data)] || bytes.HasPrefix(data, []byte(phraseHeader)) != phrase {
				continue
			}
			tried[string(data)] = true
			if k, ok := unlocked.Load([2]string{name, host.Env(variablePhrase)}); phrase && ok {
				return k.(*Key), nil
			}
			ids, err := identities(s, phrase)
			if err != nil {
				return nil, err
			}
			if len(ids) == 0 {
				continue
			}
			key, err := unwrap(data, ids)
			switch {
			case err == nil && key.Name() == name:
				if phrase {
					derived(key)
				}
				return key, nil
			case err == nil:
				err = errors.New("a key of another repository")
			case errors.Is(err, age.ErrIncorrectIdentity):
				missing = ErrOtherKey
				continue
			}
			cause = errors.Join(cause, otherKey(s, file, err))
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", s.Path(""), missing), cause)
}

func otherKey(s storage.Store, file string, err error) error {
	return &fault.Error{File: s.Path(file), Offset: -1, Want: "the key of the repository", Got: "other bytes", Err: err}
}

// phraseHeader begins a file of age that is encrypted with a passphrase.
const phraseHeader = "age-encryption.org/v1\n-> scrypt "

func unwrap(data []byte, ids []age.Identity) (*Key, error) {
	r, err := age.Decrypt(bytes.NewReader(data), ids...)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, effort.SmallFile.Limit(0)))
	if err != nil {
		return nil, err
	}
	id, err := age.ParseX25519Identity(strings.TrimSpace(string(text)))
	return &Key{id}, err
}

// New returns a store that encrypts the files in some folders of another one. The other files are stored as they are.
func New(s storage.Store, k *Key, folders ...string) *Store { return &Store{s, k, folders} }

// Store is a store that encrypts files.
type Store struct {
	storage.Store
	key     *Key
	folders []string
}

// Base returns the other store.
func (s *Store) Base() storage.Store { return s.Store }

func (s *Store) covers(name string) bool {
	for _, folder := range s.folders {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

// Open opens a file. Each read decrypts 64 KiB or more, and detects changed bytes.
func (s *Store) Open(ctx context.Context, name string) (storage.File, error) {
	f, err := s.Store.Open(ctx, name)
	if err != nil || !s.covers(name) {
		return f, err
	}
	r, size, err := age.DecryptReaderAt(f, f.Size(), s.key.identity)
	if err != nil {
		return nil, errors.Join(s.damage(name, -1, err), f.Close())
	}
	return &file{File: f, r: r, size: size, damage: func(offset int64, err error) error { return s.damage(name, offset, err) }}, nil
}

// damage returns the error of reading a file.
func (s *Store) damage(name string, offset int64, err error) error {
	if storage.IsUnavailable(err) || errors.Is(err, fs.ErrClosed) {
		return err
	}
	return &fault.Error{File: s.Path(name), Offset: offset, Want: "bytes encrypted with the key of the repository", Got: "other bytes",
		Err: err}
}

// file is a file whose content is decrypted.
type file struct {
	storage.File
	r      io.ReaderAt
	size   int64
	damage func(offset int64, err error) error
}

func (f *file) Size() int64 { return f.size }

func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	if offset > f.size {
		return 0, io.EOF
	}
	n, err := f.r.ReadAt(p, offset)
	if err == io.EOF && n == len(p) {
		err = nil
	}
	if err != nil && err != io.EOF {
		err = f.damage(offset+int64(n), err)
	}
	return n, err
}

// Create starts a new file.
func (s *Store) Create(ctx context.Context, name string) (storage.Writer, error) {
	w, err := s.Store.Create(ctx, name)
	if err != nil || !s.covers(name) {
		return w, err
	}
	enc, err := age.Encrypt(w, s.key.identity.Recipient())
	if err != nil {
		w.Discard()
		return nil, err
	}
	return &writer{w, enc}, nil
}

// writer is a file that is encrypted.
type writer struct {
	storage.Writer
	enc io.WriteCloser
}

func (w *writer) Write(p []byte) (int, error) { return w.enc.Write(p) }

func (w *writer) Commit() error {
	if err := w.enc.Close(); err != nil {
		w.Discard()
		return err
	}
	return w.Writer.Commit()
}
