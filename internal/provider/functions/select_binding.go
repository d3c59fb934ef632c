package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// selectBindingFunction chooses among accounts by their clusters alone.
type selectBindingFunction struct{}

var selectedTypes = map[string]attr.Type{"name": types.StringType, "action": types.StringType, "reason": types.StringType}

func (f *selectBindingFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "select_binding"
}

func (f *selectBindingFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Choose the fullest account below a limit",
		MarkdownDescription: "Of the accounts that a Global Account holds, the one with the most clusters that is below the limit; ties go to " +
			"the first by name. With none left the `action` is `claim` and the `name` null. It is pure: the same choice as " +
			"`hap_binding_selection` makes, on numbers that you give it.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "bindings", MarkdownDescription: "A list of objects with `name` and `clusters`."},
			function.NumberParameter{Name: "limit", MarkdownDescription: "The most clusters per account, at least 1."},
		},
		Return: function.ObjectReturn{AttributeTypes: selectedTypes},
	}
}

func (f *selectBindingFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var bindings types.Dynamic
	var number types.Number
	if resp.Error = req.Arguments.Get(ctx, &bindings, &number); resp.Error != nil {
		return
	}
	limit, err := argument{position: 1, name: "limit", value: number}.number(1)
	if err != nil {
		resp.Error = err
		return
	}
	accounts, counts, err := bindingsArgument(newArgument(0, "bindings", bindings))
	if err != nil {
		resp.Error = err
		return
	}
	name, action, reason := selectFullest(accounts, counts, limit)
	resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(selectedTypes, map[string]attr.Value{
		"name": tfvalue.TextOrNull(name), "action": types.StringValue(string(action)), "reason": types.StringValue(reason),
	}))
}

// The accounts of the function belong to one tenant in one pool; which ones does not matter.
var (
	functionTarget = account.Target{HyperscalerType: "any"}
	functionTenant = "any"
)

// bindingsArgument reads accounts with their clusters.
func bindingsArgument(a argument) ([]*account.Account, account.Counts, *function.FuncError) {
	elements, err := a.list()
	if err != nil {
		return nil, account.Counts{}, err
	}
	var counts account.Counts
	accounts := make([]*account.Account, len(elements))
	seen := map[string]bool{}
	for i, e := range elements {
		parts, err := e.object("name", "clusters")
		if err != nil {
			return nil, counts, err
		}
		name, err := parts["name"].text()
		if err != nil {
			return nil, counts, err
		}
		if name == "" {
			return nil, counts, e.errorf("the account needs a name")
		}
		if seen[name] {
			return nil, counts, e.errorf("each account needs a name of its own; %q is there twice", name)
		}
		seen[name] = true
		clusters, err := argument{position: a.position, name: e.name + ".clusters", value: parts["clusters"].value}.number(0)
		if err != nil {
			return nil, counts, err
		}
		counts.Set(name, clusters)
		accounts[i] = &account.Account{Name: name, HyperscalerType: functionTarget.HyperscalerType, Tenant: functionTenant}
	}
	return accounts, counts, nil
}

// selectFullest asks the same selection as a claim does.
func selectFullest(accounts []*account.Account, counts account.Counts, limit int) (name string, action account.Action, reason string) {
	policy := account.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{account.DefaultLimit: limit}}
	query := account.Query{Target: functionTarget, GlobalAccount: functionTenant}
	d, err := account.Select(accounts, account.Places{Counts: counts}, query, policy)
	switch exhausted := errors.As(err, new(*account.ExhaustedError)); {
	case exhausted && len(accounts) == 0:
		return "", account.ActionClaim, "No account is held: one has to be claimed."
	case exhausted:
		return "", account.ActionClaim, fmt.Sprintf("No account has fewer than %d clusters: another one has to be claimed.", limit)
	case err != nil:
		return "", "", err.Error() // cannot happen: there is no guard, no pin and no other tenant
	}
	return d.Account.Name, d.Action, fmt.Sprintf("%s is the fullest account below the limit: %d of %d places are taken.", d.Account.Name,
		counts.Clusters(d.Account.Name), limit)
}
