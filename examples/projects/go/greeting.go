package greeting

// Greet says hello to somebody.
func Greet(name string) string { return "hello, " + name }
