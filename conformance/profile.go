package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// A Profile is what a person tells us about a target. The zero value suits a target of which nothing needs to be told.
type Profile struct {
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	// Versions are the protocol versions to judge; nil: all that the target negotiates.
	Versions []string `yaml:"versions"`
	// Unsupported maps options that the target does not have to the reason.
	Unsupported map[string]string `yaml:"unsupported"`
	Deadlines   ProfileDeadlines  `yaml:"deadlines"`
	// Baseline is a file of known deviations, relative to the profile. It is applied whenever the command line names no other.
	Baseline string     `yaml:"baseline"`
	TLS      ProfileTLS `yaml:"tls"`
	// Sections are what protocols want to know besides, one of a type. In a file their keys stand beside those above.
	Sections []Section `yaml:"-"`
	// File is where the profile was read from, empty if nowhere.
	File string `yaml:"-"`
}

// A Section is a struct with the settings of one protocol. Its fields are keys of a profile, as their yaml tags say.
type Section interface {
	// Validate reports what is wrong with the section, naming the field.
	Validate() error
}

// SectionOf returns the section of that type, and its zero value if p has none.
func SectionOf[S Section](p Profile) (of S) {
	for _, s := range p.Sections {
		if s, ok := s.(S); ok {
			return s
		}
	}
	return of
}

// ProfileDeadlines override the deadlines of DefaultTiming; absent ones stay.
type ProfileDeadlines struct {
	Reply     Duration `yaml:"reply"`
	Close     Duration `yaml:"close"`
	Quiet     Duration `yaml:"quiet"`
	HeartBeat Duration `yaml:"heartbeat"`
	Case      Duration `yaml:"case"`
}

// ProfileTLS says whom to trust. Verification cannot be switched off.
type ProfileTLS struct {
	CA         string `yaml:"ca"`          // PEM file of the authorities to trust, relative to the profile; default: the system's
	ServerName string `yaml:"server-name"` // name to verify and to send as SNI; default: the address's host
}

// A Duration is a time.Duration written as "300ms" in YAML.
type Duration time.Duration

// UnmarshalYAML reads a duration as time.ParseDuration does. An error names the field and its line.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	text := node.String()
	if scalar, ok := node.(*ast.StringNode); ok {
		text = scalar.Value
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return &yaml.SyntaxError{
			Message: fmt.Sprintf("%s: %q is no time: a number and a unit, as in 2s or 300ms", strings.TrimPrefix(node.GetPath(), "$."), text),
			Token:   node.GetToken(),
		}
	}
	*d = Duration(v)
	return nil
}

// MarshalYAML writes a duration as time.Duration prints.
func (d Duration) MarshalYAML() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// LoadProfile reads a profile file with the sections of the types given. Other keys are errors, with their line.
func LoadProfile(file string, sections ...Section) (Profile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Profile{}, fmt.Errorf("profile: %w", err)
	}
	p, err := ParseProfile(data, sections...)
	if err != nil {
		return Profile{}, fmt.Errorf("profile %s: %w", file, err)
	}
	p.File = file
	return p, nil
}

// ParseProfile reads a profile from YAML, with the sections of the types given.
func ParseProfile(data []byte, sections ...Section) (Profile, error) {
	// One struct for all, so that a key which none of them has is an error at its place.
	fields := []reflect.StructField{{Name: "Profile", Type: reflect.TypeFor[Profile](), Tag: `yaml:",inline"`}}
	for i, s := range sections {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("Section", i), Type: reflect.TypeOf(s), Tag: `yaml:",inline"`})
	}
	all := reflect.New(reflect.StructOf(fields))
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(all.Interface()); err != nil && len(bytes.TrimSpace(data)) > 0 {
		return Profile{}, err
	}
	p := all.Elem().Field(0).Interface().(Profile)
	for i := range sections {
		p.Sections = append(p.Sections, all.Elem().Field(i+1).Interface().(Section))
	}
	return p, p.Validate()
}

// Validate reports what is wrong with p, naming the field.
func (p Profile) Validate() error {
	for option, reason := range p.Unsupported {
		if strings.TrimSpace(reason) == "" {
			return fmt.Errorf("unsupported: %s has no reason", option)
		}
	}
	for _, s := range p.Sections {
		if err := s.Validate(); err != nil {
			return err
		}
	}
	return p.Timing().Validate()
}

// Timing returns the deadlines that p asks for.
func (p Profile) Timing() Timing {
	t := DefaultTiming()
	set := func(dst *time.Duration, v Duration) {
		if v != 0 {
			*dst = time.Duration(v)
		}
	}
	set(&t.Reply, p.Deadlines.Reply)
	set(&t.Close, p.Deadlines.Close)
	set(&t.Quiet, p.Deadlines.Quiet)
	set(&t.HeartBeat, p.Deadlines.HeartBeat)
	set(&t.Case, p.Deadlines.Case)
	return t
}

// Path resolves a file named in the profile against the profile's own folder.
func (p Profile) Path(name string) string {
	if name == "" || filepath.IsAbs(name) || p.File == "" {
		return name
	}
	return filepath.Join(filepath.Dir(p.File), name)
}

// errNoCA says that a CA file held no certificate.
var errNoCA = errors.New("no certificate in the CA file")
