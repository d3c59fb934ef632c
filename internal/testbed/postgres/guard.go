package postgres

import "github.com/hap-project/terraform-provider-hap/internal/testbed/local"

// guardScript differs from the watchdog's in how it ends the server. The children of PostgreSQL lead groups of
// their own, and a server that is killed leaves them and a piece of shared memory behind. SIGQUIT is its shutdown without
// good order: at once, and with nothing left.
const guardScript = `
for entry in "$dir"/ended/*; do
	pid=${entry##*/}
	# Ended at once, initdb would leave shared memory behind without a trace: it takes a second or two.
	tries=0
	while [ "$tries" -lt 100 ] && ours "$pid" 2>/dev/null; do
		case $arguments in */initdb\ *) sleep 0.1 ;; *) break ;; esac
		tries=$((tries + 1))
	done
	# To the group, so that what a program runs for itself goes too.
	ours "$pid" 2>/dev/null && { kill -s QUIT -- "-$pid" || kill -s QUIT "$pid"; } 2>/dev/null
	tries=0
	while [ "$tries" -lt 160 ] && ours "$pid" 2>/dev/null; do
		sleep 0.05
		tries=$((tries + 1))
	done
	ours "$pid" 2>/dev/null && { kill -s KILL -- "-$pid" || kill -s KILL "$pid"; } 2>/dev/null
done

# A server that was killed, or ended in its first moments, leaves shared memory behind, and its number here.
segment=$(sed -n '7s/.* //p' "$dir/data/postmaster.pid" 2>/dev/null)
[ -n "$segment" ] && ipcrm -m "$segment" 2>/dev/null
`

// startGuard starts the watchdog of a server in a folder.
func startGuard(dir string) (*local.Watchdog, error) {
	return local.Guard(dir, "hap-testbed-postgres-guard", guardScript)
}
