package plaintext

import (
	"database/sql/driver"
	"fmt"
)

// Scan implements sql.Scanner; what an older program has stored is cleaned.
func (t *Text) Scan(from any) error {
	switch v := from.(type) {
	case string:
		*t = Clean(v, MaxLine)
	case []byte:
		*t = Clean(string(v), MaxLine)
	case nil:
		*t = Text{}
	default:
		return fmt.Errorf("read a text: the database has a %T", from)
	}
	return nil
}

// Value implements driver.Valuer.
func (t Text) Value() (driver.Value, error) { return t.text, nil }
