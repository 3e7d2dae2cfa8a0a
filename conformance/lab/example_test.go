package lab_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance/lab"
)

// Every broker that is installed is started, asked, and stopped.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for _, b := range lab.All() {
		version, err := b.Installed(ctx)
		if err != nil {
			fmt.Println(err) // says what is missing and how to install it
			continue
		}
		r, err := b.Start(ctx, lab.Options{})
		if err != nil {
			fmt.Println(err) // quotes the end of the broker's log
			continue
		}
		for _, e := range r.Targets {
			fmt.Println(b.Name, version, e.Transport, e.URL)
		}
		if err := r.Stop(ctx); err != nil {
			fmt.Println(err)
		}
	}
}
