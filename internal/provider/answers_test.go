package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/hostile"
)

// cause is why a server does not do what it is asked for, and what may be said of it.
type cause struct {
	hostile.Mischief
	refuses bool // the server takes no connection at all
	// checks: it is an answer to writes alone, and to what is checked without a write.
	checks bool
	// summaries are the titles that an error may have.
	summaries []string
	// remedies are those of the remedies below that fit; lost: what has become of a write may be in doubt.
	remedies []string
	lost     bool
	// refused: a plan of a cluster says so already, as an error.
	refused bool
}

// The remedies that a message may have, by a few words of theirs. One is right for some causes, and wrong for all others.
const (
	remedyGrant   = "Grant the verb"
	remedyRenew   = "renew it"
	remedyQuota   = "Have the quota raised"
	remedyAPI     = "no such API"
	remedyInstall = "does not know"
	remedyWebhook = "admission webhook"
	remedyPage    = "login page or a gateway"
	remedyNetwork = "the network and the API server"
	remedyFailed  = "names something that is not there"
	remedyCorrect = "Correct what Gardener names"
	remedyAgain   = "The same request would be refused again"
	remedyTrust   = "certificate is not trusted"
	remedyProject = "that of a Gardener project"
)

var allRemedies = []string{
	remedyGrant, remedyRenew, remedyQuota, remedyAPI, remedyInstall, remedyWebhook, remedyPage, remedyNetwork, remedyFailed, remedyCorrect,
	remedyAgain, remedyTrust, remedyProject,
}

func causes() []cause {
	says := func(text string) func(hostile.Request) string { return func(hostile.Request) string { return text } }
	unreachable := []string{diagnose.SummaryUnreachable, diagnose.SummaryPlatformUnreachable}
	unknown := []string{diagnose.SummaryUnknownOutcome, diagnose.SummaryPlatformUnknown}
	failed := []string{diagnose.SummaryFailed, diagnose.SummaryPlatformFailed}
	return []cause{
		{Mischief: hostile.Answer("401", http.StatusUnauthorized, "Unauthorized", says("Unauthorized")),
			summaries: []string{diagnose.SummaryUnauthorized, diagnose.SummaryPlatformUnauthorized}, remedies: []string{remedyRenew}},
		{Mischief: hostile.Answer("403 rights", http.StatusForbidden, "Forbidden", func(r hostile.Request) string {
			group, _, _ := strings.Cut(r.Group, "/")
			return fmt.Sprintf(`%s.%s %q is forbidden: User "someone" cannot %s resource %q in API group %q in the namespace %q`, r.Resource, group,
				r.Name, r.Verb, r.Resource, group, r.Namespace)
		}), summaries: []string{diagnose.SummaryForbidden, diagnose.SummaryPlatformForbidden, diagnose.SummaryNoCredentials}, remedies: []string{remedyGrant}},
		{Mischief: hostile.Answer("403 quota", http.StatusForbidden, "Forbidden", func(r hostile.Request) string {
			return fmt.Sprintf(`%s %q is forbidden: exceeded quota: objects, requested: count/%s=1, used: count/%s=10, limited: count/%s=10`,
				r.Resource, r.Name, r.Resource, r.Resource, r.Resource)
		}), checks: true, summaries: []string{diagnose.SummaryQuota, diagnose.SummaryPlatformQuota}, remedies: []string{remedyQuota}},
		{Mischief: hostile.NoAPI(), summaries: []string{diagnose.SummaryNotGarden, diagnose.SummaryNotPlatform, diagnose.SummaryNoOpenMCP, diagnose.SummaryNoProvider},
			remedies: []string{remedyAPI, remedyInstall}},
		{Mischief: hostile.Answer("500 webhook", http.StatusInternalServerError, "InternalError", says(`Internal error occurred: failed calling `+
			`webhook "check.example": failed to call webhook: Post "https://check.example.svc:443/": dial tcp 10.0.0.1:443: connect: connection refused`)),
			checks: true, summaries: failed, remedies: []string{remedyWebhook}},
		{Mischief: hostile.Answer("500 refusal", http.StatusInternalServerError, "InternalError", says(`Internal error occurred: could not find `+
			`referenced seed "nowhere": seed.core.gardener.cloud "nowhere" not found`)),
			checks: true, summaries: append([]string{diagnose.SummaryShootRefused}, failed...), remedies: []string{remedyFailed, remedyCorrect},
			refused: true},
		{Mischief: hostile.Answer("500 no project", http.StatusInternalServerError, "InternalError", says(`Internal error occurred: could not find `+
			`referenced project: project.core.gardener.cloud not found`)),
			checks: true, summaries: append([]string{diagnose.SummaryNoProject}, failed...), remedies: []string{remedyFailed, remedyProject},
			refused: true},
		{Mischief: hostile.Answer("403 admission", http.StatusForbidden, "Forbidden", func(r hostile.Request) string {
			return fmt.Sprintf(`%s %q is forbidden: ValidatingAdmissionPolicy 'hours' with binding 'hours' denied request: not today`, r.Resource, r.Name)
		}), checks: true, summaries: []string{diagnose.SummaryRejected, diagnose.SummaryPlatformRejected, diagnose.SummaryShootRefused},
			remedies: []string{remedyAgain, remedyCorrect}, refused: true},
		{Mischief: hostile.Answer("503", http.StatusServiceUnavailable, "ServiceUnavailable", says("the server is starting")),
			summaries: slices.Concat(unreachable, unknown), remedies: []string{remedyNetwork}, lost: true},
		{Mischief: hostile.Cut(), summaries: slices.Concat(unreachable, unknown), remedies: []string{remedyNetwork}, lost: true},
		{Mischief: hostile.Mischief{Name: "refused connection"}, refuses: true, summaries: unreachable, remedies: []string{remedyNetwork}},
		{Mischief: hostile.WebPage(), summaries: []string{diagnose.SummaryNotGarden, diagnose.SummaryNotPlatform},
			remedies: []string{remedyPage}},
	}
}

