package tables

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
)

//go:embed print.html
var printed string

// Print writes the tournament as an HTML page for A4 paper, black on white. It
// needs nothing else and runs nothing.
func (s *Sheet) Print(w io.Writer) error {
	page, err := template.New("print").Funcs(template.FuncMap{
		"system": SystemName,
	}).Parse(printed)
	if err != nil {
		return fmt.Errorf("print the tournament: %w", err)
	}
	if err := page.Execute(w, s); err != nil {
		return fmt.Errorf("print the tournament: %w", err)
	}
	return nil
}
