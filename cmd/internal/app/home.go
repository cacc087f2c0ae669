package app

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"

	"reversi-board/mqtt"
)

// homeFile is in the data folder while Home Assistant may know the board; it holds
// the broker on which it was told.
const homeFile = "home-assistant"

// introduced reports whether Home Assistant, which is not to know the board any
// more, was told of it on this broker by an earlier run.
func (a *App) introduced() bool {
	told, err := os.ReadFile(filepath.Join(a.dir, homeFile))
	return err == nil && !a.config.MQTT.HomeAssistant && a.config.MQTT.Broker != "" && string(told) == a.config.MQTT.Broker
}

// withdrawn notes that Home Assistant does not know the board any more.
func (a *App) withdrawn() {
	if err := os.Remove(filepath.Join(a.dir, homeFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.log.Warn("the board will be taken out of Home Assistant once more", "error", err)
	}
}

// discovery tells Home Assistant of the board; it is empty unless that is wanted.
func (a *App) discovery(version string) []byte {
	c := a.config
	if !c.MQTT.HomeAssistant {
		return nil
	}
	if err := os.WriteFile(filepath.Join(a.dir, homeFile), []byte(c.MQTT.Broker), 0o600); err != nil {
		a.log.Warn("the board will not be taken out of Home Assistant by itself", "error", err)
	}
	d := mqtt.Device{
		Board: c.Board.ID, Name: c.Board.Name, SW: version, HW: c.Hardware.Kind, Image: c.MQTT.Image,
	}
	if at, err := netip.ParseAddrPort(reachable(c.Web.Listen)); err == nil && !at.Addr().IsLoopback() {
		d.Page = c.Web.URL(at.String())
		d.Support = d.Page + "health"
	}
	return d.Discovery()
}