// changes are what an update changes of the configurations of the resources, so that it is written.
var changes = map[string]map[string]any{
	"hap_account":                   {"labels": teamB},
	"hap_credentials_binding_claim": {"on_destroy": "keep"},
	"hap_cluster":                   {"labels": teamB},
	"hap_access_request":            {"labels": teamB},
	"hap_gardener_provider_config":  {"shoot_template": strings.Replace(hostileTemplate, "1.33.2", "1.33.3", 1)},
	"hap_cluster_request":           {"labels": teamB},
	"hap_shoot":                     {"labels": teamB},
}

// teamB are other labels.
var teamB = tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"team": tftypes.NewValue(tftypes.String, "b")})

// meeting is one operation on one object of the provider that meets one cause.
type meeting struct {
	*life
	cause
	op string // plan, refresh, create, change, destroy or open
	// by is what meets the cause; all else is answered as it should be.
	by string
}

// What meets a cause.
const (
	byAll     = "each request"
	byWrites  = "what writes, or is checked"
	byDeletes = "deletions"
)

// traits are what the sample of meetings has each of.
func (m meeting) traits() []string {
	return []string{m.kind + " " + m.name, m.kind + " " + m.op, "cause " + m.cause.Name, "by " + m.by}
}

func (m meeting) String() string {
	return fmt.Sprintf("%s %s, %s: %s for %s", m.kind, m.name, m.op, m.cause.Name, m.by)
}

// One place says what a server's answer means: whatever the object and the operation, the message has the cause in its title, no remedy of
// another cause, and no claim about the object that the server's answers do not show.
func TestAnswers(t *testing.T) {
	t.Parallel()
	api, lives := hostileLandscape(), hostileLives(t)
	some := someOf(t, meetings(lives), meeting.traits)
	for _, l := range lives {
		if l.kind == "resource" {
			v := newVictim(t, api)
			if l.standing, _ = l.make(v, time.Minute); l.standing.State == nil {
				t.Fatalf("%s cannot be made before an obedient server: %s", l.name, sayings(v.said))
			}
			v.hostile.End()
		}
	}
	var running sync.WaitGroup
	places := make(chan struct{}, 48) // most of them wait
	for _, m := range some {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			m.hold(t, api)
		})
	}
	running.Wait()
}

func meetings(lives []*life) (all []meeting) {
	for _, l := range lives {
		ops := []string{"open"}
		switch {
		case l.kind == "resource" && l.name == "hap_rule_set":
			ops = []string{"plan"}
		case l.kind == "resource":
			ops = []string{"plan", "plan of a change", "refresh", "create", "change", "destroy"}
		}
		for _, c := range causes() {
			for _, op := range ops {
				if !c.checks {
					all = append(all, meeting{l, c, op, byAll})
				}
				if op != "refresh" && (l.kind == "resource" || l.name == "hap_shoot_access") && !c.refuses {
					all = append(all, meeting{l, c, op, byWrites})
				}
				if op == "destroy" && !c.refuses {
					all = append(all, meeting{l, c, op, byDeletes})
				}
			}
		}
	}
	return all
}

// picks picks the requests that meet the cause. A question for rights is no write.
func (m meeting) picks(r *http.Request) bool {
	switch m.by {
	case byWrites:
		return r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "accessreviews")
	case byDeletes:
		return r.Method == http.MethodDelete
	}
	return true
}

