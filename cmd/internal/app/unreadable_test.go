package app

import (
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	paho "github.com/eclipse/paho.mqtt.golang"

	"reversi-board/configs"
	"reversi-board/engine/archive"
)

// blindDisk can be written, but while it is blind nothing that it holds can be read.
type blindDisk struct {
	archive.FS
	blind atomic.Bool
}

func (d *blindDisk) OpenFile(name string, flag int, perm fs.FileMode) (archive.File, error) {
	f, err := d.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return blindFile{f, d}, nil
}

// blindFile is a file on it.
type blindFile struct {
	archive.File
	disk *blindDisk
}

func (f blindFile) ReadAt(b []byte, at int64) (int, error) {
	if f.disk.blind.Load() {
		return 0, syscall.EIO
	}
	return f.File.ReadAt(b, at)
}

// When the journal cannot be read no event reaches the broker, though the connection is
// fine. That is an alert, the page says so, and it is over when the journal can be read.
func TestUnreadableJournalIsAnAlert(t *testing.T) {
	t.Parallel()
	disk := &blindDisk{FS: archive.OS()}
	a, _, _ := launch(t, disk, func(*configs.Config) {})
	eventually(t, "the board is online", func() bool { return a.link.adapter.Status().Online })
	if said := shown(t, a).Connections["journal"]; said != "ok" {
		t.Fatalf("before: the journal is %q", said)
	}
	disk.blind.Store(true)
	playOpening(t, a)
	eventually(t, "the page says that the journal cannot be read", func() bool {
		seen := shown(t, a)
		for _, al := range seen.Alerts {
			if al.Code == storageTrouble && strings.HasPrefix(al.Text, "The journal cannot be read") {
				return seen.Connections["journal"] == "cannot be read, events wait"
			}
		}
		return false
	})
	disk.blind.Store(false)
	eventually(t, "all is well again", func() bool {
		seen := shown(t, a)
		return len(seen.Alerts) == 0 && seen.Connections["journal"] == "ok" && a.link.adapter.Status().Outbox == 0
	})
}

// A command with the retain flag is refused by the embedded broker, and the board tells
// of it as it does where a broker has kept one.
func TestRetainedCommandIsAnAlert(t *testing.T) {
	t.Parallel()
	a, _, _ := launch(t, nil, func(*configs.Config) {})
	eventually(t, "the board is online", func() bool { return a.link.adapter.Status().Online })
	p := newPlayer(t, a.link.broker.Addr())
	k := p.client.Publish("reversi/v1/reversi-1/cmd/arbiter/new", 1, true, `{"id":"1"}`)
	if k.Wait(); k.Error() == nil {
		t.Error("a retained command is confirmed")
	}
	var told atomic.Bool
	guest(t, a.link.broker.Addr(), "reversi/v1/reversi-1/alert/retained_command", func(m paho.Message) { told.Store(len(m.Payload()) > 0) })
	eventually(t, "the alert is up", told.Load)
	if st := a.link.adapter.Status(); st.Connections != 1 {
		t.Errorf("status %+v", st)
	}
}
