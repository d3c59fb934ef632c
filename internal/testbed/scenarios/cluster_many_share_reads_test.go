package scenarios

import (
	"testing"
	"time"
)

// manyClusters are clusters without workers, which need no account.
const manyClusters = `
resource "hap_shoot" "many" {
  count               = 30
  name                = "c-${count.index}"
  deletion_protection = false
  template            = <<-EOT
    metadata: {labels: {stage: dev}}
    spec:
      cloudProfile: {kind: CloudProfile, name: aws}
      region: region-1
      kubernetes: {version: 1.33.2}
      provider: {type: aws}
  EOT
}
`

// What many clusters of one configuration share: an apply waits for all of them with one watch, and a plan that changes nothing reads
// them by few lists, and sends dry runs for none.
func TestClusterManyShareReads(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil)
	c := s.configure(t)
	c.write(t, "", manyClusters)
	c.apply(t)
	if live := s.live(t); len(live) != 30 {
		t.Fatalf("%d clusters, want 30", len(live))
	}
	if n := s.proxy.Count("watch", "shoots"); n > 5 { // one is begun anew where nothing waits for a moment
		t.Errorf("the apply has begun %d watches", n)
	}
	before, began := s.requests(), time.Now()
	c.succeeds(t, "plan", "-detailed-exitcode")
	asked, most := s.requests(), 5+int(time.Since(began)/listAge)
	for verb, n := range asked {
		asked[verb] = n - before[verb]
	}
	if asked["list"] > most || asked["get"] > 5 || total(asked) != asked["list"]+asked["get"] {
		t.Errorf("a plan without changes took %v", asked)
	}
	c.destroy(t)
	s.wantNone(t, "destroyed")
}
