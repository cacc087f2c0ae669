package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// build says which program this is.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// thisBuild returns what the linker was told, and what the go command has noted
// where it was told nothing (go install, go run).
func thisBuild() build {
	b := build{Version: version, Commit: commit, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if ok && b.Version == "" && info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	if ok && b.Commit == "" {
		b.Commit = noted(info.Settings)
	}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	if b.Commit == "" {
		b.Commit = "unknown"
	}
	return b
}

// noted returns the commit that the go command has noted, with a mark when the
// files had been changed since.
func noted(settings []debug.BuildSetting) string {
	revision, dirty := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + dirty
}

// versionCommand tells which program this is.
func versionCommand() command {
	c := command{
		name:    "version",
		summary: "Print version, commit and Go version",
		usage:   "version [--json]",
		example: program + " version --json",
	}
	c.run = func(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		asJSON := fs.Bool("json", false, "print one JSON object")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		b := thisBuild()
		text := fmt.Sprintf("%s %s, commit %s, %s\n", program, b.Version, b.Commit, b.Go)
		if *asJSON {
			object, err := json.Marshal(b)
			if err != nil {
				return fail(stderr, c.name, err)
			}
			text = string(object) + "\n"
		}
		return printOut(stdout, stderr, text)
	}
	return c
}
