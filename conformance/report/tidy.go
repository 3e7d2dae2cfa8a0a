package report

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// Bounds of the lists of one case. The runner keeps fewer; a file that holds more was not written by it.
const (
	maxListed  = 100
	maxRecords = 500
)

// isLawID reports whether s has the form of a law id, PROTOCOL-GROUP-NNN.
func isLawID(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 3 || len(s) > 80 || len(parts[2]) != 3 || strings.Trim(parts[2], "0123456789") != "" {
		return false
	}
	for _, p := range parts[:2] {
		if p == "" || p[0] < 'A' || p[0] > 'Z' || strings.Trim(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return false
		}
	}
	return true
}

// tidyHeader returns h with every text cleaned.
func tidyHeader(h conformance.Header) conformance.Header {
	for _, s := range []*string{
		&h.Assay, &h.Suite, &h.Title, &h.Target, &h.Name, &h.Kind, &h.Profile, &h.Software, &h.Nonce, &h.Scope,
		&h.Calibration.Laws, &h.Calibration.Binary, &h.Calibration.Platform, &h.Calibration.Reference, &h.Calibration.At,
	} {
		*s = clean(*s, 400)
	}
	if h.Name == "" {
		h.Name = h.Target
	}
	h.Scope, h.Command = clean(h.Scope, maxText), tidyCommand(h.Command)
	h.Versions = cleanAll(h.Versions, 40)
	h.Selection = cleanAll(h.Selection, 400)
	return h
}

// tidyCase returns c with every text cleaned, every list bounded and every verdict a known one.
func tidyCase(c conformance.CaseResult) conformance.CaseResult {
	c.ID = clean(c.ID, 300)
	c.Title = clean(c.Title, 400)
	c.Verdict = known(c.Verdict)
	c.Laws = cleanAll(c.Laws, 100)
	c.Version = clean(c.Version, 40)
	c.Reason = clean(c.Reason, maxText)
	c.Timing = clean(c.Timing, 40)
	c.Replay = clean(c.Replay, 600)
	c.Command = tidyCommand(c.Command)
	c.Millis = finite(c.Millis)
	findings := make([]conformance.Finding, 0, min(len(c.Findings), maxListed))
	for _, f := range c.Findings[:min(len(c.Findings), maxListed)] {
		f.Law, f.Level, f.Verdict = clean(f.Law, 100), clean(f.Level, 40), known(f.Verdict)
		f.Reason, f.Expected, f.Seen = clean(f.Reason, maxText), clean(f.Expected, maxText), clean(f.Seen, maxText)
		findings = append(findings, f)
	}
	notes := make([]conformance.Note, 0, min(len(c.Notes), maxListed))
	for _, n := range c.Notes[:min(len(c.Notes), maxListed)] {
		notes = append(notes, conformance.Note{Key: clean(n.Key, 200), Value: clean(n.Value, maxText)})
	}
	records := make([]conformance.Record, 0, min(len(c.Transcript), maxRecords))
	for _, r := range c.Transcript[:min(len(c.Transcript), maxRecords)] {
		text := clean(r.Text, maxRecord)
		r.Cut = r.Cut || len(r.Text) > maxRecord
		r.Millis, r.Conn, r.Dir, r.Text = finite(r.Millis), clean(r.Conn, 100), clean(r.Dir, 10), text
		records = append(records, r)
	}
	c.Findings, c.Notes, c.Transcript = findings, notes, records
	return c
}

// tidyCommand returns a command as it can be given, or nothing where it cannot be shown as it is.
func tidyCommand(s string) string {
	if clean(s, maxText) != s {
		return ""
	}
	return withoutDefaultSeed(s)
}

func cleanAll(list []string, limit int) []string {
	out := make([]string, 0, min(len(list), maxListed))
	for _, s := range list[:min(len(list), maxListed)] {
		out = append(out, clean(s, limit))
	}
	return out
}

// known maps a word that is no verdict to inconclusive: it must neither vanish from a sum nor blame.
func known(v conformance.Verdict) conformance.Verdict {
	if _, err := conformance.ParseVerdict(string(v)); err != nil {
		return conformance.Inconclusive
	}
	return v
}