// hold has the operation meet its cause, and judges what is said and kept.
func (m meeting) hold(t *testing.T, before *hostile.API) {
	t.Helper()
	api := before.Clone()
	if m.op == "plan" || m.op == "create" {
		api = hostileLandscape()
	}
	server := hostile.NewServer(api)
	if m.refuses {
		server.End()
		var err error
		if server, err = hostile.NewRefusingServer(api); err != nil {
			t.Errorf("%s: %v", m, err)
			return
		}
	}
	v := newVictimOf(t, server, api)
	defer v.hostile.End()
	v.Ctx = kube.Hurried(v.Ctx)
	begin := func() {
		v.said = nil
		if m.refuses {
			v.hostile.Refuse()
			return
		}
		v.hostile.Do(m.Mischief, m.picks)
	}
	ctx, cancel := context.WithTimeout(v.Ctx, 2*time.Minute)
	defer cancel()
	was, config := m.standing, acceptance.Filled(v, m.of, m.config)
	commits := api.Commits()
	var kept *tfprotov6.DynamicValue
	switch m.op {
	case "open":
		begin()
		m.ask(v, time.Minute)
	case "refresh":
		begin()
		resp, err := v.Server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: m.name, CurrentState: was.State, Private: was.Private, CurrentIdentity: was.Identity,
		})
		v.hear(err, resp.Diagnostics)
		kept = resp.NewState
	case "plan", "plan of a change":
		begin()
		if m.op == "plan" {
			was = acceptance.Standing{}
		} else {
			config = m.changedConfig(v)
		}
		m.planned(ctx, v, was, config)
	default:
		switch m.op {
		case "create":
			was = acceptance.Standing{}
		case "change":
			config = m.changedConfig(v)
		case "destroy":
			config = tftypes.NewValue(m.of, nil)
		}
		planned := m.planned(ctx, v, was, config)
		if planned == nil {
			t.Errorf("%s: cannot be planned before an obedient server: %s", m, sayings(v.said))
			return
		}
		begin()
		made, _ := m.applied(ctx, v, was, config, planned)
		kept = made.State
	}
	m.judge(t, v, kept, api.Commits()-commits)
}

func (m meeting) changedConfig(v *victim) tftypes.Value {
	config := maps.Clone(m.config)
	maps.Copy(config, changes[m.name])
	return acceptance.Filled(v, m.of, config)
}

var (
	// goneClaims are claims that an object is gone: all of them are there.
	goneClaims = regexp.MustCompile(`does not exist|is gone|[Tt]here is no (account|Shoot|Secret|Cluster|AccessRequest)|[Nn]o longer exists`)
	ofNoCause  = regexp.MustCompile(`Unexpected error|report this issue`)
)

func (m meeting) judge(t *testing.T, v *victim, kept *tfprotov6.DynamicValue, written int) {
	t.Helper()
	failed := false
	for _, d := range v.said {
		text := d.Summary + ": " + d.Detail
		isError := d.Severity == tfprotov6.DiagnosticSeverityError
		failed = failed || isError
		wrong := func(what string) { t.Errorf("%s: %s:\n%s %s", m, what, d.Severity, text) }
		if isError && !slices.Contains(m.summaries, d.Summary) {
			wrong("the title is that of another cause")
		}
		doubt := slices.Contains([]string{diagnose.SummaryUnknownOutcome, diagnose.SummaryPlatformUnknown}, d.Summary)
		if isError && !doubt && d.Summary != diagnose.SummaryNoCredentials &&
			!slices.ContainsFunc(m.remedies, func(remedy string) bool { return strings.Contains(text, remedy) }) {
			wrong("the remedy is missing")
		}
		if found := ofNoCause.FindString(text); found != "" {
			wrong("it says " + found)
		}
		// It may be said where a write was sent, and the read after it got no answer of the API either.
		blind := m.by == byAll && slices.Contains([]string{"create", "change", "destroy"}, m.op) &&
			(m.lost || slices.Contains(m.remedies, remedyPage))
		if strings.Contains(text, "may have taken effect") && !blind {
			wrong("a read has shown what became of the write")
		}
		for _, remedy := range allRemedies {
			if strings.Contains(text, remedy) && !slices.Contains(m.remedies, remedy) {
				wrong("the remedy is that of another cause: " + remedy)
			}
		}
		if found := goneClaims.FindString(text); found != "" {
			wrong("it claims that something is not there: " + found)
		}
		if strings.Contains(text, "Nothing was written") && written > 0 {
			wrong("something was written")
		}
		if strings.Contains(text, "stays fenced") || d.Summary == diagnose.SummaryFenceLeft {
			wrong("there is no fence")
		}
		if doubt && (!m.lost || !slices.Contains([]string{"create", "change", "destroy"}, m.op)) {
			wrong("nothing is in doubt")
		}
	}
	plans := strings.HasPrefix(m.op, "plan")
	if met := v.hostile.Done() > 0 || m.refuses; met && len(v.said) == 0 && !plans {
		t.Errorf("%s: nothing is said of it", m)
	}
	if m.name == "hap_shoot" && plans && m.refused && !failed {
		t.Errorf("%s: what Gardener refuses is no error: %s", m, sayings(v.said))
	}
	if m.op == "refresh" || m.op == "destroy" {
		if kept == nil {
			t.Errorf("%s: there is no state", m)
		} else if value, err := kept.Unmarshal(m.of); err == nil && value.IsNull() && (m.op == "refresh" || failed) {
			t.Errorf("%s: the object is out of the state, and exists: %s", m, sayings(v.said))
		}
	}
}
