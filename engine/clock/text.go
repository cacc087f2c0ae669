package clock

import (
	"fmt"
	"time"
)

// tenthsBelow is the time from which on tenths of a second are shown.
const tenthsBelow = 10 * time.Second

// Text returns what a clock shows: "1:02:03", "4:59", "9.9" below ten seconds.
// It rounds up, so that only a clock without any time shows zero.
func Text(left time.Duration) string {
	if left <= 0 {
		return "0:00"
	}
	if left <= tenthsBelow-100*time.Millisecond {
		tenths := (left + 100*time.Millisecond - 1) / (100 * time.Millisecond)
		return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
	}
	s := int64((left + time.Second - 1) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
