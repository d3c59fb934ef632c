package diagnose

import (
	"errors"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
)

// explainCredentials says what an error means that only reading credentials can give.
func explainCredentials(err error) (explanation, bool) {
	var (
		notSecret *garden.NotSecretError
		notFound  *garden.SecretNotFoundError
	)
	switch {
	case errors.As(err, &notSecret):
		return explanation{SummaryNotSecret, nil, "Only a Secret holds credentials that can be read. A WorkloadIdentity stands for tokens that Gardener issues to its own components: " +
			"have the pipeline federate with the cloud provider itself, or use an account whose credentials are a Secret."}, true
	case errors.As(err, &notFound):
		return explanation{SummarySecretNotFound, nil, fmt.Sprintf("The account may have been removed halfway: check its credentialsRef, and whether the Secret is in namespace %q.", notFound.Ref.Namespace)}, true
	}
	return explanation{}, false
}
