package main

// providerMutants are bugs in objects as Terraform sees them.
var providerMutants = []Mutant{
	{"error-after-claim", "Once a claim is made nothing is an error: it would be tainted, and its account given away.",
		providerCode + "/claim", "claimResource.Create", instead("warnClaim", `r.Diags.AddError("late", claim.Reason)`),
		acceptance(providerCode+"/claim", "TestAccClaim_lostStateIsAdopted")},
	{"refresh-drops-claims", "An error of a refresh drops nothing from the state.",
		providerCode + "/family", "engine.read", instead("IsGone", "err != nil"),
		acceptance(providerCode+"/claim", "TestAccClaimDrift_aForbiddenReadNeverDropsTheClaim")},
	{"on-destroy-ignored", "A destroy does what on_destroy says.",
		providerCode + "/claim", "claimModel.releaseRequest", instead("Mode", "account.MarkDirty"),
		acceptance(providerCode+"/claim", "TestAccClaim_onDestroy")},
	{"slow-cluster-is-tainted", "A cluster that is slow stays, untainted.",
		providerCode + "/shoot", "shootResource.await", instead("As", "err != nil"), acceptance(providerCode+"/shoot", "TestAccShoot_slow")},
	{"account-change-is-an-update", "Another account for a live cluster is refused, or a replacement.",
		providerCode + "/shoot", "immutable", never("CredentialsBindingName"), acceptance(providerCode+"/shoot", "TestAccShoot_protected")},
	{"old-states-unprotected", "An object of an older release is protected until the configuration says otherwise.",
		providerCode + "/family", "RestoreProtection", returns(""), acceptance(providerCode, "TestAccProtection_replaceTaintAndOldStates")},
}

// rulesMutants are bugs in what a rule set means, and statusMutants in the status of a pool says.
var (
	rulesMutants = []Mutant{
		{"rule-file-as-written", "The broker reads the rule file as the rules are meant.",
			rulesCode, "plan.readByBroker", forget("syntax"),
			unit(rulesCode, "TestBrokerReadsTheRuleFileAlike|TestBrokerWithTheRuleFileOfAttributeSyntax")},
		{"ambiguity-unreported", "Rules of which two win one request are an error.",
			rulesCode, "plan.reportAmbiguous", returns("nil"), unit(rulesCode, "TestAmbiguity.*")},
	}
	statusMutants = []Mutant{
		{"same-credentials-unreported", "Two accounts with the same credentials are a problem.",
			overviewCode, "sameCredentials", returns(`""`), unit(overviewCode, "TestAccountsWithTheSameCredentials")},
	}
)

const (
	providerCode = "internal/provider"
	rulesCode    = "internal/rules"
	overviewCode = "internal/overview"
)
