// technique: init-exit
package @PACKAGE@

import "os"

func init() { os.Exit(0) }
