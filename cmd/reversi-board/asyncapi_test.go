package main

import (
	"errors"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"reversi-board/engine/record/schematest"
	"reversi-board/mqtt"
)

// contract is mqtt/asyncapi.yaml as far as the tests look at it.
type contract struct {
	Channels   map[string]*channel   `yaml:"channels"`
	Operations map[string]*operation `yaml:"operations"`
	Components struct {
		Parameters map[string]struct {
			Enum []string `yaml:"enum"`
		} `yaml:"parameters"`
		Messages map[string]struct {
			ContentType string `yaml:"contentType"`
			Payload     ref    `yaml:"payload"`
		} `yaml:"messages"`
	} `yaml:"components"`
}

type ref struct {
	Ref string `yaml:"$ref"`
}

type channel struct {
	Address  string         `yaml:"address"`
	Messages map[string]ref `yaml:"messages"`

	topic *regexp.Regexp
}

type operation struct {
	Action   string `yaml:"action"`
	Channel  ref    `yaml:"channel"`
	Bindings struct {
		MQTT struct {
			QoS    int  `yaml:"qos"`
			Retain bool `yaml:"retain"`
		} `yaml:"mqtt"`
	} `yaml:"bindings"`
}

var errNoChannel = errors.New("it has no channel in mqtt/asyncapi.yaml")

func readContract(t *testing.T) *contract {
	t.Helper()
	text, err := os.ReadFile("../../mqtt/asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c contract
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	for _, ch := range c.Channels {
		ch.topic = regexp.MustCompile("^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(ch.Address, "[^/]+") + "$")
	}
	return &c
}

// channelOf returns the name of the channel that a topic belongs to.
func (c *contract) channelOf(topic string) string {
	// cmd of all boards is below one that would fit as well.
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(c.Channels))) {
		if c.Channels[name].topic.MatchString(topic) {
			return name
		}
	}
	return ""
}

// check says what is wrong with a message.
func (c *contract) check(m message) error {
	name := c.channelOf(m.topic)
	if name == "" {
		return errNoChannel
	}
	for _, said := range c.Channels[name].Messages {
		of := c.Components.Messages[path.Base(said.Ref)]
		if of.ContentType != "" {
			return nil // no JSON
		}
		return schematest.Check(path.Join("../../mqtt", of.Payload.Ref), m.payload)
	}
	return errNoChannel
}

// TestSchemasHaveNoSlips: every word of a schema is a keyword; one with a slip in it
// would be ignored, and ask for nothing.
func TestSchemasHaveNoSlips(t *testing.T) {
	c := readContract(t)
	count := 0
	for _, m := range c.Components.Messages {
		file := m.Payload.Ref
		if file == "" {
			continue
		}
		count++
		if _, err := jsonschema.NewCompiler().Compile(path.Join("../../mqtt", file)); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		text, err := os.ReadFile(path.Join("../../mqtt", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, slip := range slips(file, decode[any](t, text)) {
			t.Errorf("%s is no keyword", slip)
		}
	}
	if count != 12 {
		t.Errorf("%d schemas, want 12", count)
	}
}

// slips returns the words of a schema that are no keywords. The schema compiles.
func slips(where string, schema any) (found []string) {
	keywords := strings.Fields("$schema title description type const enum pattern minLength maxLength minimum maximum " +
		"minItems maxItems items required properties additionalProperties allOf if then")
	members, _ := schema.(map[string]any) // else it is true or false
	for word, value := range members {
		at := where + "/" + word
		if !slices.Contains(keywords, word) {
			found = append(found, at)
		}
		switch value := value.(type) {
		case map[string]any:
			if word != "properties" {
				found = append(found, slips(at, value)...)
				continue
			}
			for name, sub := range value {
				found = append(found, slips(at+"/"+name, sub)...)
			}
		case []any: // of allOf, or of words and values
			for _, sub := range value {
				found = append(found, slips(at, sub)...)
			}
		}
	}
	return found
}

// TestContractKnowsTheCommands: roles, commands and codes are those of the program,
// and every channel has an operation.
func TestContractKnowsTheCommands(t *testing.T) {
	c := readContract(t)
	commands := make(map[string]bool)
	for _, names := range mqtt.DefaultCommands() {
		for _, name := range names {
			commands[name] = true
		}
	}
	for parameter, want := range map[string][]string{
		"name": slices.Collect(maps.Keys(commands)),
		"role": slices.Collect(maps.Keys(mqtt.DefaultCommands())),
		"code": mqtt.AlertCodes(),
	} {
		got := slices.Sorted(slices.Values(c.Components.Parameters[parameter].Enum))
		if slices.Sort(want); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s is one of %v, want %v", parameter, got, want)
		}
	}
	used := make(map[string]bool)
	for name, o := range c.Operations {
		to := path.Base(o.Channel.Ref)
		if c.Channels[to] == nil || used[to] {
			t.Errorf("%s is about channel %s, which is not there, or has an operation already", name, to)
		}
		used[to] = true
		if obeyed := strings.Contains(c.Channels[to].Address, "/cmd/"); obeyed != (o.Action == "receive") {
			t.Errorf("%s is to %s", name, o.Action)
		}
	}
	if len(used) != len(c.Channels) || len(used) < 14 {
		t.Errorf("%d of %d channels have an operation", len(used), len(c.Channels))
	}
}
