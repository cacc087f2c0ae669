package flight

// Drain writes what is on the tape, as the recorder does every five seconds.
func Drain(r *Recorder) { r.drain() }

// RawRecords returns the records of a file as they are written.
func RawRecords(file []byte) (list [][]byte) {
	rest, err := checkMagic(file)
	if err != nil {
		return nil
	}
	all, _ := blocks(rest)
	stream, err := unpress(all[1:])
	if err != nil {
		return nil
	}
	for len(stream) > 0 {
		r, err := nextRecord(&stream)
		if err != nil {
			return list
		}
		list = append(list, r)
	}
	return list
}

// ReadRecord reads one record.
func ReadRecord(b []byte) (Record, error) { return readRecord(b, &Frame{}) }
