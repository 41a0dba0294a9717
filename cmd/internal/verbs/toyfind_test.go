package verbs

import (
	"context"
	"errors"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// toyFinder finds toys in a box by name.
var toyFinder = &format.Finder{
	Commands: []*format.Command{{
		Name: "toy", Title: "Toys of a name", Heading: "Toys", Long: "A name is taken literally, capitals and all.",
		Args: []format.Option{{Name: "name", Help: "the name, with * and ?", Default: "*"}},
		Options: []format.Option{{Name: "color", Help: "only toys of a colour", Choices: []string{"red", "blue"}},
			{Name: "least", Type: format.Integer, Help: "only toys of so many `bytes` or more"}},
		Example: "toy 'b*' --color red",
	}, {
		Name: "many", Title: "As many things as asked for", Heading: "Other",
		Args:    []format.Option{{Name: "number", Type: format.Integer, Help: "how many"}},
		Example: "many 3",
	}},
	Find: func(_ context.Context, _ *format.Job, src *format.Source, query format.Step, hit func(format.Hit) error) error {
		b, err := readBox(src, nil)
		if err != nil {
			return err
		}
		if query.Name == "many" {
			for i := range (&format.Option{Name: "number"}).Integer(query.Job) {
				if err := hit(format.Hit{Path: "things", Fields: []format.InfoField{format.Fact("n", "", i)}}); err != nil {
					return err
				}
			}
			return nil
		}
		for _, one := range b.toys {
			if string(one.data) == "panic" {
				panic("a toy that bites")
			}
			if string(one.data) == "broken" {
				return errors.New("the toy is broken")
			}
			color := "blue"
			if strings.Contains(one.name, "red") {
				color = "red"
			}
			if ok, err := path.Match(query.Job.Value("name"), one.name); err != nil || !ok ||
				len(one.data) < (&format.Option{Name: "least"}).Integer(query.Job) {
				continue
			}
			if want := query.Job.Value("color"); want != "" && want != color {
				continue
			}
			if err := hit(format.Hit{Path: "toys", At: check.File(one.name), Fields: []format.InfoField{
				format.Fact("color", "colour", color), format.Fact("size", "", int64(len(one.data))), format.Fact("says", "says", string(one.data)),
			}}); err != nil {
				return err
			}
		}
		return nil
	},
}
