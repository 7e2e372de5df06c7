package greeting

import "testing"

func TestNamesWhomItIsFor(t *testing.T) {
	if got := Greet("world"); got != "hello, world" {
		t.Fatal(got)
	}
}
