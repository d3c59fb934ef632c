// Package kube is what every adapter over a Kubernetes API shares. [Settings] become a [Connection], a connection becomes
// a [Client], and a client reads in pages, retries reads, sends writes once and classifies failures by a [Reason]. The
// package knows neither accounts nor Shoots, and one process may have several connections, each at its own [Place].
//
// # Settings
//
// A setting is given, else it comes from the environment, else it is unset: neither localhost nor the service account of a
// pod nor KUBECONFIG is tried. Resolving reads files and never dials. No error and no printed value shows a
// secret.
//
// What is given beats the environment as a group:
//
//   - A given kubeconfig (config_path, config_paths, config_raw) is complete. Of the environment only the choice of a context,
//     the namespace, and the proxy where the kubeconfig names none are read beside it: a token that was exported for another provider never
//     reaches its server.
//   - A given host means that host and no kubeconfig of the environment. Credentials and TLS settings still come from there.
//   - Credentials come in kinds: token; username and password; client_certificate and client_key; exec. The environment may
//     complete the kind that is given, never add another.
//   - config_context, config_context_auth_info and config_context_cluster go together.
//   - insecure = true switches the CA of the environment off, and cluster_ca_certificate switches its insecure off.
//   - The variable of config_path beats that of config_paths, as in hashicorp/kubernetes.
//
// What is set beside a kubeconfig overrides what the kubeconfig says, setting by setting. Credentials replace its user as a
// whole: a request that carried two identities would be taken for the certificate's.
//
// A missing file of config_paths is an error, although kubectl passes over it: a list that silently lost its first file
// selects another context, and so perhaps another landscape.
package kube
