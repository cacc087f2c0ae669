package tournament_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

func TestReadPlayers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []tournament.Player
	}{
		"names alone": {"name\nAna\nBen\n", []tournament.Player{{Number: 1, Name: plaintext.Const("Ana")}, {Number: 2, Name: plaintext.Const("Ben")}}},
		"all columns": {
			"Number,Name,Club,Rating,Lot\n7,Ana,\"Elm, East\",1500,3\n,Ben,,,\n",
			[]tournament.Player{{Number: 7, Name: plaintext.Const("Ana"), Club: plaintext.Const("Elm, East"), Rating: 1500, Lot: 3}, {Number: 1, Name: plaintext.Const("Ben")}},
		},
		"from a spreadsheet": {
			"\xef\xbb\xbfname;rating;remark\r\nZoë;12;x\r\n;;\r\n'=Dora;;\r\n",
			[]tournament.Player{{Number: 1, Name: plaintext.Const("Zoë"), Rating: 12}, {Number: 2, Name: plaintext.Const("=Dora")}},
		},
		"tabs": {"rating\tname\n5\tAna\n", []tournament.Player{{Number: 1, Name: plaintext.Const("Ana"), Rating: 5}}},
	} {
		got, err := tournament.ReadPlayers(strings.NewReader(c.text), nil)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	got, err := tournament.ReadPlayers(strings.NewReader("name\nAna\n"), map[int]bool{1: true, 2: true})
	if err != nil || got[0].Number != 3 {
		t.Errorf("the next free number is %+v, %v", got, err)
	}
}

func TestReadPlayersSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "empty",
		"name\n":                      "there are none",
		"Ana\nBen\n":                  "line 1 has to name the columns",
		"name,name\nA,B\n":            "two columns",
		"name,rating\nAna,high\n":     `line 2: rating "high"`,
		"name,rating\nAna,-1\n":       "line 2: rating",
		"name,rating\nAna,10000\n":    "line 2: rating",
		"number,name\n1,Ana\n1,Ben\n": "line 3: the number 1 is given to two players",
		"name,club\n,Elm\n":           "line 2: there is no name",
		"name\n\"Ana\n":               "line",
		"name\nA\x00na\n":             "cannot be shown",
		"name\nA\u202ena\n":           "cannot be shown",
		"name\n\xff\n":                "not UTF-8",
		"name\n" + strings.Repeat("x", 65) + "\n":    "too long",
		"name\n" + strings.Repeat("A\n", 513):        "too many players",
		"name\n" + strings.Repeat("x", 1<<20) + "\n": "larger than 1 MB",
	} {
		got, err := tournament.ReadPlayers(strings.NewReader(text), nil)
		if err == nil || got != nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, want one line about %q", text, err, want)
		}
	}
}

// Whatever is in a file, either it is refused or what was read can be written and
// read again.
func FuzzReadPlayers(f *testing.F) {
	for _, text := range []string{
		"name\nAna\n", "Number;Name;Lot\n7;Ana;2\n;Ben;1\n", "name,club\n\"=A\"\"\",'-x\n", "\xef\xbb\xbfname\tx\nAna\t\n", "name\n\"\"\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := tournament.ReadPlayers(bytes.NewReader(text), nil)
		if err != nil {
			if list != nil {
				t.Fatalf("players beside the error %v", err)
			}
			return
		}
		e := tournament.Event{Players: list}
		var out bytes.Buffer
		if err := e.WritePlayers(&out); err != nil {
			t.Fatal(err)
		}
		again, err := tournament.ReadPlayers(&out, nil)
		if err != nil || !slices.Equal(list, again) {
			t.Fatalf("%+v came back as %+v, %v", list, again, err)
		}
	})
}
