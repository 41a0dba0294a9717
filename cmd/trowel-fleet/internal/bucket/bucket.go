// Package bucket reads and writes object storage: S3 and compatible services, or a folder that is used like a
// bucket. Because of its size, only the program trowel-fleet contains it.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file:///folder
	_ "gocloud.dev/blob/s3blob"   // s3://bucket/folder?region=...&endpoint=...
	"gocloud.dev/gcerrors"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/stores/server"
)

// IsURL reports whether a name is the URL of a bucket, as opposed to a file name.
func IsURL(name string) bool {
	scheme, rest, ok := strings.Cut(name, "://")
	return ok && rest != "" && (scheme == "s3" || scheme == "file")
}

// Bucket is a bucket or a folder of a bucket. It is a [work.Store]. Credentials come from the environment of
// the process, as with other S3 programs: AWS_ACCESS_KEY_ID, AWS_PROFILE and others. An object is visible only
// after it is written completely.
type Bucket struct {
	url string // as the user named it, without the query
	b   *blob.Bucket
}

var _ work.Store = (*Bucket)(nil)

// parse parses the URL of a bucket or of an object in a bucket. Its errors never contain a password.
func parse(name string) (*url.URL, error) {
	u, err := url.Parse(name)
	switch {
	case strings.Contains(name, "@") && (err != nil || u.User != nil):
		return nil, errors.New("the name of a bucket has no user or password: pass credentials by the environment")
	case err != nil:
		return nil, fmt.Errorf("%.100q: %w", name, errors.Unwrap(err))
	case !IsURL(name):
		return nil, fmt.Errorf("%.100q: expected s3://BUCKET/FOLDER or file:///FOLDER", name)
	case u.Scheme == "file" && u.Host != "" && u.Host != ".":
		return nil, fmt.Errorf("%.100q: expected file:///FOLDER, with three slashes", name)
	}
	return u, nil
}

// Open opens a bucket or a folder of a bucket: s3://BUCKET/FOLDER or file:///FOLDER. The query contains
// settings of the driver, such as region and endpoint. Open does not contact the server.
func Open(ctx context.Context, name string) (*Bucket, error) {
	u, err := parse(name)
	if err != nil {
		return nil, err
	}
	shown := *u
	shown.RawQuery = ""
	query, prefix := u.Query(), ""
	if u.Scheme == "s3" {
		prefix, u.Path = strings.Trim(u.Path, "/"), ""
		if !query.Has("response_checksum_validation") {
			// Parts have no checksum, and the driver would log this for each part.
			query.Set("response_checksum_validation", "when_required")
		}
	} else {
		// The folder contains only the objects. Incomplete objects are next to their final place.
		query.Set("create_dir", "true")
		query.Set("metadata", "skip")
		query.Set("no_tmp_dir", "true")
	}
	u.RawQuery = query.Encode()
	b, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown.String(), err)
	}
	if prefix != "" {
		b = blob.PrefixedBucket(b, prefix+"/")
	}
	return &Bucket{strings.TrimSuffix(shown.String(), "/"), b}, nil
}

// String returns the name of the bucket.
func (b *Bucket) String() string { return b.url }

// Close closes the bucket.
func (b *Bucket) Close() error { return b.b.Close() }

// failed adds the name of an object to an error of the driver.
func (b *Bucket) failed(name string, err error) error {
	if err == nil {
		return nil
	}
	at := b.url
	if name != "" {
		at += "/" + name
	}
	if isNotFound(err) {
		return fmt.Errorf("%s: %w", at, fs.ErrNotExist)
	}
	return &failure{at, err}
}

// failure is an error of an object storage server.
type failure struct {
	at  string
	err error
}

func (f *failure) Unwrap() error { return f.err }

