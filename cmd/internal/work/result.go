package work

import (
	"bufio"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// magic is the header of the result of a part. Its number is increased when records of older versions can no
// longer be read.
const magic = "trowel result 2\n"

const (
	// maxWindow limits the memory in bytes to decompress a result from any source.
	maxWindow = 8 << 20
	// maxRecord is the maximum size of a record in bytes. Records of verbs have about 1 MiB, but one value,
	// such as a text in a file, may be larger.
	maxRecord = 256 << 20
)

// Damaged is an error about the stored data of a part, or about the plan. Retrying does not help.
type Damaged struct {
	Part string // "" is the plan
	Err  error
}

func (d *Damaged) Error() string {
	if d.Part == "" {
		return fmt.Sprintf("%s: %v", PlanName, d.Err)
	}
	return fmt.Sprintf("the stored result of part %s: %v", d.Part, d.Err)
}

// Unwrap returns [fault.ErrFormat] and the cause.
func (d *Damaged) Unwrap() []error { return []error{fault.ErrFormat, d.Err} }

// item is a record of a result, or its end.
type item[R any] struct {
	Record R
	End    bool
	Count  int64  // in the end: number of records
	Part   string // in the end: identity of the part
}

// identity returns the text that identifies a part in its result.
func (p *Part) identity() string {
	text, _ := json.Marshal([]string{p.Name, p.File, string(p.Shard)}) // without Data, which a queue may reformat
	return string(text)
}

// result writes the result of a part: compressed gob records and an end, so that an incomplete result is
// detected.
type result[R any] struct {
	zip   *zstd.Encoder
	gob   *gob.Encoder
	bytes int64 // size of the records so far
	count int64
}

func newResult[R any](w io.Writer) (*result[R], error) {
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, err
	}
	zip, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	o := &result[R]{zip: zip}
	o.gob = gob.NewEncoder(o)
	return o, nil
}

// Write receives the encoded records from package gob.
func (o *result[R]) Write(b []byte) (int, error) {
	o.bytes += int64(len(b))
	return o.zip.Write(b)
}

func (o *result[R]) put(r R) error {
	before := o.bytes
	o.count++
	if err := o.gob.Encode(item[R]{Record: r}); err != nil {
		return err
	}
	if size := o.bytes - before; size > maxRecord {
		return fmt.Errorf("the hits of one place take %d MiB; a stored result can have at most %d: a single process "+
			"without --resume has no such limit", size>>20, maxRecord>>20)
	}
	return nil
}

func (o *result[R]) close(p Part) error {
	return errors.Join(o.gob.Encode(item[R]{End: true, Count: o.count, Part: p.identity()}), o.zip.Close())
}

// discard ends a result that is not needed.
func (o *result[R]) discard() error {
	o.zip.Reset(nil)
	return nil
}

// newUnzip returns a decompressor for results, one after the other.
func newUnzip() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
}

// readResult calls take with each record in the result of a part.
func readResult[R any](r io.Reader, zip *zstd.Decoder, p Part, take func(R) error) error {
	broken := func(err error) error { return &Damaged{p.Name, err} }
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != magic {
		return broken(fmt.Errorf("expected the first line %q, found %q", magic, head))
	}
	if err := zip.Reset(bufio.NewReader(r)); err != nil {
		return broken(err)
	}
	from := &io.LimitedReader{R: zip}
	in := gob.NewDecoder(from)
	for count := int64(0); ; count++ {
		var i item[R]
		from.N = maxRecord
		err := in.Decode(&i)
		switch {
		case err != nil && from.N == 0:
			return broken(fmt.Errorf("a record is larger than %d MiB", maxRecord>>20))
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return broken(errors.New("cut off"))
		case err != nil:
			return broken(err)
		case i.End && i.Count != count:
			return broken(fmt.Errorf("%s, not the stated %d", words.Count(count, "record"), i.Count))
		case i.End && i.Part != p.identity():
			return broken(fmt.Errorf("the record belongs to another part: %.200q", i.Part))
		case i.End:
			return nil
		}
		if err := take(i.Record); err != nil {
			return err
		}
	}
}
