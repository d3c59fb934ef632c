// Package local has what the servers and proxies of the testbed need of this machine: free ports, certificates, a watchdog
// that ends programs whose parent is gone, bounded waiting, and the folder of the repository.
package local
