package worldrepo_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aead.dev/minisign"

	"trowel.example/check"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// newSigner returns a new key, and the public key that belongs to it.
func newSigner(t testing.TB) (*sealed.SigningKey, *sealed.Trust) {
	t.Helper()
	public, secret, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := secret.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	judge.Write(t, file, text)
	key, err := sealed.ReadSigningKey(file)
	if err != nil {
		t.Fatal(err)
	}
	trust, err := sealed.ParseTrust(public.String())
	if err != nil {
		t.Fatal(err)
	}
	return key, trust
}

// signed is a world with signed backups.
type signed struct {
	t     *testing.T
	dir   string
	repo  kept
	key   *sealed.SigningKey
	trust *sealed.Trust
}

func newSigned(t *testing.T, repo kept) *signed {
	s := &signed{t: t, dir: worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 20, 28), repo: repo}
	s.key, s.trust = newSigner(t)
	return s
}

func (s *signed) backup(key *sealed.SigningKey) (snap *worldrepo.Snapshot, warnings int) {
	s.t.Helper()
	run(s.t, s.dir, "UPDATE blocks SET data = randomblob(90) WHERE pos IN (SELECT pos FROM blocks LIMIT 3)")
	report, err := worldrepo.Backup(s.t.Context(), s.dir, s.repo, worldrepo.Options{Sign: key, Sink: func(check.Finding) { warnings++ }})
	if err != nil {
		s.t.Fatal(err)
	}
	return report.Snapshot, warnings
}

