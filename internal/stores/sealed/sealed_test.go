package sealed_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"

	"trowel.example/internal/files/host"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// identity returns a new identity of age in a file, and its recipient.
func identity(t testing.TB) (file, recipient string) {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(file, []byte("# a comment\n"+id.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, id.Recipient().String()
}

// TestFiles tests that files of all sizes are read as they were written, at any offset, and that only files of the folders are
// encrypted.
func TestFiles(t *testing.T) {
	folder := storage.Folder(t.TempDir())
	key, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	s := sealed.New(folder, key, "in")
	for _, size := range []int{0, 1, 1000, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1<<20 + 17} {
		want := bytes.Repeat([]byte("trowel, "), size/8+1)[:size]
		for _, name := range []string{"in/file", "out/file"} {
			if err := storage.WriteFile(t.Context(), s, name, want); err != nil {
				t.Fatal(err)
			}
			got, err := storage.ReadFile(t.Context(), s, name, effort.WholeFile)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s of %d bytes: %d bytes, %v", name, size, len(got), err)
			}
			f, err := s.Open(t.Context(), name)
			if err != nil || f.Size() != int64(size) {
				t.Fatalf("%s of %d bytes: %v", name, size, err)
			}
			for _, at := range []int{0, size / 3, size - 1, size, size + 1} {
				for _, length := range []int{1, 100, 70_000} {
					p := make([]byte, length)
					n, err := f.ReadAt(p, int64(max(at, 0)))
					if left := min(max(size-max(at, 0), 0), length); n != left || (err == io.EOF) != (left < length) || err != nil && err != io.EOF ||
						!bytes.Equal(p[:n], want[min(max(at, 0), size):][:n]) {
						t.Fatalf("%s of %d bytes, %d bytes at %d: %d, %v", name, size, length, at, n, err)
					}
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			stored, err := os.ReadFile(folder.Path(name))
			if err != nil || bytes.Contains(stored, want[:min(size, 20)]) != (name == "out/file") && size > 20 {
				t.Errorf("%s of %d bytes is stored in a wrong form: %v", name, size, err)
			}
			if err := s.Remove(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestChanged tests that a changed byte, another length and another key are errors.
func TestChanged(t *testing.T) {
	folder := storage.Folder(t.TempDir())
	key, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	s := sealed.New(folder, key, "in")
	if err := storage.WriteFile(t.Context(), s, "in/file", []byte("what nobody else reads")); err != nil {
		t.Fatal(err)
	}
	data := judge.Read(t, folder.Path("in/file"))
	fails := func(what string, i int, changed []byte) {
		t.Helper()
		if err := os.WriteFile(folder.Path("in/file"), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := storage.ReadFile(t.Context(), s, "in/file", effort.SmallFile); err == nil {
			t.Errorf("%s %d: %q", what, i, got)
		}
	}
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		fails("changed byte", i, changed)
		fails("cut at", i, data[:i])
	}
	fails("one byte more", 0, append(bytes.Clone(data), 0))
	if err := os.WriteFile(folder.Path("in/file"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sealed.New(folder, other, "in").Open(t.Context(), "in/file"); err == nil {
		t.Error("another key reads the file")
	}
}

// TestReaders tests that each reader gets the key, and nobody else.
func TestReaders(t *testing.T) {
	folder := storage.Folder(t.TempDir())
	key, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	one, first := identity(t)
	two, second := identity(t)
	other, _ := identity(t)
	list := filepath.Join(t.TempDir(), "readers.txt")
	if err := os.WriteFile(list, []byte("# both\n"+second+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests.OnHost(t, map[string]string{"entry new passphrase of " + folder.Path(""): "open sesame",
		"entry the same passphrase again": "open sesame"})
	if _, err := key.Wrap(t.Context(), folder, sealed.Readers{Recipients: []string{first, list}, Passphrase: true}); err != nil {
		t.Fatal(err)
	}
	ask := host.Entry + " passphrase of " + folder.Path("")
	for what, c := range map[string]struct {
		answers map[string]string
		err     error
	}{
		"the first":                  {map[string]string{"variable TROWEL_KEY_FILE": one}, nil},
		"the second":                 {map[string]string{"variable TROWEL_KEY_FILE": two}, nil},
		"another identity":           {map[string]string{"variable TROWEL_KEY_FILE": other}, sealed.ErrOtherKey},
		"the passphrase":             {map[string]string{"variable TROWEL_PASSPHRASE": "open sesame"}, nil},
		"the passphrase, typed":      {map[string]string{ask: "open sesame"}, nil},
		"another passphrase":         {map[string]string{"variable TROWEL_PASSPHRASE": "open"}, sealed.ErrOtherKey},
		"another one, typed":         {map[string]string{ask: "open"}, sealed.ErrOtherKey},
		"an identity and the phrase": {map[string]string{"variable TROWEL_KEY_FILE": other, "variable TROWEL_PASSPHRASE": "open sesame"}, nil},
	} {
		tests.OnHost(t, c.answers)
		sealed.Forget()
		got, err := sealed.Unwrap(t.Context(), folder, key.Name())
		if !errors.Is(err, c.err) || err == nil && got.Name() != key.Name() {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil {
			if _, err := sealed.Unwrap(t.Context(), folder, strings.Repeat("0", 32)); err == nil {
				t.Errorf("%s: a key of another name", what)
			}
		}
	}
	tests.OnHost(t, nil)
	sealed.Forget()
	if _, err := sealed.Unwrap(t.Context(), folder, key.Name()); err == nil || !strings.Contains(err.Error(), "TROWEL_PASSPHRASE") {
		t.Errorf("without a terminal: %v", err)
	}
	if _, err := sealed.Unwrap(t.Context(), storage.Folder(t.TempDir()), key.Name()); !errors.Is(err, sealed.ErrNoKey) {
		t.Errorf("without keys: %v", err)
	}

	secret := judge.Read(t, one)
	line := strings.Split(string(secret), "\n")[1]
	wrong := filepath.Join(t.TempDir(), "wrong.txt")
	if err := os.WriteFile(wrong, []byte(line[:20]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, to := range map[string]string{"a secret": line, "no file": "nobody", "a file of secrets": one, "a part": first[:20]} {
		_, err := key.Wrap(t.Context(), folder, sealed.Readers{Recipients: []string{to}})
		if err == nil || strings.Contains(err.Error(), line[:25]) {
			t.Errorf("%s: %v", what, err)
		}
	}
	tests.OnHost(t, map[string]string{"variable TROWEL_KEY_FILE": wrong})
	if _, err := sealed.Unwrap(t.Context(), folder, key.Name()); err == nil || strings.Contains(err.Error(), line[:20]) {
		t.Errorf("a damaged file of identities: %v", err)
	}
	tests.OnHost(t, map[string]string{"entry new passphrase of " + folder.Path(""): "a", "entry the same passphrase again": "b"})
	if _, err := key.Wrap(t.Context(), folder, sealed.Readers{Passphrase: true}); err == nil {
		t.Error("two different passphrases")
	}
	if _, err := key.Wrap(t.Context(), folder, sealed.Readers{}); err == nil {
		t.Error("no readers")
	}
}

// TestPassphraseOnce tests that a passphrase is entered and derived once in a run: both files with the key have the same derivation, and
// no later one is needed.
func TestPassphraseOnce(t *testing.T) {
	folder := storage.Folder(t.TempDir())
	key, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	tests.OnHost(t, map[string]string{"variable TROWEL_PASSPHRASE": "open sesame"})
	names, err := key.Wrap(t.Context(), folder, sealed.Readers{Passphrase: true})
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	first := judge.Read(t, folder.Path(names[0]))
	second, err := os.Open(folder.Path(names[1]))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if data, err := io.ReadAll(armor.NewReader(second)); err != nil || !bytes.Equal(data, first) {
		t.Errorf("the second file is %q, %v, expected the text of the first", data, err)
	}
	tried := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if got, err := sealed.Unwrap(t.Context(), folder, key.Name()); err != nil || got != key && got.Name() != key.Name() {
			t.Error(got, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const derivation = 256 << 10 // bytes, at the cost of tests
	if n := tried(); n >= derivation {
		t.Errorf("a repository that was created in this run takes %d bytes", n)
	}
	sealed.Forget()
	if n := tried(); n < derivation {
		t.Errorf("the first opening takes %d bytes", n)
	}
	if n := tried(); n >= derivation {
		t.Errorf("the second opening takes %d bytes", n)
	}
	for _, name := range names { // each alone is enough
		data := judge.Read(t, folder.Path(name))
		alone := storage.Folder(t.TempDir())
		sealed.Forget()
		if err := storage.WriteFile(t.Context(), alone, name, data); err != nil {
			t.Fatal(err)
		}
		if _, err := sealed.Unwrap(t.Context(), alone, key.Name()); err != nil {
			t.Error(name, err)
		}
	}
}

// FuzzUnwrap reads damaged keys.
func FuzzUnwrap(f *testing.F) {
	folder := storage.Folder(f.TempDir())
	key, err := sealed.NewKey()
	if err != nil {
		f.Fatal(err)
	}
	file, recipient := identity(f)
	if _, err := key.Wrap(f.Context(), folder, sealed.Readers{Recipients: []string{recipient}}); err != nil {
		f.Fatal(err)
	}
	names, err := sealed.Wrapped(f.Context(), folder)
	if err != nil || len(names) != 2 {
		f.Fatal(names, err)
	}
	if err := os.Remove(folder.Path(names[1])); err != nil {
		f.Fatal(err)
	}
	data := judge.Read(f, folder.Path(names[0]))
	f.Add(data)
	f.Add([]byte("age-encryption.org/v1\n-> scrypt AAAA 30\n"))
	f.Add([]byte(armor.Header + "\nYWdlLWVu\n" + armor.Footer + "\n"))
	tests.OnHost(f, map[string]string{"variable TROWEL_KEY_FILE": file, "variable TROWEL_PASSPHRASE": "x"})
	f.Fuzz(func(t *testing.T, changed []byte) {
		if err := os.WriteFile(folder.Path(names[0]), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := sealed.Unwrap(t.Context(), folder, key.Name()); err == nil && got.Name() != key.Name() {
			t.Error("another key")
		}
	})
}
