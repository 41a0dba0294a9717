package bucket

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"trowel.example/internal/format"
	"trowel.example/internal/stores/storage"
)

// Sources opens files of buckets by their names, s3://BUCKET/FOLDER/FILE. The settings in the query of a name
// also apply to all names that [Sources.Join] makes from it, which do not contain them. The zero value is ready
// to use. Its methods may be called concurrently.
type Sources struct {
	mu   sync.Mutex
	open map[string]*Bucket // by scheme, bucket and settings
	with map[string]string  // settings by names of buckets that were named with settings
}

// place is a parsed name.
type place struct {
	bucket string // a name for Open, with settings
	at     string // path in the bucket; "" for the whole bucket
}

// Has reports whether a name is that of a file or folder in a bucket.
func (s *Sources) Has(name string) bool { return IsURL(name) }

// Full returns a name with the settings that apply to it.
func (s *Sources) Full(name string) string {
	p, err := s.place(name)
	if err != nil {
		return name
	}
	bucket, settings, has := strings.Cut(p.bucket, "?")
	full := strings.TrimSuffix(bucket+"/"+p.at, "/")
	if has {
		full += "?" + settings
	}
	return full
}

// place parses a name.
func (s *Sources) place(name string) (p place, err error) {
	u, err := parse(name)
	if err != nil {
		return p, err
	}
	p.at = strings.Trim(u.Path, "/")
	if p.at != "" && !fs.ValidPath(p.at) {
		return p, fmt.Errorf("%.100q: %q is not a valid name in a bucket", name, p.at)
	}
	root := u.Scheme + "://" + u.Host
	if u.Scheme == "file" { // the folder is the bucket, and its files are objects
		whole := path.Clean(u.Path)
		p.at, root = path.Base(whole), root+path.Dir(whole)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.RawQuery != "" {
		if s.with == nil {
			s.with = make(map[string]string)
		}
		s.with[root] = u.RawQuery
	}
	if q := s.with[root]; q != "" {
		root += "?" + q
	}
	p.bucket = root
	return p, nil
}

// at returns the bucket of a place. It is opened once.
func (s *Sources) at(p place) (*Bucket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.open[p.bucket]; b != nil {
		return b, nil
	}
	// Later calls with other contexts use the bucket, too.
	b, err := Open(context.Background(), p.bucket)
	if err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open = make(map[string]*Bucket)
	}
	s.open[p.bucket] = b
	return b, nil
}

// Join returns the name of the slash-separated path at below a name. If at is "", it returns the name itself.
func (s *Sources) Join(name, at string) string {
	shown, _, _ := strings.Cut(name, "?")
	if _, err := s.place(name); err != nil || at == "" {
		return strings.TrimSuffix(shown, "/")
	}
	return strings.TrimSuffix(shown, "/") + "/" + at
}

// Walk calls do for each file below a name, ordered by path. at is the path from the name, or "" if the name is
// a file; size is in bytes; version is a text that changes with the content.
func (s *Sources) Walk(ctx context.Context, name string, do func(at string, size int64, version string) error) error {
	p, err := s.place(name)
	if err != nil {
		return err
	}
	b, err := s.at(p)
	if err != nil {
		return err
	}
	if p.at != "" {
		switch a, err := b.b.Attributes(ctx, p.at); {
		case err == nil:
			return do("", a.Size, fmt.Sprintf("%x %d", a.MD5, a.ModTime.UnixNano()))
		case !isNotFound(err):
			return b.failed(p.at, err)
		}
	}
	some := false
	err = b.Walk(ctx, p.at, func(e Entry) error {
		some = true
		return do(strings.TrimPrefix(strings.TrimPrefix(e.Name, p.at), "/"), e.Size, e.Version)
	})
	if err == nil && !some {
		err = fmt.Errorf("%s: %w", s.Join(name, ""), fs.ErrNotExist)
	}
	return err
}

// Open opens a file for reading. The file is usable until the context ends.
func (s *Sources) Open(ctx context.Context, name string) (*format.Source, error) {
	p, err := s.place(name)
	if err != nil {
		return nil, err
	}
	b, err := s.at(p)
	if err != nil {
		return nil, err
	}
	o, err := b.Object(ctx, p.at)
	if err != nil {
		return nil, err
	}
	shown := s.Join(name, "")
	return format.NewSourceNear(shown, o, o.Size(), &near{s, ctx, b, path.Dir(p.at), strings.TrimSuffix(shown, path.Base(p.at))}), nil
}

// Folder returns a name as a folder, without checking that the folder exists. A bucket that is a folder of the
// file system is opened as that folder, which can be locked and survives a power failure.
func (s *Sources) Folder(name string) (*format.Source, error) {
	p, err := s.place(name)
	if err != nil {
		return nil, err
	}
	shown := s.Join(name, "")
	src := &format.Source{Path: shown, Name: path.Base(p.at)}
	if u, err := url.Parse(shown); err == nil && u.Scheme == "file" {
		src.Store = storage.Folder(localPath(u.Host + u.Path)) // the host can be a dot
		return src, nil
	}
	b, err := s.at(p)
	if err == nil {
		src.Store = newStore(b, p.at)
	}
	return src, err
}

// localPath returns the file system path of a URL path.
func localPath(urlPath string) string {
	if rest := strings.TrimPrefix(urlPath, "/"); filepath.VolumeName(filepath.FromSlash(rest)) != "" {
		urlPath = rest // C:/folder
	}
	return filepath.FromSlash(urlPath)
}

// near opens the neighbors of an object.
type near struct {
	sources *Sources
	ctx     context.Context
	bucket  *Bucket
	folder  string // in the bucket
	shown   string // name of the folder, ending with /
}

func (n *near) Names() (names []string, err error) {
	folder := strings.TrimPrefix(n.folder+"/", "./")
	err = n.bucket.list(n.ctx, folder, "/", func(e Entry) error {
		names = append(names, path.Base(e.Name))
		return nil
	})
	return names, err
}

func (n *near) Open(name string) (*format.Source, error) { return n.sources.Open(n.ctx, n.shown+name) }
