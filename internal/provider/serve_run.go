package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// thisRun is the run that this process takes part in. Terraform and OpenTofu start a process for each provider block, and each of them has
// the program as its parent. The ID gives away neither the machine nor the process.
func thisRun(hostname func() (string, error), parent int) account.Run {
	host, err := hostname()
	if err != nil || host == "" || parent <= 0 {
		return account.Run{}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", host, parent))
	return account.Run{ID: hex.EncodeToString(sum[:8]), Began: time.Now()}
}
