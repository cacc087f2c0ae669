package record_test

import (
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// An event as it stands in the journal and goes out over MQTT.
func ExampleEncodeEvent() {
	after := engine.Start().After(19, 1<<27) // d3, which turns d4
	b, err := record.EncodeEvent(record.Envelope{
		Stamp: record.Stamp{TS: time.Date(2026, 3, 1, 18, 4, 5, 0, time.UTC), TSOK: true, Boot: 7, Mono: time.Minute},
		JID:   "01JD7Q4E9W0000000000000001", Seq: 12, Game: "01JD7Q4E9W0000000000000002", Ply: 1,
		FP: record.Fingerprint(after.Discs, after.Turn),
	}, referee.Moved{By: engine.Black, Square: 19, Flipped: 1 << 27, Think: 4200 * time.Millisecond, At: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", b[:98])
	env, event, err := record.DecodeEvent(b)
	fmt.Printf("%d %T %v\n", env.Seq, event, err)
	// Output:
	// {"v":1,"ts":"2026-03-01T18:04:05.000Z","ts_ok":true,"boot":7,"mono_ms":60000,"jid":"01JD7Q4E9W0000
	// 12 referee.Moved <nil>
}
