package broker_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"reversi-board/mqtt/broker"
)

// New subscriptions read the retained messages while others are written. The
// race detector fails this test when the two are not kept apart.
func TestSubscribingWhileRetainedMessagesChange(t *testing.T) {
	var boards []broker.User
	for n := range 4 {
		boards = append(boards, broker.BoardUser(fmt.Sprint("writer-", n), "secret"))
	}
	b, err := broker.Start(t.Context(), broker.Options{
		Listen: "127.0.0.1:0", Guests: true, Users: boards, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			writer := joins(t, b, fmt.Sprint("writer-", n))
			defer writer.Disconnect(0)
			for i := range 50 {
				topic := fmt.Sprintf("reversi/v1/writer-%d/alert/a%d", n, i%5)
				if k := writer.Publish(topic, 1, true, "{}"); !k.WaitTimeout(5 * time.Second) {
					t.Errorf("%s: no answer", topic)
					return
				}
			}
		})
		all.Go(func() {
			reader := joins(t, b, fmt.Sprint("reader-", n))
			defer reader.Disconnect(0)
			for range 50 {
				if k := reader.Subscribe("reversi/v1/#", 0, func(paho.Client, paho.Message) {}); !k.WaitTimeout(5 * time.Second) {
					t.Error("a subscription got no answer")
					return
				}
			}
		})
	}
	all.Wait()
}

// joins connects a client; one whose name says that it writes has a password.
func joins(t *testing.T, b *broker.Broker, id string) paho.Client {
	t.Helper()
	o := paho.NewClientOptions().AddBroker("tcp://" + b.Addr()).SetClientID(id).SetProtocolVersion(4).SetAutoReconnect(false)
	if strings.HasPrefix(id, "writer") {
		o.SetUsername(id).SetPassword("secret")
	}
	c := paho.NewClient(o)
	if k := c.Connect(); !k.WaitTimeout(5*time.Second) || k.Error() != nil {
		t.Errorf("%s cannot connect: %v", id, k.Error())
	}
	return c
}
