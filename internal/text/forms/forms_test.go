package forms_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/forms"
)

type form struct {
	Number int32 `json:"number"`
}

func TestReadJSON(t *testing.T) {
	files := fstest.MapFS{
		"good.json": {Data: []byte(`{"number": 7}`)},
		"bad.json":  {Data: []byte("{\n \"number\": \"x\", \"other\": 1}")},
		"bom.json":  {Data: []byte("\ufeff{\"number\": 7}")},
	}
	var f form
	for _, name := range []string{"good.json", "bom.json"} {
		f = form{}
		if errs := forms.ReadJSON(files, name, &f); len(errs) > 0 || f.Number != 7 {
			t.Errorf("%s: %v, %+v", name, errs, f)
		}
	}
	for name, want := range map[string]string{
		"bad.json":     "bad.json:2:12: number: \"x\": expected a whole number\nbad.json:2:17: unknown field \"other\": expected one of number",
		"missing.json": "missing.json: the file is missing",
	} {
		errs := forms.ReadJSON(files, name, &f)
		if got := errors.Join(errs...); got == nil || got.Error() != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
		for _, err := range errs {
			if e, ok := errors.AsType[*fault.TextError](err); !ok || e.File != name {
				t.Errorf("%s: %#v", name, err)
			}
		}
	}
}

func TestReadSidecar(t *testing.T) {
	f := form{5}
	if err := forms.ReadSidecar(fstest.MapFS{}, &f); err != nil || f.Number != 5 {
		t.Errorf("none: %v, %+v", err, f)
	}
	side := func(text string) fs.FS { return fstest.MapFS{tree.Sidecar: {Data: []byte(text)}} }
	if err := forms.ReadSidecar(side(`{"number": 6, "of a later version": 1}`), &f); err != nil || f.Number != 6 {
		t.Errorf("%v, %+v", err, f)
	}
	if err := forms.ReadSidecar(side("{\n}}"), &f); err == nil || !strings.HasPrefix(err.Error(), tree.Sidecar+":2:") {
		t.Errorf("damaged: %v", err)
	}
}

// TestJoin tests that a repeated mistake is reported once.
func TestJoin(t *testing.T) {
	var errs []error
	for i := range 40 {
		errs = append(errs, &fault.TextError{File: fmt.Sprintf("%d.json", i), Line: 3, Path: fmt.Sprintf("quads[%d].color", i), Msg: "too red"})
	}
	errs = append(errs, fs.ErrPermission, &fault.TextError{File: "0.json", Path: "name", Msg: "too red"})
	want := "0.json:3: quads[0].color: too red, and 39 more files\npermission denied\n0.json: name: too red"
	if got := forms.Join(errs); got.Error() != want {
		t.Errorf("%v\nwant %s", got, want)
	}
	if got := forms.Join(nil); got != nil {
		t.Error(got)
	}
}
