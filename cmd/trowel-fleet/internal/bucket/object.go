package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
)

// The size of a page of an object in memory, and the number of pages kept.
const (
	pageSize = 1 << 20
	maxPages = 16
)

// errChanged means that an object has changed since it was opened.
var errChanged = errors.New("the object changed during the read")

// Object is an object with random access. It reads pages of 1 MiB and caches the pages read last. It may be
// read by several goroutines.
type Object struct {
	ctx   context.Context
	b     *Bucket
	name  string
	size  int64
	etag  string
	most  int // maximum number of cached pages
	mu    sync.Mutex
	pages []objectPage // the page used last is the first
}

type objectPage struct {
	number int64
	data   []byte
}

// Object opens an object for reading. The object is usable until the context ends.
func (b *Bucket) Object(ctx context.Context, name string) (*Object, error) {
	a, err := b.b.Attributes(ctx, name)
	if err != nil {
		return nil, b.failed(name, err)
	}
	return &Object{ctx: ctx, b: b, name: name, size: a.Size, etag: a.ETag, most: maxPages}, nil
}

// Size returns the size in bytes.
func (o *Object) Size() int64 { return o.size }

// ReadAt implements [io.ReaderAt].
func (o *Object) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("%s/%s: offset %d", o.b, o.name, offset)
	}
	for n < len(p) {
		at := offset + int64(n)
		if at >= o.size {
			return n, io.EOF
		}
		page, err := o.page(at / pageSize)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], page[at%pageSize:])
	}
	return n, nil
}

// page returns a page. The caller must not change it.
func (o *Object) page(number int64) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, p := range o.pages {
		if p.number == number {
			copy(o.pages[1:i+1], o.pages[:i])
			o.pages[0] = p
			return p.data, nil
		}
	}
	at := number * pageSize
	data := make([]byte, min(pageSize, o.size-at))
	r, err := o.b.b.NewRangeReader(o.ctx, o.name, at, int64(len(data)), &blob.ReaderOptions{BeforeRead: func(as func(any) bool) error {
		var input *s3.GetObjectInput
		if o.etag != "" && as(&input) {
			input.IfMatch = &o.etag
		}
		return nil
	}})
	if err == nil {
		if r.Size() != o.size {
			err = errChanged
		} else if _, err = io.ReadFull(r, data); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = errChanged
		}
		err = errors.Join(err, r.Close())
	}
	if err != nil {
		return nil, o.b.failed(o.name, err)
	}
	if len(o.pages) == o.most {
		o.pages = o.pages[:o.most-1]
	}
	o.pages = append([]objectPage{{number, data}}, o.pages...)
	return data, nil
}
