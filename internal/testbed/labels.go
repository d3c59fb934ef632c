package testbed

// The labels of an account, and what the annotation keys of claim records begin with.
const (
	LabelType     = "hyperscalerType"
	LabelEUAccess = "euAccess"
	LabelTenant   = "tenantName"
	LabelDirty    = "dirty"
	LabelShared   = "shared"
	LabelInternal = "internal"
	RecordPrefix  = "hap-project.io/claim-"
	// LabelTrue is the value of a label that says yes.
	LabelTrue = "true"
)
