package mutants

import (
	"slices"

	"github.com/seed-6f28358b/assay/fuzz"
)

// ByVectors returns which of the laws the reference breaks by the testimony of the corpus vectors that cite them.
func ByVectors(laws []string) (Verdict, error) {
	v := Verdict{Caught: map[string]string{}}
	vectors, err := fuzz.Vectors()
	for _, vector := range vectors {
		v.hear(laws, vector)
	}
	return v, err
}

// hear runs a vector if it cites a law that is asked for and still open, and takes its failure as testimony.
func (v Verdict) hear(asked []string, vector fuzz.Vector) {
	open := slices.DeleteFunc(slices.Clone(vector.Laws), func(law string) bool { return !slices.Contains(asked, law) || v.Caught[law] != "" })
	if len(open) == 0 || vector.Run() == nil {
		return
	}
	for _, law := range open {
		v.Caught[law] = "vector " + vector.Name
	}
}
