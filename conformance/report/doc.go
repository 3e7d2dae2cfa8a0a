// Package report turns results of conformance runs into every form that a person or a machine reads:
// terminal text, Markdown, JUnit XML, SARIF, badges, a JSON summary and one self-contained HTML page.
//
// Start at [Formats], which names each form and the files it makes, or call a form directly: each is a
// pure function of an [Options] value and one or several results. Results of the same target (shards, or
// repeated runs) are joined first; see [Join].
//
// Everything a result says came from a target that may be hostile. [Join] therefore makes every text a
// single line of valid, visible UTF-8 of bounded length, and each form escapes it once more for its own
// syntax. Code that adds a form must start from a [Matrix], never from a raw result.
package report
