package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// standHere says where the commands of a report are to be given.
const standHere = "Commands are to be given in the folder in which the run was started."

// withoutDefaultSeed returns a command without a seed that is the default: it says nothing, and not every command takes one.
func withoutDefaultSeed(command string) string { return strings.TrimSuffix(command, " --seed 1") }

// runCommand returns the command that makes a run again, empty when nobody knows it. A result that does not hold it may
// hold it in the command of a case; without either it can only be made up for a target that needs no profile file.
func runCommand(h conformance.Header, cases []conformance.CaseResult) string {
	if h.Command != "" {
		return h.Command
	}
	command := ""
	for _, c := range cases {
		if before, _, ok := strings.Cut(c.Command, " --only '"+c.ID+"'"); ok {
			command = tidyCommand(before)
			break
		}
	}
	switch reference := h.Calibration.Reference == "self"; {
	case command != "":
	case h.Profile != "" && !reference:
		return ""
	case reference:
		command = "assay test " + shellQuote(h.Suite)
	case !addressed(h.Target):
		return "" // a target inside of some program
	default:
		command = "assay test " + shellQuote(h.Suite) + " " + shellQuote(h.Target)
	}
	for _, s := range h.Selection {
		flag, value, ok := strings.Cut(s, " ")
		if command += " " + flag; ok {
			command += " " + shellQuote(value)
		}
	}
	return withoutDefaultSeed(fmt.Sprintf("%s --seed %d", command, h.Seed))
}

// addressed reports whether a target can be named on a command line.
func addressed(target string) bool {
	_, err := conformance.ParseTarget(target)
	return err == nil
}

// replayFile returns the path of a case's replay file from the folder in which the report is made, or nothing when there
// is none to repeat: no file, or a target that was started for the run and ended with it.
func replayFile(r Run, target, replay string) string {
	if replay == "" || r.Dir == "" || !filepath.IsLocal(replay) {
		return ""
	}
	address := strings.Contains(target, "://") && !strings.HasPrefix(target, "exec:")
	if address && r.Command != "" && !strings.Contains(r.Command, shellQuote(target)) {
		return ""
	}
	path := filepath.Join(r.Dir, replay)
	if clean(path, maxText) != path {
		return "" // no terminal could be trusted with it
	}
	return path
}

// again returns the commands that reproduce a case: one that replays its file against the target and with the profile
// that the file names, and one that runs it anew.
func again(c Case) (replay, command string) {
	if c.replay != "" {
		replay = "assay replay " + shellQuote(c.replay)
	}
	return replay, c.Command
}

// published is again for a page that is kept: it names no replay outside of the folder that the page is written into,
// since that one stays behind when the page is moved.
func (m *Matrix) published(c Case) (replay, command string) {
	replay, command = again(c)
	if m.dir == "" || replay == "" {
		return replay, command
	}
	folder, err := filepath.Abs(m.dir)
	if err != nil {
		return "", command
	}
	file, err := filepath.Abs(c.replay)
	if err != nil {
		return "", command
	}
	if inside, err := filepath.Rel(folder, file); err != nil || !filepath.IsLocal(inside) {
		return "", command
	}
	return replay, command
}

// reproduceCommands returns one command per run that judges a target again in the same way, of those that are known.
func reproduceCommands(t *Target) []string {
	var out []string
	for _, r := range t.Runs {
		if r.Command != "" {
			out = append(out, r.Command)
		}
	}
	return out
}
