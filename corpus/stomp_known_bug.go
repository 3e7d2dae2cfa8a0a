package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

var (
	releaseShape = regexp.MustCompile(`^[0-9]+(\.[0-9]+)+(\.Final)?$`)
	caseShape    = regexp.MustCompile(`^stomp/client/[a-z0-9.-]+/[a-z0-9.-]+(@1\.[0-2])?$`)
	testeeShape  = regexp.MustCompile(`^[a-z0-9_-]+(\.py|\.js)?$`)
)

// KnownBug is a fault of a released client library that was reported in public and mended in a later release. Both
// releases can be installed, which makes it a test of the suite that judges clients.
type KnownBug struct {
	Name      string   `yaml:"name"`      // unique
	Library   string   `yaml:"library"`   // as installed: LIBRARY-RELEASE
	Registry  string   `yaml:"registry"`  // npm, pypi, go or maven
	Package   string   `yaml:"package"`   // the library's name there
	Affected  string   `yaml:"affected"`  // last release that has the fault
	Fixed     string   `yaml:"fixed"`     // first one that has not
	Law       string   `yaml:"law"`       // id of the law that the affected release breaks
	Versions  []string `yaml:"versions"`  // of the protocol, of sessions that show it
	Report    string   `yaml:"report"`    // owner/project#number, or LIBRARY RELEASE: what its change log says
	What      string   `yaml:"what"`      // what goes wrong
	Direction string   `yaml:"direction"` // client-to-server or server-to-client
	Transport string   `yaml:"transport"` // tcp, which is also meant by none, or ws
	Wire      []Text   `yaml:"wire"`      // packets of the broker that are misread, or of the library that are wrong
	Right     string   `yaml:"right"`     // the right outcome in words
	Corrected []Text   `yaml:"corrected"` // what the library should have sent
	Testee    string   `yaml:"testee"`    // program around the library
	Cases     []string `yaml:"cases"`     // ids of the client suite, with @VERSION where a case runs in several

	Place `yaml:"-"`
}

// KnownBugs returns the known bugs of STOMP client libraries of the embedded corpus in the order of the file.
func KnownBugs() ([]KnownBug, error) { return LoadKnownBugs(FS, stompKnownBugs) }

// LoadKnownBugs reads one file of known bugs. A name may occur once in it. Every error is a [*LoadError].
func LoadKnownBugs(fsys fs.FS, file string) ([]KnownBug, error) {
	return load[KnownBug](fsys, stomp, file)
}

// UnmarshalYAML reads a known bug whose transport may be left out.
func (b *KnownBug) UnmarshalYAML(n ast.Node) error {
	type plain KnownBug
	b.Transport = "tcp"
	return decodeNode(n, (*plain)(b))
}

func (b *KnownBug) head() head { return head{b.Name, []string{b.Law}, &b.Versions, &b.Place} }

func (b *KnownBug) check() error {
	if err := checkChoices([]choice{
		{"registry", b.Registry, []string{"npm", "pypi", "go", "maven"}},
		{"direction", b.Direction, []string{"client-to-server", "server-to-client"}},
		{"transport", b.Transport, []string{"tcp", "ws"}},
	}); err != nil {
		return err
	}
	if b.Library == "" || b.Package == "" || b.What == "" || b.Right == "" || len(b.Wire) == 0 || len(b.Cases) == 0 {
		return errors.New("known bug needs library, package, what, right, wire and cases")
	}
	for _, release := range []string{b.Affected, b.Fixed} {
		if !releaseShape.MatchString(release) {
			return fmt.Errorf("release %q is not numbers joined by dots", release)
		}
	}
	if b.Affected == b.Fixed {
		return fmt.Errorf("release %s is both affected and fixed", b.Fixed)
	}
	if log, _, ok := strings.Cut(b.Report, ": "); !reportShape.MatchString(b.Report) && (!ok || len(strings.Fields(log)) != 2) {
		return fmt.Errorf("report %q is neither owner/project#number nor LIBRARY RELEASE: text", b.Report)
	}
	if b.Corrected != nil && b.Direction != "client-to-server" {
		return errors.New("corrected is for what the library sends")
	}
	if !testeeShape.MatchString(b.Testee) {
		return fmt.Errorf("testee %q is not the name of a program", b.Testee)
	}
	return b.checkCases()
}

func (b *KnownBug) checkCases() error {
	for i, id := range b.Cases {
		if !caseShape.MatchString(id) {
			return fmt.Errorf("case %q is not of the form stomp/client/GROUP/NAME or with @VERSION behind", id)
		}
		if slices.Contains(b.Cases[:i], id) {
			return fmt.Errorf("case %s is given twice", id)
		}
		if _, version, ok := strings.Cut(id, "@"); ok && !slices.Contains(b.Versions, version) {
			return fmt.Errorf("case %s runs in a version that is not among %v", id, b.Versions)
		}
	}
	return nil
}
