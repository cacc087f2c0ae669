package doctor_test

import (
	"testing"

	paho "github.com/eclipse/paho.mqtt.golang"

	"reversi-board/cmd/internal/calibrate"
)

// calibrateView is what a person sees of a walk.
type calibrateView = calibrate.View

// dialAsBoard connects as the board hall-1 does, and says that it is online.
func dialAsBoard(t *testing.T, addr string) paho.Client {
	t.Helper()
	c := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + addr).SetClientID("hall-1").
		SetUsername("hall-1").SetPassword("right").SetAutoReconnect(false))
	if token := c.Connect(); token.Wait() && token.Error() != nil {
		t.Fatal(token.Error())
	}
	token := c.Publish("reversi/v1/hall-1/availability", 1, true, `{"v":1,"state":"online","session":"01J00000000000000000000000"}`)
	if token.Wait() && token.Error() != nil {
		t.Fatal(token.Error())
	}
	return c
}
