package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/seed-6f28358b/assay/conformance"
)

// SARIF writes one SARIF 2.1.0 run for each target, for code-scanning views. A rule is a law; a result is
// a finding: fail is an error, lax a warning, info a note. What could not be decided is a notification of
// the invocation, since it is no result about the target.
func SARIF(w io.Writer, o Options, results ...*conformance.Result) error {
	m := o.join(results...)
	log := sarif.NewReport()
	for _, t := range m.Targets {
		log.AddRun(m.sarifRun(t))
	}
	data, err := withoutDefaults(log)
	if err != nil {
		return fmt.Errorf("sarif: %w", err)
	}
	_, err = w.Write(data)
	return err
}

// Laws stand in files of Assay's own tree, which is not that of who judges: without a base a viewer would look for them, or
// find other files of these names, in its own.
const (
	sarifBase  = "ASSAY"
	repository = "https://github.com/seed-6f28358b/assay"
	sourceTree = repository + "/blob/main/"
)

func (m *Matrix) sarifRun(t *Target) *sarif.Run {
	driver := sarif.NewToolComponent().WithName("Assay").WithShortDescription(
		sarif.NewMultiformatMessageString().WithText("Judges messaging software by numbered laws."))
	if t.Header.Assay != "" {
		driver.WithVersion(t.Header.Assay)
	}
	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(driver))
	run.WithAutomationDetails(sarif.NewRunAutomationDetails().WithID("assay/" + t.Header.Suite + "/" + t.Label + "/"))
	run.AddInvocation(m.sarifInvocation(t))
	run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{sarifBase: *sarif.NewArtifactLocation().WithURI(sourceTree)})
	run.AddVersionControlProvenance(sarif.NewVersionControlDetails().WithRepositoryURI(repository).
		WithMappedTo(sarif.NewArtifactLocation().WithURIBaseID(sarifBase)))
	rules := map[string]int{}
	for _, v := range []conformance.Verdict{conformance.Fail, conformance.Lax, conformance.Info} {
		for _, d := range m.Deviations(t, v) {
			id := firstOf(d.Law.ID, "unknown-law")
			index, ok := rules[id]
			if !ok {
				index = len(rules)
				rules[id] = index
				driver.AddRule(sarifRule(id, d))
			}
			result := sarifResult(id, index, d)
			sarifKnown(result, d)
			run.AddResult(result)
		}
	}
	run.WithProperties(sarif.NewPropertyBag().
		Add("target", t.Header.Target).Add("name", t.Header.Name).Add("kind", t.Header.Kind).Add("software", t.Header.Software).
		Add("calibration", calibrationLine(t.Header)).Add("totals", sum(t.Counts)).Add("scope", t.Header.Scope))
	return run
}

func (m *Matrix) sarifInvocation(t *Target) *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccessful(t.Stopped == "").WithExitCode(t.Exit).WithExitCodeDescription(exitSentence(t))
	if len(t.Runs) > 0 && !t.Runs[0].Started.IsZero() {
		inv.WithStartTimeUtc(t.Runs[0].Started.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	note := func(level, text string) {
		inv.AddToolExecutionNotification(sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(text)))
	}
	if t.Stopped != "" {
		note("error", "the run ended early: "+t.Stopped)
	}
	if missing := t.missingText(); missing != "" {
		note("error", missing)
	}
	for _, v := range []conformance.Verdict{conformance.Inconclusive, conformance.Blocked} {
		for _, r := range t.Reasons(v) {
			ids := make([]string, 0, maxTerminalCases)
			for _, c := range r.Cases[:min(len(r.Cases), maxTerminalCases)] {
				ids = append(ids, c.ID)
			}
			note("warning", fmt.Sprintf("%s (%s): %s: %s", v, count(len(r.Cases), "case"), r.Text, strings.Join(ids, ", ")))
		}
	}
	return inv
}

func sarifLevel(v conformance.Verdict) string {
	switch v {
	case conformance.Fail:
		return sarif.LevelError
	case conformance.Lax:
		return sarif.LevelWarning
	default:
		return sarif.LevelNote
	}
}

func sarifRule(id string, d Deviation) *sarif.ReportingDescriptor {
	l := d.Law
	help := d.Sentence()
	if l.Source != "" {
		help += "\n\nSource: " + l.Source
	}
	if l.Check != "" {
		help += "\n\nCheck: " + l.Check
	}
	if l.Notes != "" {
		help += "\n\nNotes: " + l.Notes
	}
	properties := sarif.NewPropertyBag().WithTags(append([]string{"conformance", lawGroup(id)}, l.Versions...))
	if l.Level != "" {
		properties.Add("level", string(l.Level)).Add("role", l.Role)
	}
	rule := sarif.NewRule(id)
	if l.File != "" {
		rule.WithHelpURI(sourceTree + "spec/" + l.File)
	}
	return rule.
		WithName(strings.ReplaceAll(id, "-", "")).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(firstOf(l.Title, id))).
		WithFullDescription(sarif.NewMultiformatMessageString().WithText(d.Sentence())).
		WithHelp(sarif.NewMultiformatMessageString().WithText(help)).
		WithProperties(properties)
}

func sarifResult(id string, index int, d Deviation) *sarif.Result {
	f, c := d.Finding, d.Case
	text := firstOf(f.Reason, meaning(f.Verdict))
	if f.Expected != "" {
		text += "\nExpected: " + f.Expected
	}
	if f.Seen != "" {
		text += "\nSeen: " + f.Seen
	}
	text += fmt.Sprintf("\nTarget: %s. Case: %s.", d.Target.Label, c.ID)
	if known := c.known(); known != "" {
		text += "\nKnown: " + known
	}
	replay, command := again(c)
	if replay != "" {
		text += "\nReplay: " + replay
	}
	if command != "" {
		text += "\nRun again: " + command
	}
	// Code-scanning views show a result only at a line of a file: the one that states the law.
	file, line := sarif.NewArtifactLocation().WithURI("result.jsonl"), 1
	if d.Law.File != "" {
		file, line = sarif.NewArtifactLocation().WithURI("spec/"+d.Law.File).WithURIBaseID(sarifBase), max(1, d.Law.Line)
	}
	location := sarif.NewLocation().
		WithPhysicalLocation(sarif.NewPhysicalLocation().
			WithArtifactLocation(file).
			WithRegion(sarif.NewRegion().WithStartLine(line))).
		AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(c.ID).WithKind("function"))
	hash := sha256.Sum256([]byte(strings.Join([]string{d.Target.Label, c.ID, id, string(f.Verdict), f.Reason}, "\x00")))
	result := sarif.NewRuleResult(id).WithRuleIndex(index).WithKind("fail").WithLevel(sarifLevel(f.Verdict)).
		WithMessage(sarif.NewTextMessage(text)).AddLocation(location).
		WithPartialFingerprints(map[string]string{"assayFinding/v1": hex.EncodeToString(hash[:16])})
	properties := sarif.NewPropertyBag().Add("case", c.ID).Add("verdict", string(f.Verdict)).Add("step", f.Step)
	if c.Replay != "" {
		properties.Add("replay", c.Replay)
	}
	if c.Varies != nil {
		properties.Add("varies", variesText(c.Varies))
	}
	return result.WithProperties(properties)
}
