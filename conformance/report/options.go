package report

import "github.com/seed-6f28358b/assay/spec"

// Options are what the forms of a report share. The zero value works.
type Options struct {
	// Laws gives the texts of the laws; nil: laws are named by id only.
	Laws *spec.Catalogue
	// Color allows colour in terminal text. The caller knows about terminals and NO_COLOR.
	Color bool
	// Dir is the folder that the files of the report are written into, empty when they go elsewhere. A page that is kept and
	// published names no replay outside of it.
	Dir string
	// Part says that the results are meant to be a part of a run (--shard): that the other parts are not there is no fault.
	Part bool
	// Width is the width of terminal text in characters; 0: 100. Less than 40 is taken as 40.
	Width int
}

func (o Options) width() int {
	if o.Width == 0 {
		return 100
	}
	return max(40, o.Width)
}
