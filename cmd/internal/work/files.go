package work

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"trowel.example/fault"
)

// Many is the number of parts above which workers write the files of the output, such as tiles and tables, to their final
// place, and results are in subfolders ([Part.Apart]). Up to it the records contain the files, so that a work leaves few
// objects, and the merge, which is one process, copies them. That copy is proportional to the parts: for tables of a world
// it takes minutes at 2000 parts, and beyond it would be the longest step of the work.
const Many = 2000

// Ref names a file that a part has stored in its final place, by its content. The file counts only if the result of a part
// names it: workers that are killed, or come second, leave files that nothing names.
type Ref struct {
	SHA256 [32]byte
	Size   int64 // in bytes
}

// referring is a record that may name a file.
type referring interface{ Refers() (Ref, bool) }

// filesFolder is the folder of the files in a store. It has 256 subfolders, because long folders are slow on some systems.
const filesFolder = "files"

// Name returns the name of the file in the store of the work.
func (r Ref) Name() string { return fmt.Sprintf("%s/%02x/%x", filesFolder, r.SHA256[0], r.SHA256) }

// RefOf returns the reference to a file with the content data.
func RefOf(data []byte) Ref { return Ref{sha256.Sum256(data), int64(len(data))} }

// ParseRef returns the reference to a file by its SHA-256 in lower-case hexadecimal.
func ParseRef(sum string, size int64) (ref Ref, err error) {
	data, err := hex.DecodeString(sum)
	if ref.Size = size; copy(ref.SHA256[:], data) != len(ref.SHA256) || hex.EncodeToString(data) != sum || err != nil {
		return ref, fmt.Errorf("%w: %.70q is not a SHA-256", fault.ErrFormat, sum)
	}
	return ref, nil
}

// Files are the files of a work.
type Files struct{ Store Store }

// Put stores a file, unless it exists. data must be the content that ref names.
func (f *Files) Put(ctx context.Context, ref Ref, data io.Reader) error {
	return f.Store.Add(ctx, ref.Name(), func(to io.Writer) error {
		_, err := io.Copy(to, data)
		return err
	})
}

// Open opens a file. If its content is not what ref names, Read returns an error that wraps [fault.ErrFormat].
func (f *Files) Open(ctx context.Context, ref Ref) (io.ReadCloser, error) {
	r, err := f.Store.Open(ctx, ref.Name())
	if err != nil {
		return nil, err
	}
	return &checked{r, ref, sha256.New(), 0}, nil
}

// CopyTo writes the content of a file to a writer.
func (f *Files) CopyTo(ctx context.Context, to io.Writer, ref Ref) error {
	r, err := f.Open(ctx, ref)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(to, r)
	return err
}

// Read returns the content of a file of at most most bytes.
func (f *Files) Read(ctx context.Context, ref Ref, most int64) ([]byte, error) {
	if ref.Size < 0 || ref.Size > most {
		return nil, fmt.Errorf("%w: %s: has %d bytes, expected at most %d", fault.ErrFormat, ref.Name(), ref.Size, most)
	}
	var b bytes.Buffer
	err := f.CopyTo(ctx, &b, ref)
	return b.Bytes(), err
}

// checked checks the content of a file while it is read.
type checked struct {
	io.ReadCloser
	ref Ref
	sum hash.Hash
	n   int64
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.sum.Write(p[:n])
	c.n += int64(n)
	if c.n > c.ref.Size || err == io.EOF && (c.n != c.ref.Size || [32]byte(c.sum.Sum(nil)) != c.ref.SHA256) {
		err = fmt.Errorf("%w: %s: its content is not what its name states", fault.ErrFormat, c.ref.Name())
	}
	return n, err
}
