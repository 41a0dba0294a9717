package chromium

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"strings"
)

// axe checks pages against WCAG rules: axe-core 4.14.1 from npm (MPL-2.0, unchanged).
//
//go:embed axe/axe.min.js
var axe string

const axeHash = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

// Accessible reports accessibility errors of the page. rules are the rules of axe to test, default all.
func (p *Page) Accessible(what string, rules ...string) {
	p.t.Helper()
	if !Eval[bool](p, "Boolean(window.axe)") {
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(axe))); got != axeHash {
			p.t.Fatalf("axe.min.js has the hash %s", got)
		}
		Eval[bool](p, axe+"; true")
	}
	only := `, rules: {"target-size": {enabled: true}}` // new in WCAG 2.2 and off by default
	if len(rules) > 0 {
		only = fmt.Sprintf(", runOnly: ['%s']", strings.Join(rules, "', '"))
	}
	type violation struct {
		ID, Impact, Help string
		Nodes            []string
	}
	for _, v := range Eval[[]violation](p, fmt.Sprintf(`axe.run(document, {resultTypes: ["violations"]%s}).then((r) => r.violations.map(
		(v) => ({ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " +
		n.any.map((a) => a.message).join())})))`, only)) {
		if v.Impact == "serious" || v.Impact == "critical" {
			p.t.Errorf("%s: %s (%s): %s\n%s", what, v.ID, v.Impact, v.Help, strings.Join(v.Nodes, "\n"))
		} else {
			p.t.Logf("%s: %s (%s): %s\n%s", what, v.ID, v.Impact, v.Help, strings.Join(v.Nodes, "\n"))
		}
	}
}
