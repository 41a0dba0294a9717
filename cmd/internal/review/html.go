package review

import (
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
)

// htmlLines is the maximum number of lines of a list on the page.
const htmlLines = 5000

//go:embed page.html
var pageText string

var page = template.Must(template.New("review").Parse(pageText))

// HTML writes the report as one page, which contains its pictures and needs no other file. Read returns the content of a picture.
func (r *Report) HTML(w io.Writer, read func(name string) ([]byte, error)) error {
	type picture struct {
		Title string
		URL   template.URL
	}
	type pair struct {
		Part, About string
		List        []picture
	}
	type file struct {
		Path, Was, Head, Verdict string
		Decides                  bool
		Sections                 []section
		Pictures                 []pair
	}
	refused := ""
	if len(r.Allowed) > 0 {
		refused = r.Refused()
	}
	red, blue := r.marks()
	err := page.ExecuteTemplate(w, "head", map[string]any{"Base": plainSide(r.Base), "Head": plainSide(r.Head), "Verdict": r.Verdict(),
		"Refused": refused, "Marks": r.marked(), "Red": red, "Blue": blue})
	if err != nil {
		return err
	}
	for _, f := range r.Files { // one file at a time, because of the pictures
		one := file{plain(f.Path), plain(f.Was), f.head(), f.verdict(), len(f.Decides) > 0, f.sections(htmlLines), nil}
		for _, p := range f.Pictures {
			shown := pair{Part: plain(p.Part), About: plain(p.About)}
			for _, one := range p.list() {
				data, err := read(one.name)
				if err != nil {
					return err
				}
				shown.List = append(shown.List, picture{one.title, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))})
			}
			one.Pictures = append(one.Pictures, shown)
		}
		if err := page.ExecuteTemplate(w, "file", one); err != nil {
			return err
		}
	}
	return page.ExecuteTemplate(w, "foot", nil)
}

// marks returns what the colours of marks mean.
func (r *Report) marks() (red, blue string) {
	if r.Base.Name == "" {
		return "violations of binding rules", "violations of advice"
	}
	return "changes of gameplay", "other changes"
}

// marked reports whether a picture has marks.
func (r *Report) marked() bool {
	return r.count(func(f *File) bool {
		return slices.ContainsFunc(f.Pictures, func(p Picture) bool { return p.Marks > 0 })
	}) > 0
}

func plainSide(s Side) string {
	text := plain(s.Name)
	if s.Commit != "" && s.Commit != s.Name {
		text += " (" + plain(s.Commit) + ")"
	}
	return text
}