// Error returns the message of the server, without the layers of wrapping.
func (f *failure) Error() string {
	if why := server.WhyTLS(f.err, "AWS_CA_BUNDLE names the file with the certificate of the authority"); why != "" {
		return f.at + ": " + why
	}
	text := f.err.Error()
	for _, before := range []string{"api error ", "request send failed, "} {
		if _, rest, ok := strings.Cut(text, before); ok {
			text = rest
		}
	}
	return f.at + ": " + text
}

// Put stores the output of write under a name.
func (b *Bucket) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	return b.put(ctx, name, false, write)
}

// Add stores the output of write under a name, unless the object exists when write ends.
func (b *Bucket) Add(ctx context.Context, name string, write func(io.Writer) error) error {
	if has, err := b.Has(ctx, name); has || err != nil {
		return err
	}
	err := b.put(ctx, name, true, write)
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return nil // another process was faster
	}
	return err
}

func (b *Bucket) put(ctx context.Context, name string, once bool, write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.b.NewWriter(ctx, name, &blob.WriterOptions{IfNotExist: once, ContentType: "application/octet-stream"})
	if err != nil {
		return b.failed(name, err)
	}
	if err := write(w); err != nil {
		cancel() // cancels the upload
		_ = w.Close()
		return err
	}
	return b.failed(name, w.Close())
}

// Open opens the object with a name.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := b.b.NewReader(ctx, name, nil)
	if err != nil {
		return nil, b.failed(name, err)
	}
	return r, nil
}

// Has reports whether an object with a name exists.
func (b *Bucket) Has(ctx context.Context, name string) (bool, error) {
	has, err := b.b.Exists(ctx, name)
	return has, b.failed(name, err)
}

// Remove removes the object with a name, if it exists.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	if err := b.b.Delete(ctx, name); err != nil && !isNotFound(err) {
		return b.failed(name, err)
	}
	return nil
}

// Entry is an object.
type Entry struct {
	Name    string    // relative to the open bucket or folder
	Size    int64     // in bytes
	Time    time.Time // when the object was stored, by the server's clock
	Version string    // changes with the content; "" if the server does not report it
	tag     string    // ETag of the server, for conditional requests
}

// Walk calls do for all objects in a folder of the bucket, ordered by name; "" is the whole bucket. Objects
// whose names are not valid file paths, such as names with .., are skipped, because they could not be stored as
// files.
func (b *Bucket) Walk(ctx context.Context, folder string, do func(Entry) error) error {
	if folder != "" {
		folder = strings.TrimSuffix(folder, "/") + "/"
	}
	return b.list(ctx, folder, "", do)
}

// list is Walk for a folder whose name ends with /. With a delimiter, it does not enter subfolders.
func (b *Bucket) list(ctx context.Context, folder, delimiter string, do func(Entry) error) error {
	all := b.b.List(&blob.ListOptions{Prefix: folder, Delimiter: delimiter})
	for {
		o, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if isNotFound(err) {
			return fmt.Errorf("%s: the bucket does not exist: %w", b.url, fs.ErrNotExist)
		}
		if err != nil {
			return b.failed(strings.TrimSuffix(folder, "/"), err)
		}
		if o.IsDir || strings.HasSuffix(o.Key, "/") || !fs.ValidPath(o.Key) {
			continue
		}
		version, tag := fmt.Sprintf("%x %d", o.MD5, o.ModTime.UnixNano()), ""
		var s types.Object
		if o.As(&s) && s.ETag != nil {
			tag = *s.ETag
		}
		if err := do(Entry{o.Key, o.Size, o.ModTime, version, tag}); err != nil {
			return err
		}
	}
}

// List calls do for all objects in a folder, with names relative to it.
func (b *Bucket) List(ctx context.Context, folder string, do func(name string, size int64) error) error {
	err := b.Walk(ctx, folder, func(e Entry) error { return do(strings.TrimPrefix(e.Name, folder+"/"), e.Size) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func isNotFound(err error) bool { return gcerrors.Code(err) == gcerrors.NotFound }
