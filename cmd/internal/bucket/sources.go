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

	"trowel.example/format"
	"trowel.example/storage"
)

// Sources opens files of buckets by their names, s3://BUCKET/FOLDER/FILE. The settings of a bucket,
// behind the ? of a name, count for all names that are made of it with [Sources.Join], which do not
// show them. The zero value knows no bucket yet; its methods may be called by many.
type Sources struct {
	mu   sync.Mutex
	open map[string]*Bucket // by scheme, bucket and settings
	with map[string]string  // the settings of a bucket that was named with some
}

// place is where a name leads.
type place struct {
	bucket string // a name for Open, with settings
	at     string // in the bucket; "" for all of it
}

// Has reports whether a name is that of a file or folder in a bucket.
func (s *Sources) Has(name string) bool { return IsURL(name) }

// Full returns a name with the settings that count for it.
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

// place takes a name apart.
func (s *Sources) place(name string) (p place, err error) {
	u, err := parse(name)
	if err != nil {
		return p, err
	}
	p.at = strings.Trim(u.Path, "/")
	if p.at != "" && !fs.ValidPath(p.at) {
		return p, fmt.Errorf("%.100q: %q is no place in a bucket", name, p.at)
	}
	root := u.Scheme + "://" + u.Host
	if u.Scheme == "file" { // the folder is the bucket, whose files have paths in it
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

// at opens the bucket of a place, once.
func (s *Sources) at(p place) (*Bucket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.open[p.bucket]; b != nil {
		return b, nil
	}
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

// Join returns the name of what is at a path, with /, below a name; "" is that itself.
func (s *Sources) Join(name, at string) string {
	shown, _, _ := strings.Cut(name, "?")
	if _, err := s.place(name); err != nil || at == "" {
		return strings.TrimSuffix(shown, "/")
	}
	return strings.TrimSuffix(shown, "/") + "/" + at
}

// Walk calls do with each file below a name, in the order of their paths: with the path from there,
// which is "" if the name is that of a file, the size in bytes, and a text that is another one when
// the content is.
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

// Open opens a file for reading until the context ends.
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

// Folder returns a name as that of a folder. Whether it is there is not looked at. A bucket that
// is a folder of the system is that folder, which can be locked, and keeps what it has when the
// power fails.
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
		src.Store = NewStore(b, p.at)
	}
	return src, err
}

// localPath returns the path of the system that a URL has.
func localPath(urlPath string) string {
	if rest := strings.TrimPrefix(urlPath, "/"); filepath.VolumeName(filepath.FromSlash(rest)) != "" {
		urlPath = rest // C:/folder
	}
	return filepath.FromSlash(urlPath)
}

// near is what is beside an object.
type near struct {
	sources *Sources
	ctx     context.Context
	bucket  *Bucket
	folder  string // in the bucket
	shown   string // the name of the folder, with / behind it
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
