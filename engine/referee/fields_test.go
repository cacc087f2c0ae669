package referee

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

// A field that somebody adds to State, to its memory or to an input must not be
// forgotten by the snapshot and the tape: each of them is set alone here, written
// and read again.
func TestSnapshotHoldsEveryField(t *testing.T) {
	var base State
	base.Len = 2
	n := 0
	eachLeaf(reflect.TypeFor[State](), "State", nil, func(name string, path []int) {
		s := base
		if !spoil(leafOf(reflect.ValueOf(&s).Elem(), path)) {
			t.Fatalf("%s: this test cannot set a %v", name, leafOf(reflect.ValueOf(&s).Elem(), path).Kind())
		}
		n++
		again, err := RestoreSnapshot(AppendSnapshot(nil, &s))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again != s || again == base {
			t.Errorf("%s does not come back", name)
		}
	})
	if n < 200 {
		t.Errorf("only %d fields were looked at", n)
	}
}

func TestInputsHoldEveryField(t *testing.T) {
	for _, in := range []Input{
		Seen{}, Felt{}, CellsFailed{}, CellsBack{}, PowerOn{}, Tick{}, Pressed{}, WallStepped{}, Suggested{}, EngineGone{}, Command{},
	} {
		eachInput(t, reflect.TypeOf(in), func(v reflect.Value) Input { return v.Interface().(Input) }) //nolint:forcetypeassert // it is one
	}
	for _, o := range []Order{
		NewGame{},
		Undo{},
		Pause{},
		Resume{},
		Resign{},
		Adjudicate{},
		ClockSet{},
		PlayersSet{},
		CorrectSquare{},
		Revise{},
		LetStand{},
		Claim{},
		PassPressed{},
		Look{},
	} {
		eachInput(t, reflect.TypeOf(o), func(v reflect.Value) Input {
			return Command{Audit: Audit{Order: v.Interface().(Order)}} //nolint:forcetypeassert // it is one
		})
	}
}

// eachInput sets every field of a type alone and compares the input made of it
// with the one that is read again.
func eachInput(t *testing.T, typ reflect.Type, input func(v reflect.Value) Input) {
	t.Helper()
	check := func(name string, v reflect.Value) {
		in := input(v)
		b, err := AppendInput(nil, in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again, err := ReadInput(b); err != nil || again != in {
			t.Errorf("%s does not come back: %+v is read as %+v, %v", name, in, again, err)
		}
	}
	check(typ.Name(), reflect.New(typ).Elem())
	eachLeaf(typ, typ.Name(), nil, func(name string, path []int) {
		v := reflect.New(typ).Elem()
		if !spoil(leafOf(v, path)) {
			return // the order of a command, which has a turn of its own
		}
		check(name, v)
	})
}

// eachLeaf calls f for every field that holds no others. Of a long array the
// first and the last elements do.
func eachLeaf(typ reflect.Type, name string, path []int, f func(name string, path []int)) {
	switch typ.Kind() { //nolint:exhaustive // all others are fields by themselves
	case reflect.Struct:
		for i := range typ.NumField() {
			field := typ.Field(i)
			eachLeaf(field.Type, name+"."+field.Name, append(slices.Clip(path), i), f)
		}
	case reflect.Array:
		for i := range typ.Len() {
			if i < 3 || i == typ.Len()-1 {
				eachLeaf(typ.Elem(), fmt.Sprintf("%s[%d]", name, i), append(slices.Clip(path), i), f)
			}
		}
	default:
		f(name, path)
	}
}

// leafOf returns the field at a path, of an addressable value.
func leafOf(v reflect.Value, path []int) reflect.Value {
	for _, i := range path {
		if v.Kind() == reflect.Struct {
			v = v.Field(i)
		} else {
			v = v.Index(i)
		}
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() //nolint:gosec // fields that are not exported can be set in no other way
}

// spoil gives a field another value than the one it has.
func spoil(v reflect.Value) bool {
	switch v.Kind() { //nolint:exhaustive // the referee's values have no others
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.String:
		v.SetString("word")
	default:
		return false
	}
	return true
}
