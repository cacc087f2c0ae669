package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assets embed.FS

// files are the page and its parts, compressed once.
type files struct {
	hash  string
	pages map[string]file
	parts map[string]file
}

// file is one answer, plain and compressed.
type file struct {
	kind, etag    string
	plain, zipped []byte
}

// load reads the embedded assets and fills the page's template.
func load(o Options) (*files, error) {
	names, err := fs.Glob(assets, "assets/*")
	if err != nil {
		return nil, err
	}
	f := &files{pages: make(map[string]file, 2), parts: make(map[string]file, len(names))}
	sum := sha256.New()
	for _, name := range names {
		text, err := assets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		base := path.Base(name)
		if path.Ext(base) == ".html" {
			continue
		}
		sum.Write(fmt.Appendf(nil, "%s %d\n", base, len(text)))
		sum.Write(text)
		if f.parts[base], err = newFile(base, text); err != nil {
			return nil, err
		}
	}
	f.hash = hex.EncodeToString(sum.Sum(nil)[:8])
	for _, name := range [...]string{indexPage, healthPage, calibratePage, tournamentPage} {
		if f.pages[name], err = f.page(name, o); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// The pages.
const (
	indexPage  = "index.html"
	healthPage = "health.html"

	calibratePage  = "calibrate.html"
	tournamentPage = "tournament.html"
)

// page fills the template of a page.
func (f *files) page(name string, o Options) (file, error) {
	page, err := template.ParseFS(assets, "assets/"+name)
	if err != nil {
		return file{}, err
	}
	var text bytes.Buffer
	err = page.Execute(&text, map[string]any{
		"Base": "/assets/" + f.hash, "Name": o.Name, "Board": o.Board, "Version": o.Version,
		"Stale": o.Stale.Milliseconds(), "Health": o.Health != nil, "Calibrate": o.Calibrate != nil, "Tournaments": o.Tournaments != nil,
		"Report": o.Report != nil,
	})
	if err != nil {
		return file{}, err
	}
	return newFile(name, text.Bytes())
}

func newFile(name string, text []byte) (file, error) {
	sum := sha256.Sum256(text)
	f := file{plain: text, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
	switch path.Ext(name) {
	case ".html":
		f.kind = "text/html; charset=utf-8"
	case ".css":
		f.kind = "text/css; charset=utf-8"
	case ".js":
		f.kind = "text/javascript; charset=utf-8"
	case ".svg":
		f.kind = "image/svg+xml"
	default:
		return file{}, fmt.Errorf("%s: no content type is known for it", name)
	}
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	if _, err := z.Write(text); err != nil {
		return file{}, err
	}
	if err := z.Close(); err != nil {
		return file{}, err
	}
	f.zipped = zipped.Bytes()
	return f, nil
}

// show answers a request for a page.
func (f *files) show(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		page := f.pages[name]
		page.send(w, r)
	}
}

// asset answers GET /assets/{hash}/{name}. A page of an older build asks for
// an older hash; it must not get parts of this one.
func (f *files) asset(w http.ResponseWriter, r *http.Request) {
	part, ok := f.parts[r.PathValue("name")]
	if !ok || r.PathValue("hash") != f.hash {
		http.Error(w, "no such file in this version", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	part.send(w, r)
}

func (f *file) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", f.etag)
	if matches(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.zipped
	}
	// The reader may have gone; there is nobody to tell.
	_, _ = w.Write(body)
}
