package mutants

import (
	"slices"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/fuzz"
)

// ByVectors returns which of the laws the reference breaks by the testimony of the corpus vectors that cite them.
func ByVectors(laws []string) (Verdict, error) {
	v := Verdict{Caught: map[string]string{}}
	vectors, err := corpus.StompVectors()
	if err != nil {
		return v, err
	}
	for _, vector := range vectors {
		v.hear(laws, vector.Laws, vector.Name, func() error { return fuzz.RunStompVector(vector) })
	}
	streams, err := corpus.EventbusVectors()
	if err != nil {
		return v, err
	}
	for _, vector := range streams {
		v.hear(laws, vector.Laws, vector.Name, func() error { return fuzz.RunEventbusVector(vector) })
	}
	return v, nil
}

// hear runs a vector if it cites a law that is asked for and still open, and takes its failure as testimony.
func (v Verdict) hear(asked, cited []string, name string, run func() error) {
	open := slices.DeleteFunc(slices.Clone(cited), func(law string) bool { return !slices.Contains(asked, law) || v.Caught[law] != "" })
	if len(open) == 0 || run() == nil {
		return
	}
	for _, law := range open {
		v.Caught[law] = "vector " + name
	}
}
