package expr

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse parses an expression of at most 4096 bytes. All errors are an [*Error].
func Parse(source string) (*Expr, error) {
	p := parser{Expr: &Expr{source: source}}
	if len(source) > maxLength {
		return nil, p.fail(0, fmt.Errorf("the expression is longer than %d bytes", maxLength))
	}
	if !utf8.ValidString(source) {
		return nil, p.fail(0, fmt.Errorf("the expression is not valid UTF-8"))
	}
	if p.root = p.binary(0); p.err == nil && p.peek() != "" {
		p.expect("an operator or the end")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.Expr, nil
}

// parser parses an expression. The first error stays.
type parser struct {
	*Expr
	at    int
	depth int
	err   error
}

const nameRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

// peek skips blanks and returns the next token: a number, a name, a name in brackets, an operator, or another
// character. It returns "" at the end.
func (p *parser) peek() string {
	rest := strings.TrimLeft(p.source[p.at:], " \t\r\n")
	p.at = len(p.source) - len(rest)
	if rest == "" {
		return ""
	}
	word := rest[:len(rest)-len(strings.TrimLeft(rest, nameRunes))]
	switch first := rest[0]; {
	case first >= '0' && first <= '9' || first == '.':
		if n := len(word); strings.ContainsAny(word[n-1:], "eE") && n < len(rest) && strings.ContainsAny(rest[n:n+1], "+-") {
			more := rest[n+1:]
			word = rest[:len(rest)-len(strings.TrimLeft(more, "0123456789"))]
		}
		return word
	case word != "":
		return word
	case first == '[':
		if end := strings.IndexByte(rest, ']'); end > 0 {
			return rest[:end+1]
		}
	case len(rest) > 1 && operators[0][rest[:2]] != nil:
		return rest[:2]
	}
	_, size := utf8.DecodeRuneInString(rest)
	return rest[:size]
}

// take consumes the next token if it is the given one.
func (p *parser) take(token string) bool {
	if p.err != nil || p.peek() != token {
		return false
	}
	p.at += len(token)
	return true
}

// expect reports that the next token is wrong.
func (p *parser) expect(what string) {
	if p.err != nil {
		return
	}
	found := "the end"
	if token := p.peek(); token != "" {
		found = fmt.Sprintf("%q", token)
	}
	p.err = p.fail(p.at, fmt.Errorf("expected %s, found %s", what, found))
}

// binary parses operators of two operands from a level of precedence on.
func (p *parser) binary(level int) *node {
	if level == len(operators) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for p.err == nil {
		token := p.peek()
		operator := operators[level][token]
		if operator == nil {
			break
		}
		at := p.at
		p.at += len(token)
		left = &node{at: at, call: operator, args: []*node{left, p.binary(level + 1)}}
		if level == 0 { // a < b < c is rejected
			break
		}
	}
	return left
}

func (p *parser) unary() *node {
	if p.depth++; p.depth > maxDepth {
		p.err = p.fail(p.at, fmt.Errorf("more than %d parentheses or signs inside each other", maxDepth))
	}
	defer func() { p.depth-- }()
	token, at := p.peek(), p.at
	switch {
	case p.err != nil:
	case p.take("-"):
		return &node{at: at, call: negate, args: []*node{p.unary()}}
	case p.take("("):
		n := p.binary(0)
		if !p.take(")") {
			p.expect(`an operator or ")"`)
		}
		return n
	case token != "" && (token[0] >= '0' && token[0] <= '9' || token[0] == '.'):
		p.at += len(token)
		value, ok := number(token)
		if !ok {
			p.err = p.fail(at, fmt.Errorf("%q is not a number", token))
		}
		return &node{at: at, value: value}
	case len(token) > 2 && token[0] == '[':
		p.at += len(token)
		return &node{at: at, name: token[1 : len(token)-1]}
	case token != "" && strings.Contains(nameRunes, token[:1]):
		p.at += len(token)
		if p.take("(") {
			return p.call(token, at)
		}
		return &node{at: at, name: token}
	default:
		p.expect("a number, a key or a function")
	}
	return &node{}
}

// call parses the arguments of a function.
func (p *parser) call(name string, at int) *node {
	i := slices.IndexFunc(functions, func(f *function) bool { return strings.EqualFold(f.name, name) })
	if i < 0 {
		names := make([]string, len(functions))
		for i, f := range functions {
			names[i] = f.name
		}
		p.err = p.fail(at, fmt.Errorf("no function %s (there is %s)", name, strings.Join(names, ", ")))
		return &node{}
	}
	n := &node{at: at, call: functions[i]}
	for more := true; more; more = p.take(",") {
		n.args = append(n.args, p.binary(0))
	}
	if !p.take(")") {
		p.expect(`an operator, "," or ")"`)
	}
	f := n.call
	switch count := len(n.args); {
	case p.err != nil:
	case count < f.least || f.most >= 0 && count > f.most:
		p.err = p.fail(at, fmt.Errorf("%s takes %d arguments, found %d", f.name, f.least, count))
	case f == orElse && n.args[0].name == "":
		p.err = p.fail(n.args[0].at, fmt.Errorf("the first argument of %s must be a key", f.name))
	}
	return n
}
