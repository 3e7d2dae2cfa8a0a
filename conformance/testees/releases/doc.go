// Package releases holds testees for old releases of client libraries, which have the faults that the known bugs tell of
// (corpus/stomp/known-bugs.yaml): one program for each library, or for each generation of its interface. spec/testee.md
// says what they do; hello lists no more than the known bugs need.
//
// install.sh puts each release into a folder of its own, releases/LIBRARY-RELEASE in the lab's folder, and a testee is
// given that folder: a script as its argument, with the interpreter that node or releases/python/bin/python is; the
// two that are compiled stand in it.
//
//	assay test stomp-client -- node conformance/testees/releases/stompit.js ~/.cache/assay/lab/releases/stompit-0.21.0
//
// All but the one in Go have a control connection written by hand (control.py and control.js of the folder above,
// netty/Control.java), which the faults of a release cannot break.
//
// The test of this package, with ASSAY_KNOWN_BUGS=1, runs the cases of each known bug on both releases: the suite has to
// blame the affected one by the law of the bug, and not to blame the fixed one. It writes what it found into
// conformance/lab/reports/known-bugs.md.
package releases
