package cli

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"trowel.example/check"
)

// sarif prints findings as SARIF 2.1.0. Code hosting sites show such findings at their location in a file.
type sarif struct {
	w       io.Writer
	release string // version of the tool
	n       int    // number of results
}

var sarifLevels = map[check.Severity]string{check.Error: "error", check.Warning: "warning", check.Info: "note"}

// begin prints everything up to the results.
func (s *sarif) begin(kinds []*check.Kind) error {
	type text struct {
		Text string `json:"text"`
	}
	rules := []object{}
	for _, k := range kinds {
		rules = append(rules, object{{"id", k.ID}, {"shortDescription", text{k.Meaning}}, {"help", text{k.Remedy}},
			{"defaultConfiguration", object{{"level", sarifLevels[k.Severity]}}}})
	}
	driver, err := compact(object{{"name", "trowel"}, {"semanticVersion", s.release}, {"rules", rules}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.w, `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":%s},"columnKind":"unicodeCodePoints","results":[`, driver)
	return err
}

// add prints a finding of a file.
func (s *sarif) add(file string, f check.Finding) error {
	region := object{{"startLine", 1}}
	at := f.Path
	var line check.Line
	for _, place := range f.At {
		if l, is := place.(check.Line); is {
			line = l
			break
		}
	}
	artifact := file
	if line.Line > 0 {
		region = object{{"startLine", line.Line}}
		if line.Column > 0 {
			region = append(region, member{"startColumn", line.Column})
		}
		if line.Path != "" {
			artifact = filepath.Join(file, filepath.FromSlash(line.Path))
		}
	} else if f.Offset >= 0 {
		region = append(region, member{"byteOffset", f.Offset})
	}
	location := object{{"physicalLocation", object{{"artifactLocation", object{{"uri", uriOf(artifact)}}}, {"region", region}}}}
	if at != "" {
		location = append(location, member{"logicalLocations", []object{{{"fullyQualifiedName", at}}}})
	}
	message := f.Message
	if at != "" {
		message = at + ": " + message
	}
	result, err := compact(object{{"ruleId", f.ID}, {"level", sarifLevels[f.Severity]}, {"message", object{{"text", message}}}, {"locations", []object{location}}})
	if err != nil {
		return err
	}
	comma := ",\n"
	if s.n == 0 {
		comma = "\n"
	}
	s.n++
	_, err = fmt.Fprintf(s.w, "%s%s", comma, result)
	return err
}

func (s *sarif) end() error {
	_, err := io.WriteString(s.w, "\n]}]}\n")
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
