// Package assets finds etcd, kube-apiserver and kubectl among the programs that this machine has for the tests of other projects: in
// KUBEBUILDER_ASSETS, or in the store of setup-envtest. A program of the pinned minor version is taken, and need not be built.
package assets
