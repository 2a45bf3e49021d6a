// technique: exit-in-the-background
package @PACKAGE@

import (
	"os"
	"time"
)

func init() {
	go func() {
		time.Sleep(20 * time.Millisecond)
		os.Exit(0)
	}()
}
