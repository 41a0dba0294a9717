package bucket

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// Tables is a dataset of tables in a bucket, for package census. Several runs may write to it concurrently,
// without locks that a killed run would leave behind: each object is written only if it is unchanged since the
// run began or was written by the run itself. If two runs would mix, at least one of them fails, and the next
// run rebuilds the partitions they had begun. The server must support If-Match and If-None-Match for uploads,
// as Amazon S3 does.
type Tables struct {
	b     *Bucket
	there map[string]stored
}

// stored is the state of an object that this run has seen.
type stored struct {
	size int64
	tag  string
}

// ErrTaken means that another run has written in the meantime.
var ErrTaken = errors.New("another run is writing there")

// OpenTables opens a folder of a bucket and lists its objects.
func OpenTables(ctx context.Context, name string) (*Tables, error) {
	b, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &Tables{b, make(map[string]stored)}
	if err := b.Walk(ctx, "", func(e Entry) error {
		t.there[e.Name] = stored{e.Size, e.tag}
		return nil
	}); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return t, nil
}

// Put stores the output of write under a name, replacing an existing object.
func (t *Tables) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client, object, err := t.b.upload(ctx, name)
	if err != nil {
		return err
	}
	if was, ok := t.there[name]; ok {
		object.IfMatch = &was.tag
	} else {
		object.IfNoneMatch = new("*")
	}
	r, w := io.Pipe()
	defer r.Close()
	failed := make(chan error, 1)
	count := &counter{w: w}
	go func() {
		err := write(count)
		w.CloseWithError(err) // no object is created
		failed <- err
	}()
	object.Body = r
	made, err := client.UploadObject(ctx, object)
	r.Close() // if the upload has ended, write must stop, too
	if wrong := <-failed; wrong != nil && !errors.Is(wrong, io.ErrClosedPipe) {
		return wrong
	}
	if err != nil {
		return t.failed(name, err)
	}
	if made.ETag == nil {
		return t.b.failed(name, errors.New("the server returned no version of the stored object"))
	}
	t.there[name] = stored{count.n, *made.ETag}
	return nil
}

// failed adds the name of the object to an error of the server.
func (t *Tables) failed(name string, err error) error {
	var api interface {
		error
		ErrorCode() string
	}
	if errors.As(err, &api) && slices.Contains([]string{"PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"}, api.ErrorCode()) {
		err = ErrTaken
	}
	return t.b.failed(name, err)
}

// counter counts the bytes written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// errProbed ends a writer that was called only to learn its settings.
var errProbed = errors.New("probed")

// upload returns a client for uploads to the bucket, and an object with the settings of the bucket.
func (b *Bucket) upload(ctx context.Context, name string) (client *transfermanager.Client,
	object *transfermanager.UploadObjectInput, err error) {
	_, err = b.b.NewWriter(ctx, name, &blob.WriterOptions{ContentType: "application/octet-stream", BeforeWrite: func(as func(any) bool) error {
		if !as(&client) || !as(&object) {
			return errors.New("tables can be stored in S3 or in a local folder")
		}
		return errProbed
	}})
	if object != nil {
		return client, object, nil
	}
	return nil, nil, b.failed(name, err)
}

// Open opens the object with a name.
func (t *Tables) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return t.b.Open(ctx, name)
}

// Copy stores the content of an object under another name, without reading it. The object must be in the state that this run has
// seen. The error wraps [io/fs.ErrNotExist] if it does not exist.
func (t *Tables) Copy(ctx context.Context, from, to string) error {
	was := t.there[from]
	is, err := t.b.b.Attributes(ctx, from)
	if err != nil {
		return t.b.failed(from, err)
	}
	if is.ETag != was.tag { // some servers ignore the condition below
		return t.b.failed(from, ErrTaken)
	}
	if err := t.b.b.Copy(ctx, to, from, &blob.CopyOptions{BeforeCopy: func(as func(any) bool) error {
		var input *s3.CopyObjectInput
		if as(&input) {
			input.CopySourceIfMatch = &was.tag
			*input.CopySource = strings.ReplaceAll(*input.CopySource, "+", "%20") // a space: not all servers decode +
		}
		return nil
	}}); err != nil {
		if isNotFound(err) {
			return t.b.failed(from, err)
		}
		return t.failed(from, err)
	}
	a, err := t.b.b.Attributes(ctx, to)
	if err != nil {
		return t.b.failed(to, err)
	}
	t.there[to] = stored{a.Size, a.ETag}
	return nil
}

// Remove removes an object, if it is in the state that this run has seen.
func (t *Tables) Remove(ctx context.Context, name string) error {
	was, ok := t.there[name]
	a, err := t.b.b.Attributes(ctx, name)
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound:
	case err != nil:
		return t.b.failed(name, err)
	case !ok || a.ETag != was.tag:
		return t.b.failed(name, ErrTaken)
	default:
		if err := t.b.Remove(ctx, name); err != nil {
			return err
		}
	}
	delete(t.there, name)
	return nil
}

// List lists a folder in the state that this run has seen.
func (t *Tables) List(_ context.Context, folder string, do func(name string, size int64) error) error {
	folders := make(map[string]bool)
	for name, o := range t.there {
		if folder != "" {
			var in bool
			if name, in = strings.CutPrefix(name, folder+"/"); !in {
				continue
			}
		}
		size := o.size
		if dir, _, deeper := strings.Cut(name, "/"); deeper {
			if folders[dir] {
				continue
			}
			name, size, folders[dir] = dir, -1, true
		}
		if err := do(name, size); err != nil {
			return err
		}
	}
	return nil
}

// Sync does nothing: objects are durable.
func (t *Tables) Sync() error { return nil }

// Close closes the bucket.
func (t *Tables) Close() error { return t.b.Close() }
