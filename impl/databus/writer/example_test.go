package writer_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/databus/writer"
)

// shelf is a storage that never fails.
type shelf map[string]string

func (s shelf) Get(key string) (string, bool, error) {
	value, ok := s[key]
	return value, ok, nil
}

func (s shelf) Set(key, value string) error {
	s[key] = value
	return nil
}

func (s shelf) Remove(key string) error {
	delete(s, key)
	return nil
}

func (s shelf) Keys() ([]string, error) {
	var keys []string
	for key := range s {
		keys = append(keys, key)
	}
	return keys, nil
}

func ExampleWriter() {
	held := shelf{}
	var microtasks []func()
	w, err := writer.New(writer.Config{
		Storage: held,
		Defer:   func(f func()) { microtasks = append(microtasks, f) },
		After:   func(int64, func()) (stop func()) { return func() {} },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Set("load", "1")
	w.Set("load", "2")
	mine, _ := w.Get("load")
	fmt.Println(mine, held["load"] == "")
	microtasks[0]()
	fmt.Println(held["load"])
	// Output:
	// 2 true
	// 2
}
