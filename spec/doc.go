// Package spec holds the laws: numbered, sourced, testable requirements on STOMP software and on the three buses that this
// repository judges. Everything else here refers to them. A machine names the law that an invariant states, a reference
// implementation names the law above the line that enforces it, a case names the laws that its failure would break. The
// package reads and finds laws; it draws no tables and judges nothing. It imports nothing of this repository and does no
// I/O: the law files are embedded.
//
// Start with [Load], then [Catalogue.Law] for one law and [Catalogue.Select] for many.
//
// # What a law is
//
// A law is one sentence of obligation with everything that is needed to argue about it: who must obey it (role), in which
// protocol versions, how binding it is (level), where it stands (source), and an experiment that decides it (check). If no
// experiment could show that it is broken, it is not a law but an opinion, and has no place in the files.
//
// The level says what a breach means. MUST and SHOULD keep the meaning of the text they come from. MAY grants a freedom:
// each use of it passes and is recorded, and only what the check itself calls failing lies outside. REFERENCE is the policy
// of the reference implementations: they must obey it, while other software that decides otherwise has another policy.
//
// A source is a section of a specification, a heading of the document that a protocol was taken from, code that was read, or
// the word decision where all of these are silent and this project had to choose.
//
// # How to read an id
//
//	STOMP-FRAME-001
//	|     |     number within the group, three digits from 001 without gaps
//	|     group: the matter, a few letters, in the order of the file
//	protocol, and the name of the file: stomp.yaml
//
// An id is for ever. Replays, baselines and reports in other people's hands cite it, so it is never renumbered and never
// used for something else.
//
// # How to change a law
//
// To add one, append it to its group with the next number. To correct the wording, edit it and say in notes what was
// unclear and which reading was taken. To change what it demands, withdraw it and add another: a verdict reached under the
// old text must not read as one about the new. To withdraw it, add
//
//	withdrawn: the reason, and the id of the law that replaces it
//
// and leave the rest alone. A law is never deleted; [Parse] reports the gap that it would leave, and the pinned counts in the
// tests report a loss at the end of a group.
//
// Every change moves [Catalogue.Hash], which each result carries, so that two reports can be compared only as far as they
// were made under the same laws.
//
// # The file format
//
// A file is a YAML list of mappings with text values; see the comment at its head. [Parse] takes only the small part of YAML
// that this needs and reports every fault of a file with its line and column, except that a fault of the YAML syntax itself
// hides what comes after it.
package spec