// finds tests that a check finds exactly these kinds, each as often as it is listed.
func (s *signed) finds(what string, trust *sealed.Trust, since []worldrepo.Root, want ...string) {
	s.t.Helper()
	r, err := worldrepo.Open(s.t.Context(), s.repo)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for _, f := range check.Collect(func(sink check.Sink) {
		if err := r.Check(s.t.Context(), worldrepo.CheckOptions{Trust: trust, Since: since}, sink); err != nil {
			s.t.Fatal(err)
		}
	}) {
		if f.ID != "mt-backup-unused" {
			got = append(got, strings.TrimPrefix(f.ID, "mt-backup-"))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: found %v, expected %v", what, got, want)
	}
}

// without tests what a check finds while a file is missing.
func (s *signed) without(name string, since []worldrepo.Root, want ...string) {
	s.t.Helper()
	data := s.repo.all(s.t)[name]
	s.repo.drop(s.t, name)
	s.finds("without "+name, s.trust, since, want...)
	s.repo.put(s.t, name, data)
}

func snapshotName(s *worldrepo.Snapshot) string { return "snapshots/" + s.ID + ".json" }

// TestSigned tests that check finds snapshots that are changed, replaced, missing, unsigned or signed by others, and an older state.
func TestSigned(t *testing.T) { everywhere(t, testSigned, "version 1", "version 2") }

func testSigned(t *testing.T, newRepo func(*testing.T) kept) {
	s := newSigned(t, newRepo(t))
	stranger, other := newSigner(t)
	first, _ := s.backup(s.key)
	early := s.repo.all(t)
	second, _ := s.backup(s.key)
	last, warnings := s.backup(s.key)
	newest := []worldrepo.Root{last.Root}
	if warnings > 0 || len(first.Parents) > 0 || !slices.Equal(last.Parents, []worldrepo.Link{{ID: second.ID, Root: second.Root}}) {
		t.Errorf("parents: %v and %v, %d warnings", first.Parents, last.Parents, warnings)
	}
	s.finds("signed", s.trust, append(newest, first.Root))
	s.finds("another key", other, nil, "signature", "signature", "signature")
	s.without(snapshotName(second), nil, "missing")
	s.without(snapshotName(last), nil)
	s.without(snapshotName(last), newest, "rollback")

	// The host of the disk forges snapshots.
	forged := *second
	forged.World = "another"
	whole := s.repo.all(t)[snapshotName(second)]
	if !strings.HasPrefix(string(whole), "age") {
		unsigned := string(worldrepo.Seal(t, &forged))
		s.repo.put(t, snapshotName(second), []byte(unsigned))
		s.finds("forged", s.trust, nil, "missing", "signature")
		_, signature, _ := strings.Cut(string(whole), `"signature"`)
		signature, _, _ = strings.Cut(signature, `,"snapshot"`)
		s.repo.put(t, snapshotName(second), []byte(strings.Replace(unsigned, `,"snapshot"`, `,"signature"`+signature+`,"snapshot"`, 1)))
		s.finds("with a signature of another root", s.trust, nil, "missing", "signature")
		s.repo.put(t, snapshotName(second), whole)
		copied := strings.Replace(snapshotName(second), ".json", "ff.json", 1)
		s.repo.put(t, copied, whole)
		s.finds("copied to another name", s.trust, nil, "signature")
		s.repo.drop(t, copied)
	}
	s.finds("restored", s.trust, newest)

	// An older state is copied over the repository.
	now := s.repo.all(t)
	for name := range now {
		if _, old := early[name]; !old {
			s.repo.drop(t, name)
		}
	}
	s.finds("an older state", s.trust, nil)
	s.finds("an older state", s.trust, newest, "rollback")
	for name, data := range now {
		s.repo.put(t, name, data)
	}

	alien, _ := s.backup(stranger)
	s.finds("a stranger's", s.trust, nil, "signature")
	s.repo.drop(t, snapshotName(alien))
	plain, warnings := s.backup(nil)
	if warnings != 1 {
		t.Errorf("%d warnings about a snapshot that is not signed", warnings)
	}
	s.finds("not signed", s.trust, nil, "signature")
	if err := worldrepo.Forget(t.Context(), s.repo, []string{plain.ID}, nil); err != nil {
		t.Error(err)
	}

	r, err := worldrepo.Open(t.Context(), s.repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	again, err := r.Snapshot(last.ID)
	if err != nil || r.Verify(again, s.trust) != nil || !errors.Is(r.Verify(again, other), sealed.ErrOther) ||
		!errors.Is(r.Verify(plain, s.trust), sealed.ErrUnsigned) {
		t.Error("a snapshot is verified with the wrong result", err)
	}
}

// TestSignedForget tests that a missing snapshot is accepted only if a record with the right signature removes it.
func TestSignedForget(t *testing.T) { everywhere(t, testSignedForget, "version 1", "version 2") }

func testSignedForget(t *testing.T, newRepo func(*testing.T) kept) {
	s := newSigned(t, newRepo(t))
	stranger, _ := newSigner(t)
	var all []*worldrepo.Snapshot
	for range 4 {
		one, _ := s.backup(s.key)
		all = append(all, one)
	}
	forget := func(key *sealed.SigningKey, snaps ...*worldrepo.Snapshot) error {
		var ids []string
		for _, one := range snaps {
			ids = append(ids, one.ID)
		}
		return worldrepo.Forget(t.Context(), s.repo, ids, key)
	}
	if err := forget(nil, all[1]); !errors.Is(err, worldrepo.ErrUnsigned) {
		t.Errorf("without a key: %v", err)
	}
	s.finds("nothing is removed", s.trust, nil)
	record := func() string {
		for name := range s.repo.all(t) {
			if strings.HasPrefix(name, "records/") {
				return name
			}
		}
		t.Fatal("there is no record")
		return ""
	}
	if err := forget(s.key, all[1], all[2]); err != nil {
		t.Fatal(err)
	}
	s.finds("forgotten", s.trust, []worldrepo.Root{all[1].Root, all[3].Root})
	s.without(record(), nil, "missing")
	s.without(snapshotName(all[0]), nil, "missing") // only the record names it
	name := record()
	whole := s.repo.all(t)[name]
	for i := 0; i < len(whole); i += 1 + len(whole)/20 {
		bad := slices.Clone(whole)
		bad[i] ^= 1
		s.repo.put(t, name, bad)
		r, err := worldrepo.Open(t.Context(), s.repo)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(check.Collect(func(sink check.Sink) {
			if err := r.Check(t.Context(), worldrepo.CheckOptions{Trust: s.trust}, sink); err != nil {
				t.Fatal(err)
			}
		})); n < 2 {
			t.Fatalf("byte %d of a record: %d findings", i, n)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.repo.drop(t, name)
	if err := forget(stranger, all[3]); err != nil {
		t.Fatal(err)
	}
	s.finds("a stranger's record", s.trust, []worldrepo.Root{all[3].Root}, "signature", "rollback")
	s.repo.put(t, name, whole)
	if next, _ := s.backup(s.key); fmt.Sprint(next.Parents) != fmt.Sprint([]worldrepo.Link{{ID: all[3].ID, Root: all[3].Root}}) {
		t.Errorf("parents: %v", next.Parents)
	}
	s.finds("a successor of what a stranger has removed", s.trust, nil, "missing", "signature")
}

// TestSignedAtOnce tests that a snapshot names all that were made at the same time before it.
func TestSignedAtOnce(t *testing.T) {
	one := newSigned(t, newObjects(t))
	first, _ := one.backup(one.key)
	two := *one
	two.repo = newObjects(t)
	for name, data := range one.repo.all(t) {
		two.repo.put(t, name, data)
	}
	a, _ := one.backup(one.key)
	b, _ := two.backup(one.key)
	for name, data := range two.repo.all(t) {
		one.repo.put(t, name, data)
	}
	if a.Parents[0].ID != first.ID || b.Parents[0].ID != first.ID {
		t.Errorf("%v and %v", a.Parents, b.Parents)
	}
	c, _ := one.backup(one.key)
	if len(c.Parents) != 2 {
		t.Errorf("parents: %v", c.Parents)
	}
	one.finds("two heads", one.trust, nil)
	one.without(snapshotName(a), nil, "missing")
	one.without(snapshotName(b), nil, "missing")
}

// TestSignedOld tests that repositories that cannot have signatures say so.
func TestSignedOld(t *testing.T) {
	worldrepo.UseOldVersion(t)
	s := newSigned(t, newObjects(t))
	first, _ := s.backup(nil)
	if _, err := worldrepo.Backup(t.Context(), s.dir, s.repo, worldrepo.Options{Sign: s.key}); !errors.Is(err, worldrepo.ErrOld) {
		t.Error(err)
	}
	if err := worldrepo.Forget(t.Context(), s.repo, []string{first.ID}, s.key); !errors.Is(err, worldrepo.ErrOld) {
		t.Error(err)
	}
	r, err := worldrepo.Open(t.Context(), s.repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Check(t.Context(), worldrepo.CheckOptions{Trust: s.trust}, func(check.Finding) {}); !errors.Is(err, worldrepo.ErrOld) {
		t.Error(err)
	}
}
