package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
)

// root is a folder, or a folder of a bucket, in which a worker may open files: the name that submitters use,
// and the name on this machine.
type root struct {
	There string `json:"there"`
	Here  string `json:"here"`
}

// kept is [local] for name relative to dir. It returns "" if name is not below the root or is the root itself.
func (r root) kept(dir, name string) string {
	if !bucket.IsURL(name) && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	at, err := local([]root{r}, name)
	if all, _ := local([]root{r}, r.There); err != nil || in(at, "") == in(all, "") {
		return ""
	}
	return at
}

// parseRoot parses DIR, DIR=HERE or the URL of a bucket.
func parseRoot(text string) (root, error) {
	if bucket.IsURL(text) {
		return root{text, text}, nil
	}
	if strings.Contains(text, "://") {
		return root{}, fmt.Errorf("--root: %.50q is neither a folder nor a bucket", text)
	}
	remote, own, two := strings.Cut(text, "=")
	if !two {
		own = remote
	}
	if remote == "" || own == "" {
		return root{}, errors.New("--root: expected a folder, DIR=HERE or the URL of a bucket")
	}
	own, err := filepath.Abs(own)
	if !two {
		remote = own
	}
	return root{filepath.Clean(remote), own}, err
}

// local returns the local name of a submitter's folder. For a bucket, it uses the settings with which the
// worker was started: the settings of a job could choose any server.
func local(roots []root, name string) (string, error) {
	for _, r := range roots {
		if bucket.IsURL(name) != bucket.IsURL(r.There) {
			continue
		}
		if !bucket.IsURL(name) {
			if rel, err := filepath.Rel(r.There, filepath.Clean(name)); err == nil && filepath.IsLocal(rel) {
				return filepath.Join(r.Here, rel), nil
			}
			continue
		}
		u, err := url.Parse(name)
		of, err2 := url.Parse(r.There)
		if err != nil || err2 != nil || u.User != nil || u.Scheme != of.Scheme || u.Host != of.Host ||
			slices.Contains(strings.Split(u.Path, "/"), "..") {
			continue
		}
		if base := strings.TrimSuffix(of.Path, "/"); u.Path == base || strings.HasPrefix(u.Path, base+"/") {
			u.RawQuery, u.Fragment = of.RawQuery, ""
			return u.String(), nil
		}
	}
	return "", fmt.Errorf("%s is not below a --root of this worker", name)
}

// in joins a name to a folder or a bucket.
func in(folder, name string) string {
	if u, err := url.Parse(folder); err == nil && bucket.IsURL(folder) {
		u.Path = path.Join("/", u.Path, name)
		return u.String()
	}
	return filepath.Join(folder, name)
}

// openStore opens the store of a work. The returned function closes the store.
func openStore(ctx context.Context, name string) (work.Store, func() error, error) {
	if !bucket.IsURL(name) {
		return work.Folder(name), func() error { return nil }, nil
	}
	b, err := bucket.Open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	return b, b.Close, nil
}
