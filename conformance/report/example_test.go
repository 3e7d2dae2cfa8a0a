package report_test

import (
	"fmt"
	"os"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

func ExampleFormatByName() {
	r := result(conformance.Header{Suite: "demo", Name: "Alpha", Target: "tcp://127.0.0.1:61613", Kind: "real", Seed: 1, Nonce: "k3j9"},
		conformance.CaseResult{ID: "demo/server/ack/first", Verdict: conformance.Pass, Laws: []string{"DEMO-ACK-001"}})
	f, err := report.FormatByName("badge")
	if err != nil {
		panic(err)
	}
	if err := f.Write(os.Stdout, report.Options{}, r); err != nil {
		panic(err)
	}
	// Output:
	// {
	//   "schemaVersion": 1,
	//   "label": "demo conformance",
	//   "message": "1 case held",
	//   "color": "brightgreen"
	// }
}

func ExampleFormats() {
	for _, f := range report.Formats() {
		fmt.Printf("%-9s %-13s %s\n", f.Name, f.File, f.Title)
	}
	// Output:
	// terminal  result.txt    a summary for people
	// md        result.md     Markdown: a step summary, or a matrix of several targets
	// junit     junit.xml     JUnit XML for test viewers
	// sarif     result.sarif  SARIF 2.1.0 for code-scanning views
	// html      result.html   one page with everything, no network needed
	// badge     badge.json    badge endpoints, overall and for each group of laws
	// json      summary.json  the outcome for machines
}
