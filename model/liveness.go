package model

import "fmt"

// A Liveness is a law about what comes to be in the end, whatever was before: from every state that can be reached, some steps of fair actions lead to
// a goal.
type Liveness[S, A any] struct {
	// Law is the id of the law in the catalogue.
	Law string
	// Title says in a few words what comes to be; it is printed beside the id.
	Title string
	// Fair says that a is taken sooner or later when it stays possible. The rest, such as faults of the environment, may never be taken.
	Fair func(a A) bool
	// Goal says that nothing more has to happen in s. It is called once for each distinct state.
	Goal func(s S) bool
	// Strict demands besides that no fair steps lead in a circle outside the goals. Then every run that takes only fair steps for long enough comes to
	// a goal, in whatever order it takes them. Without it, a run may take the same few fair steps over and over, and leave out one that leads on.
	Strict bool
}

// A Lively machine knows what comes to be in it.
type Lively[S, A, O any] interface {
	Checked[S, A, O]

	// Liveness returns the law.
	Liveness() Liveness[S, A]
}

func (l Liveness[S, A]) validate() error {
	if l.Law == "" || l.Fair == nil || l.Goal == nil {
		return fmt.Errorf("liveness: want a Law, a Fair and a Goal function, found law %q", l.Law)
	}
	return nil
}
