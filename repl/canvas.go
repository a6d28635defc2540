package repl

// Canvas says what the terminal that values are shown on can do.
type Canvas struct {
	Width int  // columns; 0 means 80
	Color bool // escape sequences for colour may be written
}
