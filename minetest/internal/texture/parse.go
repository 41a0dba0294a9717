package texture

import "strings"

// split divides a texture string at each ^ outside of parentheses. The character after a backslash never acts. If the
// parentheses of a part are unbalanced, that part and all parts before it yield no image, and are left out.
func split(text string) (parts []string) {
	end, depth := len(text), 0
scan:
	for i := len(text) - 1; i >= 0; i-- {
		if i > 0 && text[i-1] == '\\' {
			continue
		}
		switch text[i] {
		case '^':
			if depth == 0 {
				parts = append(parts, text[i+1:end])
				end = i
			}
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 {
				break scan
			}
		}
	}
	if depth == 0 {
		parts = append(parts, text[:end])
	}
	for i, k := 0, len(parts)-1; i < k; i, k = i+1, k-1 {
		parts[i], parts[k] = parts[k], parts[i]
	}
	return parts
}

// arguments reads the arguments of a modifier.
type arguments struct {
	text string
	at   int
}

func (a *arguments) done() bool { return a.at >= len(a.text) }

// next returns the text up to a separator, or the rest if there is no separator.
func (a *arguments) next(separator string) string {
	rest := a.text[min(a.at, len(a.text)):]
	if separator == "" {
		a.at = len(a.text)
		return rest
	}
	word, _, found := strings.Cut(rest, separator)
	a.at += len(word)
	if found {
		a.at += len(separator)
	}
	return word
}

// number returns the number before a separator, as the function atoi of C reads it.
func (a *arguments) number(separator string) int { return atoi(a.next(separator)) }

// texture returns the texture string up to the next colon without a backslash before it, and removes one level of
// backslashes.
func (a *arguments) texture() string {
	rest := a.text[min(a.at, len(a.text)):]
	n := 0
	for n < len(rest) && (rest[n] != ':' || a.at+n > 0 && a.text[a.at+n-1] == '\\') {
		n++
	}
	a.at = min(a.at+n+1, len(a.text))
	word := make([]byte, 0, n)
	for i := 0; i < n; i++ {
		if rest[i] == '\\' {
			if i++; i == n {
				break
			}
		}
		word = append(word, rest[i])
	}
	return string(word)
}

// atoi returns the number at the beginning of a text, 0 if there is none, within 32 bits.
func atoi(text string) int {
	text = strings.TrimLeft(text, " \t\r\n\v\f")
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	n := 0
	for i := 0; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		n = min(10*n+int(text[i]-'0'), 1<<31-1)
	}
	if negative {
		return -n
	}
	return n
}

// isNumber reports whether a text consists of digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
