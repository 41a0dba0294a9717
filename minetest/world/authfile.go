package world

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/files/wholefile"
)

// AuthFile is auth.txt. Each line is an account, "name:password:privileges:last_login"; the last field exists since
// 0.4. Lines that do not change are preserved. If several lines have the same name, the last line is valid.
type AuthFile struct {
	lines []authLine
}

type authLine struct {
	raw  string // includes the line end
	name string
	ok   bool // whether the line is an account
}

// ParseAuthFile parses auth.txt. Lines with fewer than three fields are not accounts: the engine skips them, and
// AuthFile preserves them. The file has neither an end mark nor a count, so a file that was cut off after a line, or
// inside the password, the privileges or the time of the last line, cannot be recognized: [OpenAuth] returns no error
// for it. A nil error means that all lines of the file were read.
func ParseAuthFile(text []byte) *AuthFile {
	f := new(AuthFile)
	for len(text) > 0 {
		var line []byte
		line, text = nextLine(text)
		l := authLine{raw: string(line)}
		if fields := l.fields(); len(fields) >= 3 {
			l.name, l.ok = fields[0], true
		}
		f.lines = append(f.lines, l)
	}
	return f
}

func (l authLine) fields() []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(l.raw, byteOrderMark), "\n"), ":")
}

func (l authLine) account() *Account {
	fields := l.fields()
	a := &Account{Name: l.name, Password: Verifier(fields[1])}
	if fields[2] != "" {
		a.Privileges = strings.Split(fields[2], ",")
	}
	if len(fields) > 3 {
		a.LastLogin = leadingInt(fields[3])
	}
	return a
}

// leadingInt parses the number at the beginning of text, as the engine does. It returns 0 if text does not begin with
// a number.
func leadingInt(text string) int64 {
	text = strings.TrimLeft(text, space)
	n := 0
	for n < len(text) && ('0' <= text[n] && text[n] <= '9' || n == 0 && (text[0] == '-' || text[0] == '+')) {
		n++
	}
	v, _ := strconv.ParseInt(text[:n], 10, 64) // the nearest int64 if the number is out of range
	return v
}

// All yields the valid accounts, in the order of their lines.
func (f *AuthFile) All() iter.Seq[*Account] {
	return func(yield func(*Account) bool) {
		last := make(map[string]int)
		for i, l := range f.lines {
			if l.ok {
				last[l.name] = i
			}
		}
		for i, l := range f.lines {
			if l.ok && last[l.name] == i && !yield(l.account()) {
				return
			}
		}
	}
}

// Get returns the account with the given name, or nil if there is none.
func (f *AuthFile) Get(name string) *Account {
	if i := f.find(name); i >= 0 {
		return f.lines[i].account()
	}
	return nil
}

// find returns the index of the valid line of a name, or -1 if there is none.
func (f *AuthFile) find(name string) int {
	for i, l := range slices.Backward(f.lines) {
		if l.ok && l.name == name {
			return i
		}
	}
	return -1
}

// Put replaces the line of an account, or adds a line. It returns an error if the account contains characters that
// would change the meaning of the line.
func (f *AuthFile) Put(a *Account) error {
	privileges := strings.Join(a.Privileges, ",")
	if strings.ContainsAny(a.Name+string(a.Password)+privileges, ":\n") || privileges == "" && len(a.Privileges) > 0 ||
		slices.ContainsFunc(a.Privileges, func(p string) bool { return strings.Contains(p, ",") }) {
		return wrong("auth.txt", strconv.Quote(a.Name), "an account name without : and line ends, and privileges "+
			"without commas, of which one is not empty", "others")
	}
	i := f.find(a.Name)
	if i >= 0 && f.lines[i].account().Equal(a) {
		return nil
	}
	l := authLine{name: a.Name, ok: true}
	l.raw = a.Name + ":" + string(a.Password) + ":" + privileges + ":" + strconv.FormatInt(a.LastLogin, 10) + "\n"
	if i >= 0 {
		f.lines[i] = l
		return nil
	}
	if n := len(f.lines); n > 0 && !strings.HasSuffix(f.lines[n-1].raw, "\n") {
		f.lines[n-1].raw += "\n"
	}
	f.lines = append(f.lines, l)
	return nil
}

// Delete removes all lines of a name and reports whether there were any.
func (f *AuthFile) Delete(name string) bool {
	n := len(f.lines)
	f.lines = slices.DeleteFunc(f.lines, func(l authLine) bool { return l.ok && l.name == name })
	return len(f.lines) < n
}

// Append appends the text to dst.
func (f *AuthFile) Append(dst []byte) []byte {
	for _, l := range f.lines {
		dst = append(dst, l.raw...)
	}
	return dst
}

// authStore is a store backed by auth.txt.
type authStore struct {
	file  *AuthFile
	path  string
	write bool
}

func openAuthFile(path string, write bool) (*authStore, error) {
	text, err := readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &authStore{ParseAuthFile(text), path, write}, nil
}

func (s *authStore) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for a := range s.file.All() {
			if err := ctx.Err(); !yield(a.Name, err) || err != nil {
				return
			}
		}
	}
}

func (s *authStore) Get(_ context.Context, name string) (*Account, error) {
	if a := s.file.Get(name); a != nil {
		return a, nil
	}
	return nil, ErrNotFound
}

func (s *authStore) Put(_ context.Context, a *Account) error {
	if !s.write {
		return ErrReadOnly
	}
	return s.file.Put(a)
}

func (s *authStore) Delete(_ context.Context, name string) error {
	switch {
	case !s.write:
		return ErrReadOnly
	case !s.file.Delete(name):
		return ErrNotFound
	}
	return nil
}

func (s *authStore) Commit(context.Context) error {
	if !s.write {
		return ErrReadOnly
	}
	return wholefile.Write(s.path, bytes.NewReader(s.file.Append(nil)), 0o644)
}

func (s *authStore) Close() error { return nil }
