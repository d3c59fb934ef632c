// Package kebvalues says what the Helm values of the Kyma Environment Broker (KEB) mean for this provider: the rule set, the limits of
// accounts, and the plans that are on. It reads values of any age: the list hap.rule, and the four properties that came before it.
//
// Sources: the chart resources/keb of the broker and what its code makes of it (common/hyperscaler/rules, common/hyperscaler/multiaccount);
// ADR 001, ADR 003, ADR 006.
package kebvalues
