package terminal

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"trowel.example/check"
)

// SARIF prints findings as SARIF 2.1.0. Code hosting sites show such findings at their location in a file.
type SARIF struct {
	W       io.Writer
	Release string // version of the tool
	n       int    // number of results
}

var sarifLevels = map[check.Severity]string{check.Error: "error", check.Warning: "warning", check.Info: "note"}

// Begin prints everything up to the results.
func (s *SARIF) Begin(kinds []*check.Kind) error {
	type text struct {
		Text string `json:"text"`
	}
	rules := []Object{}
	for _, k := range kinds {
		rules = append(rules, Object{{"id", k.ID}, {"shortDescription", text{k.Meaning}}, {"help", text{k.Remedy}},
			{"defaultConfiguration", Object{{"level", sarifLevels[k.Severity]}}}})
	}
	driver, err := Compact(Object{{"name", "trowel"}, {"semanticVersion", s.Release}, {"rules", rules}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.W, `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",`+
		`"runs":[{"tool":{"driver":%s},"columnKind":"unicodeCodePoints","results":[`, driver)
	return err
}

// Add prints a finding of a file.
func (s *SARIF) Add(file string, f check.Finding) error {
	region := Object{{"startLine", 1}}
	at := f.Path
	var line check.Line
	for _, place := range f.At {
		if l, ok := place.(check.Line); ok {
			line = l
			break
		}
	}
	artifact := file
	if line.Line > 0 {
		region = Object{{"startLine", line.Line}}
		if line.Column > 0 {
			region = append(region, Member{"startColumn", line.Column})
		}
		if line.Path != "" {
			artifact = filepath.Join(file, filepath.FromSlash(line.Path))
		}
	} else if f.Offset >= 0 {
		region = append(region, Member{"byteOffset", f.Offset})
	}
	location := Object{{"physicalLocation", Object{{"artifactLocation", Object{{"uri", uriOf(artifact)}}}, {"region", region}}}}
	if at != "" {
		location = append(location, Member{"logicalLocations", []Object{{{"fullyQualifiedName", at}}}})
	}
	message := f.Message
	if f.Rule != nil {
		message += " (" + f.Rule.String() + ")"
	}
	if at != "" {
		message = at + ": " + message
	}
	result, err := Compact(Object{{"ruleId", f.ID}, {"level", sarifLevels[f.Severity]},
		{"message", Object{{"text", message}}}, {"locations", []Object{location}}})
	if err != nil {
		return err
	}
	comma := ",\n"
	if s.n == 0 {
		comma = "\n"
	}
	s.n++
	_, err = fmt.Fprintf(s.W, "%s%s", comma, result)
	return err
}

func (s *SARIF) End() error {
	_, err := io.WriteString(s.W, "\n]}]}\n")
	return err
}

// uriOf returns the path of a file as a URI, which is relative if the path is relative.
func uriOf(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return strings.TrimPrefix(u.String(), "./")
}
