package postgres

import "github.com/hap-project/terraform-provider-hap/internal/testbed/local"

// guardScript differs from the watchdog's in how it ends the server. The children of PostgreSQL lead groups of
// their own, and a server that is killed leaves them and a piece of shared memory behind. SIGQUIT is its shutdown without
// good order: at once, and with nothing left.
const guardScript = `
trap '' HUP INT TERM
dir=$1

# Blocks until the other end of the pipe is closed: by us, or by the kernel once we are gone.
while read -r _; do :; done

# A server that is only starting now finds no place for its pid and gives up.
mv "$dir/pids" "$dir/ended" 2>/dev/null

# The pid may belong to another program by now: both programs of ours have the folder in their arguments. One that has ended
# and only waits to be collected has none.
ours() {
	if [ -r "/proc/$1/cmdline" ]; then arguments=$(tr '\0' ' ' <"/proc/$1/cmdline"); else arguments=$(ps -ww -o command= -p "$1"); fi
	case $arguments in *"$dir"*) return 0 ;; esac
	return 1
}
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

# A child that is just ending may still finish a write.
tries=0
while [ -e "$dir" ] && [ "$tries" -lt 100 ]; do
	rm -rf "$dir" 2>/dev/null
	[ -e "$dir" ] && sleep 0.1
	tries=$((tries + 1))
done
`

// startGuard starts the watchdog of a server in a folder.
func startGuard(dir string) (*local.Watchdog, error) {
	return local.Guard(dir, "hap-testbed-postgres-guard", guardScript)
}
