// Package kubeconn turns connection settings into a client-go configuration: attributes of the provider block first,
// environment variables after them, and then nothing. It reads files, it never dials, and it never guesses: no
// localhost, no in-cluster account, no KUBECONFIG. What it cannot resolve is an error that carries the attribute at
// which to report it, and no error and no printed value shows a secret.
//
// # What beats what
//
// Each attribute that is unset takes its environment variable, except where that would let the environment contradict
// an attribute. An attribute beats the environment as a group:
//
//   - A kubeconfig named by an attribute (config_path, config_paths, config_raw) is complete: it says the server, its
//     TLS settings and the credentials. Of the environment only KUBE_CTX, KUBE_CTX_AUTH_INFO, KUBE_CTX_CLUSTER and
//     HAP_NAMESPACE are read beside it. A token that was exported for another provider never reaches this server.
//   - A host named by an attribute means that host and no kubeconfig of the environment: KUBE_CONFIG_PATH,
//     KUBE_CONFIG_PATHS and the KUBE_CTX variables are not read. Credentials and TLS settings still come from the
//     environment where the attributes name none.
//   - Credentials come in kinds: token; username and password; client_certificate and client_key; exec. With one kind
//     named by attributes, the environment may complete that kind (KUBE_PASSWORD for username), never add another.
//   - config_context, config_context_auth_info and config_context_cluster go together: with one of them named by an
//     attribute, the variables of the others are not read.
//   - insecure = true as an attribute switches KUBE_CLUSTER_CA_CERT_DATA off, and cluster_ca_certificate as an
//     attribute switches KUBE_INSECURE off.
//   - KUBE_CONFIG_PATH beats KUBE_CONFIG_PATHS, as in hashicorp/kubernetes.
//
// # Overrides
//
// As in hashicorp/kubernetes, what is set beside a kubeconfig overrides what the kubeconfig says: host, tls_server_name,
// proxy_url, insecure and cluster_ca_certificate one by one. Credentials override the kubeconfig's user as a whole, so
// that a request never carries two identities (a kube-apiserver would take the certificate and ignore the token).
//
// Missing files of config_paths are errors, although kubectl skips them: a list that silently lost its first file
// selects another context, and so perhaps another landscape.
package kubeconn
