package wording

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Distance returns the edit distance of a and b, ignoring case: the number of changed letters and of swapped
// neighbors. If the distance is at least most, the result is some number >= most.
func Distance(a, b string, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= most {
		return most
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		best := next[0]
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost = 1 + min(row[j], row[j+1], next[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, 1+before[j-1])
			}
			next[j+1] = cost
			best = min(best, cost)
		}
		if best >= most {
			return most
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// NearFolded is Near, ignoring case. It prefers a name that ends with the word after a colon or slash, such as default:dirt, also
// with an extension.
func NearFolded(word string, names []string) string {
	folded := make([]string, len(names))
	for i, name := range names {
		folded[i] = strings.ToLower(name)
	}
	for i, name := range folded {
		last := name[strings.LastIndexAny(name, ":/")+1:]
		if low := strings.ToLower(word); name != "" && (name == low || last == low || strings.TrimSuffix(last, path.Ext(last)) == low) {
			return names[i]
		}
	}
	if i := slices.Index(folded, Near(strings.ToLower(word), folded)); i >= 0 {
		return names[i]
	}
	if strings.ContainsAny(word, ":/") {
		return ""
	}
	for i, name := range folded {
		name = name[strings.LastIndexAny(name, ":/")+1:]
		folded[i] = strings.TrimSuffix(name, path.Ext(name))
	}
	if i := slices.Index(folded, Near(strings.ToLower(word), folded)); i >= 0 {
		return names[i]
	}
	return ""
}

// Near returns a name that begins with word, or the most similar name, which may differ in at most a third
// of its letters. A common prefix up to a colon or slash is ignored.
func Near(word string, names []string) string {
	near, least, longer := "", len(word), ""
	for _, name := range names {
		same := 0
		for i := range min(len(word), len(name)) {
			if word[i] != name[i] {
				break
			}
			if word[i] == ':' || word[i] == '/' {
				same = i + 1
			}
		}
		rest, other := word[same:], name[same:]
		if len(rest) > 2 && len(other) > len(rest) && strings.HasPrefix(other, rest) && (longer == "" || len(name) < len(longer)) {
			longer = name
		}
		most := min(least, len(rest), max(len(rest)/3, 1)+1)
		if d := Distance(other, rest, most); d < most {
			near, least = name, d
		}
	}
	return cmp.Or(longer, near)
}

// DidYouMean adds a hint to an error about an unknown word: a similar word, or if there is none, other advice.
func DidYouMean(err error, word string, names []string, format string, args ...any) error {
	if near := Near(word, names); near != "" {
		return Hint(err, "did you mean %s?", near)
	}
	return Hint(err, format, args...)
}
