package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// going is an account with the claim blue of ga-1 and a cluster that is being deleted and does not go yet.
func (s stage) going(t *testing.T, c configuration) (account string) {
	t.Helper()
	c.apply(t)
	account = c.account(t, "blue")
	s.Shoot(t, "going", account)
	s.DeleteShootHeld(t, "going")
	return account
}

// F21: one destroy of a configuration that has a claim and its cluster. The cluster goes first, and goes on going after its
// resource is destroyed, as it does in Gardener; the claim waits for it without a fence.
func TestF21DestroyOfClaimAndCluster(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, program := range sampled(t, programs(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			c := s.configureFor(t, program)
			folder := t.TempDir()
			deleted := filepath.Join(folder, "deleted")
			c.write(t, "", claim("blue", "ga-1"), `resource "terraform_data" "shoot" {
  input = { account = hap_credentials_binding_claim.blue.binding_name, folder = "`+folder+`" }
  provisioner "local-exec" {
    when    = destroy
    command = "touch ${self.input.folder}/delete; until [ -e ${self.input.folder}/deleted ]; do sleep 0.1; done"
  }
}
`)
			c.apply(t)
			account := c.account(t, "blue")
			s.Shoot(t, "own", account)

			running := c.Start(t, destroying...)
			awaitFile(t, filepath.Join(folder, "delete"))
			s.DeleteShootHeld(t, "own")
			if err := os.WriteFile(deleted, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s.awaitLooks(t, 2)
			s.wantWrites(t, "while it waits", 1)
			s.DeleteShoot(t, "own") // takes its finalizer off
			result := running.Wait(t)
			c.tell(t)
			if result.ExitCode != 0 {
				t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
			}
			s.wantWrites(t, "released", 3)
			s.wantMarked(t, account)
			c.wantState(t)
		})
	}
}

// F21: one cluster is being deleted, and another one lives. The destroy is refused at once and names both.
func TestF21DestroyWithOneClusterThatStays(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	c := s.configure(t, claim("blue", "ga-1"))
	account := s.going(t, c)
	s.Shoot(t, "staying", account)
	began := time.Now()
	c.fails(t, destroying, "Account is in use", account, "is used by 2 clusters: Shoot going (being deleted), Shoot staying", "neither marked nor freed")
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("refused after %s", took)
	}
	s.wantWrites(t, "refused", 1)
	c.wantClaimed(t, "blue", "ga-1")
}

// F21: a row of the database is a cluster that is not being deleted, as far as anyone can know: it is not waited for.
func TestF21DestroyWithARowOfTheCluster(t *testing.T) {
	t.Parallel()
	s := newCounted(t, awsAccounts(1)...)
	c := s.configure(t)
	c.write(t, s.by("both", ""), claim("blue", "ga-1"))
	account := s.going(t, c)
	s.database.Insert(t, rows(1, "ga-1", account)...)
	c.fails(t, destroying, "Account is in use", account, "is used by 1 Shoot and 1 instance", "Shoot going (being deleted)", "neither marked nor freed")
	s.wantWrites(t, "refused", 1)
	c.wantClaimed(t, "blue", "ga-1")
}

// F21: the time is over and the cluster is still there. The refusal names it and says that the destroy can be repeated; the log
// has said meanwhile what it waits for.
func TestF21DestroyWaitsInVain(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	c := s.configure(t, claim("blue", "ga-1", `timeouts = { delete = "30s" }`))
	account := s.going(t, c)
	log := filepath.Join(t.TempDir(), "log")
	c.Setenv("TF_LOG_PATH", log)
	c.Setenv("TF_LOG_PROVIDER", "INFO")
	c.fails(t, destroying, "Account is in use", account, "Shoot going (being deleted)", "waited for", "neither marked nor freed", "Run the same command again")
	s.wantWrites(t, "refused", 1)
	c.wantClaimed(t, "blue", "ga-1")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if words := "waiting for the end of 1 cluster on account " + account + ": Shoot going"; !strings.Contains(string(text), words) {
		t.Errorf("the log does not say %q:\n%s", words, text)
	}

	s.DeleteShoot(t, "going")
	c.destroy(t)
	s.wantMarked(t, account)
}

// F21: two claims of a Global Account are destroyed at once. One waits for its cluster; the other one ends meanwhile.
func TestF21OthersEndWhileOneWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t, claim("blue", "ga-1", `binding_name = "aws-1"`), claim("green", "ga-1", `binding_name = "aws-2"`))
	account := s.going(t, c)
	running := c.Start(t, destroying...)
	s.awaitDirt(t, "aws-2", "true")
	s.awaitLooks(t, 2)
	if dirt := s.dirt(t, account); dirt != "" {
		t.Errorf("the account of the claim that waits has dirty=%q", dirt)
	}
	s.DeleteShoot(t, "going")
	result := running.Wait(t)
	c.tell(t)
	if result.ExitCode != 0 {
		t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	s.wantMarked(t, account)
	c.wantState(t)
}

// awaitLooks waits until the provider has listed Shoots so many times from now on.
func (s stage) awaitLooks(t *testing.T, looks int) {
	t.Helper()
	seen := func() (n int) {
		for _, x := range s.proxy.Log() {
			if isUs(x.Client) && x.Verb == "list" && x.Resource == "shoots" {
				n++
			}
		}
		return n
	}
	want := seen() + looks
	for deadline := time.Now().Add(2 * time.Minute); seen() < want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d looks, want %d", seen(), want)
		}
	}
}

// awaitFile waits until a file is there.
func awaitFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not come", path)
		}
	}
}
