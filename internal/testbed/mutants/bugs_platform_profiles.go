package main

// clusterTests are tests of the pure engines of clusters.
func clusterTests(run string) Tests {
	return Tests{Package: "internal/clusters/operator", Run: "^(" + run + ")$"}
}

// profileMutants are bugs in the preview of the operator's schedule, and in what ties profiles to accounts.
var profileMutants = []Mutant{
	{
		Name: "schedule-order", What: "Clusters come by namespace and then by name, where the server lists them by their keys.",
		File: "internal/clusters/operator/landscape.go", Tests: clusterTests("TestSchedule_order"),
		Old: `return cmp.Compare(a.Ref.String(), b.Ref.String())`,
		New: `return cmp.Or(cmp.Compare(a.Ref.Namespace, b.Ref.Namespace), cmp.Compare(a.Ref.Name, b.Ref.Name))`,
	},
	{
		Name: "schedule-limit", What: "A Cluster takes one request more than its tenancyCount.",
		File: "internal/clusters/operator/schedule.go", Tests: clusterTests("TestSchedule"),
		Old: `case limit > 0 && len(c.Tenants) >= limit:`, New: `case limit > 0 && len(c.Tenants) > limit:`,
	},
	{
		Name: "schedule-exclusive", What: "The preview never gives an exclusive Cluster to a shared request, and the operator does.",
		File: "internal/clusters/operator/schedule.go", Tests: clusterTests("TestSchedule"),
		Old: `	case c.Deleting:
		return "it is being deleted"`, New: `	case c.Deleting || c.Tenancy == Exclusive:
		return "it is being deleted"`,
	},
	{
		Name: "schedule-holder-unseen", What: "A name that a request of another namespace holds counts as free.",
		File: "internal/clusters/operator/create.go", Tests: clusterTests("TestSchedule"),
		Old: `unseen := first != "" && !exists && !s.landscape.AllRequests`, New: `unseen := false`,
	},
	{
		Name: "schedule-one-selector", What: "The selector of a purpose counts without that of all Clusters.",
		File: "internal/clusters/operator/schedule.go", Tests: clusterTests("TestSchedule"),
		Old: `!s.definition.Selector.combined(s.landscape.Config.Selectors.Clusters).matches(c.Labels)`,
		New: `!s.definition.Selector.combined(nil).matches(c.Labels)`,
	},
	{
		Name: "profile-moved", What: "The account of a profile changes under the Clusters that use it.",
		File: "internal/openmcp/configs/configs.go", Tests: providerTests("TestAccProviderConfig_movedMeanwhile"), Acceptance: true,
		Old: `if what := moves(live.Spec, w); what != "" {`, New: `if what := moves(live.Spec, w); what != "" && w.Name == "" {`,
	},
	{
		Name: "profile-deleted-in-use", What: "A profile is deleted while Clusters use it.",
		File: "internal/openmcp/configs/configs.go", Tests: providerTests("TestAccProviderConfig_usedMeanwhile"), Acceptance: true,
		Old: `return p.Unused(ctx, live.Spec.ProviderRef.Name, name, NotDeleted)`,
		New: `return p.Unused(ctx, live.Spec.ProviderRef.Name, "none", NotDeleted)`,
	},
	{
		Name: "profile-of-another-environment", What: "A wrong environment hides the Clusters that use a profile.",
		File: "internal/openmcp/configs/configs.go", Tests: providerTests("TestAccProviderConfig_usedByClusters"), Acceptance: true,
		Old: `return strings.HasSuffix(profile, ProfileName("", provider, config))`, New: `return profile == ProfileName("default", provider, config)`,
	},
	{
		Name: "adopted-shoot-moves", What: "A Cluster adopts a Shoot on another account than its profile names.",
		File: "internal/openmcp/configs/adopt.go", Tests: providerTests("TestAccCluster_adoptsOnItsAccount"), Acceptance: true,
		Old: `if !s.Keeps(home) {`, New: `if false {`,
	},
	{
		Name: "profile-comes-back-elsewhere", What: "A ProviderConfig that was deleted by hand comes back under its Clusters with another account.",
		File: "internal/openmcp/configs/behind.go", Tests: providerTests("TestAccProviderConfig_deletedUnderClusters"), Acceptance: true,
		Old: `if !s.StandsAt(home) {`, New: `if false {`,
	},
	{
		Name: "profile-of-a-foreign-account", What: "A profile is tied to an account without a look at whose it is.",
		File: "internal/provider/clusterprofile/account.go", Tests: providerTests("TestAccProviderConfig_account"), Acceptance: true,
		Old: `Tenant: m.GlobalAccount.ValueString(), Unnamed: m.GlobalAccount.IsNull(), Coming: coming,`, New: `Coming: coming,`,
	},
	{
		Name: "profile-keeps-what-left", What: "What a template names no longer stays in the profile.",
		File: "internal/openmcp/configs/configs.go", Tests: providerTests("TestAccProviderConfig_life"), Acceptance: true,
		Old: `if _, kept := to[key]; !kept {`, New: `if _, kept := to[key]; !kept && key == "" {`,
	},
}
