package doctor

import (
	"context"
	"errors"
	"path/filepath"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/sensing"
)

// checkCalibration looks whether there is a calibration, and whether it is one of
// this board.
func checkCalibration(_ context.Context, d *doctor, c *Check) {
	if d.dirErr != nil {
		c.skip("There is no data folder for it.")
		return
	}
	cal, err := app.LoadCalibration(d.dir, d.h)
	switch {
	case errors.Is(err, sensing.ErrOtherBoard):
		c.foundf("The calibration in %s is one of another board, or of other settings: %s.", d.dir, brief(err))
		c.blame(Problem{
			Part: "calibration", Where: filepath.Base(app.CalibrationPath(d.dir, d.h)), Cause: "other_board",
			Found: sentence(err.Error()), Next: calibrateNow,
		})
	case err != nil:
		c.foundf("The calibration in %s cannot be used.", d.dir)
		c.blame(Problem{
			Part: "calibration", Where: filepath.Base(app.CalibrationPath(d.dir, d.h)), Cause: "unusable",
			Found: sentence(err.Error()), Next: calibrateNow,
		})
	case cal == nil && d.h.Kind == configs.HallAnalog:
		c.foundf("This board has not been calibrated: what is a disc follows from the sensors' data sheet.")
		c.worsen(Warn)
		c.Next = calibrateNow
	case cal == nil:
		c.skip("There is none, and this board does not need one.")
	default:
		c.foundf("The calibration of %s is one of this board.", cal.Made.Format("2 January 2006"))
		if cal.Masked != 0 {
			c.blame(Problem{
				Part: "calibration", Where: names(cal.Masked), Cause: "masked", Status: Warn,
				Found: "The calibration leaves out " + names(cal.Masked) + ".",
				Next:  "Mend the cells, and calibrate again.",
			})
		}
	}
}

// calibrateNow is what to do without a calibration that fits.
const calibrateNow = "Run reversi-board calibrate with the same settings."
