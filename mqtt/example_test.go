package mqtt_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"reversi-board/mqtt"
	"reversi-board/mqtt/broker"
)

// noJournal is a journal without events.
type noJournal struct{}

func (noJournal) JID() string      { return "01HZZZZZZZZZZZZZZZZZZZZZZZ" }
func (noJournal) FirstSeq() uint64 { return 1 }
func (noJournal) LastSeq() uint64  { return 0 }
func (noJournal) Acked() uint64    { return 0 }
func (noJournal) SetAcked(uint64)  {}

func (noJournal) Read(uint64, int, func(uint64, []byte) error) error { return nil }

// A board on the broker that it brings along.
func Example() {
	ctx := context.Background()
	password := broker.NewPassword()
	b, err := broker.Start(ctx, broker.Options{
		Listen: "127.0.0.1:0", Guests: true, Users: []broker.User{broker.BoardUser("rv-b07", password)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	a, err := mqtt.Start(ctx, mqtt.Options{
		URL: "mqtt://" + b.Addr(), Board: "rv-b07", Password: password,
		Journal: noJournal{}, Cursor: noJournal{},
		Stamp: func() mqtt.Stamp { return mqtt.Stamp{TS: time.Now(), TSOK: true, Boot: 1} },
	})
	if err != nil {
		log.Fatal(err)
	}
	a.State([]byte(`{"v":1,"seq":0,"phase":"idle"}`), 0)
	for !a.Status().Online {
		<-a.Changes()
	}
	fmt.Println("online:", a.Status().Online)
	fmt.Println("goodbye:", a.Close(ctx, "shutdown"))
	// Output:
	// online: true
	// goodbye: <nil>
}
