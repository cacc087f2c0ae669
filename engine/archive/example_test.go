package archive_test

import (
	"context"
	"fmt"
	"os"

	"reversi-board/engine/archive"
)

// Events go in without waiting and come out when they are durable; the next
// start finds them.
func Example() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	j, recovery, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("new:", recovery.New)

	ctx := context.Background()
	w := archive.StartWriter(ctx, j)
	w.Append(j.LastSeq()+1, []byte(`{"type":"move","move":"d3"}`))
	stored := <-w.Durable()
	fmt.Printf("durable: %d %s\n", stored.Seq, stored.Payload)

	fmt.Println(w.Close(ctx), j.Close())

	j, recovery, err = archive.Open(archive.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("records:", recovery.Records, "next:", j.LastSeq()+1, j.Close())
	// Output:
	// new: true
	// durable: 1 {"type":"move","move":"d3"}
	// <nil> <nil>
	// records: 1 next: 2 <nil>
}
