package corpus

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxCount bounds one repetition, so that a slip of the pen in the data cannot ask for gigabytes.
const maxCount = 1 << 24

// Text is a string of arbitrary octets, written in the escapes that the package comment describes.
type Text []byte

// String is the text as octets in a Go string.
func (t Text) String() string { return string(t) }

// UnmarshalYAML reads one string or a list of parts.
func (t *Text) UnmarshalYAML(n ast.Node) error {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		b, err := textOf(n)
		*t = b
		return err
	}
	var out []byte
	for _, part := range seq.Values {
		var err error
		if out, err = appendPart(out, part); err != nil {
			return err
		}
	}
	*t = out
	return nil
}

// appendPart reads a part of a text and appends what it stands for.
func appendPart(out []byte, part ast.Node) ([]byte, error) {
	b, count, err := repetition(part)
	if err != nil {
		return nil, err
	}
	if int64(len(b))*int64(count)+int64(len(out)) > maxCount {
		return nil, errorAt(part, "text is longer than %d octets", maxCount)
	}
	return append(out, bytes.Repeat(b, count)...), nil
}

// repetition reads a part: a text, which counts once, or {repeat: TEXT, count: N}.
func repetition(n ast.Node) (unit []byte, count int, err error) {
	if _, ok := n.(*ast.MappingNode); !ok {
		unit, err = textOf(n)
		return unit, 1, err
	}
	var r struct {
		Repeat *Text `yaml:"repeat"`
		Count  int   `yaml:"count"`
	}
	if err := decodeNode(n, &r); err != nil {
		return nil, 0, err
	}
	if r.Repeat == nil {
		return nil, 0, errorAt(n, "repetition without repeat")
	}
	return *r.Repeat, r.Count, checkCount(n, r.Count)
}

func checkCount(n ast.Node, count int) error {
	if count < 1 || count > maxCount {
		return errorAt(n, "count %d is not between 1 and %d", count, maxCount)
	}
	return nil
}

func textOf(n ast.Node) ([]byte, error) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		return nil, errorAt(n, "text is a %s, not a string: quote it", n.Type())
	}
	b, err := Unquote(s.Value)
	if err != nil {
		return nil, errorAt(n, "%v", err)
	}
	return b, nil
}

// Unquote turns the written form of a text into its octets. Its errors name the position in s.
func Unquote(s string) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		if i == len(s) {
			return nil, fmt.Errorf("text %q ends in a lone backslash", s)
		}
		switch s[i] {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case '0':
			out = append(out, 0)
		case '\\':
			out = append(out, '\\')
		case 'x':
			if i+3 > len(s) {
				return nil, fmt.Errorf("text %q: \\x at %d lacks its two digits", s, i-1)
			}
			v, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return nil, fmt.Errorf("text %q: \\x at %d is not followed by two hexadecimal digits", s, i-1)
			}
			out = append(out, byte(v))
			i += 2
		default:
			return nil, fmt.Errorf("text %q: unknown escape \\%c at %d", s, s[i], i-1)
		}
	}
	return out, nil
}

// Quote is the reverse of Unquote: it writes b in printable ASCII, so that a finding can be put back into the data.
func Quote(b []byte) string {
	const hex = "0123456789abcdef"
	var s strings.Builder
	s.Grow(len(b) + 8)
	for _, c := range b {
		switch {
		case c == '\n':
			s.WriteString(`\n`)
		case c == '\r':
			s.WriteString(`\r`)
		case c == '\t':
			s.WriteString(`\t`)
		case c == 0:
			s.WriteString(`\0`)
		case c == '\\':
			s.WriteString(`\\`)
		case c < ' ' || c > '~':
			s.Write([]byte{'\\', 'x', hex[c>>4], hex[c&15]})
		default:
			s.WriteByte(c)
		}
	}
	return s.String()
}
