package kebdb

import (
	"fmt"
	"strings"
)

// columns of the table instances that are read.
var columns = []string{
	"instance_id", "global_account_id", "subscription_global_account_id", "subscription_secret_name", "provisioning_parameters", "deleted_at",
}

// reads says what is read of the table, for messages.
var reads = "columns " + strings.Join(columns, ", ") + " of table instances"

// viewName is the view that examples/rbac/database.sql makes. It shows what is counted and nothing else: a role that may read it needs no
// right on the broker's table, and sees no parameters.
const viewName = "hap.clusters"

// alive is how the broker marks a row that is not deleted.
const alive = `deleted_at = timestamptz '0001-01-01 00:00:00+00'`

// Parts of the regular expression below: a text of JSON, and what an object or array holds besides brackets and texts.
const (
	quoted = `"(?:[^"\\]|\\.)*"`
	plain  = `[^][{}"]`
)

// members matches what an object holds before the member that is searched: objects and arrays up to five deep.
var members = `(?:` + plain + `|` + quoted + `|` + nested(5) + `)*`

func nested(deep int) string {
	inner := plain + `|` + quoted
	if deep > 1 {
		inner += `|` + nested(deep-1)
	}
	return `[[{](?:` + inner + `)*[]}]`
}

// suspended is true where provisioning_parameters holds {"ers_context": {"active": false}}. Parameters are large, so the server searches
// them; and they are text, in which a cast to JSON would let one malformed row fail the whole count. So it is a regular expression. Two
// cheaper tests come first, and most rows do not pass them. PostgreSQL finds a text several times faster than a pattern, and the broker
// writes "active":false without blanks. What cannot be read is not suspended.
var suspended = `case
			when strpos(provisioning_parameters, 'false') = 0 then false
			when strpos(provisioning_parameters, '"active":false') = 0 and provisioning_parameters !~ '"active"\s*:\s*false' then false
			else provisioning_parameters ~ '^\s*\{` + members + `"ers_context"\s*:\s*\{` + members + `"active"\s*:\s*false\M'
		end`

// maxGroups bounds how many rows the answer to a count may have, and so the memory that it takes.
const maxGroups = 250_000

// source is where the live rows are read, each with its instance_id, the account, the owner of the cluster, and whether it is suspended.
type source string

// table reads them from the broker's table; the function in examples/rbac/database.sql says the same.
var table = source(`(
	select instance_id, coalesce(subscription_secret_name, '') as account,
		coalesce(nullif(subscription_global_account_id, ''), global_account_id, '') as owner,
		coalesce(` + suspended + `, false) as suspended
	from instances
	where ` + alive + `
)`)

// view reads them from the view.
const view = source(viewName)

// count counts the live rows by account, owner and whether they are suspended. Rows without an account are counted as one group.
func (s source) count() string {
	return `
select account, case when account = '' then '' else owner end, suspended, count(*)
from ` + string(s) + ` as live
group by 1, 2, 3
limit ` + fmt.Sprint(maxGroups+1)
}

// users lists the live rows of some accounts and says how many there are in all.
func (s source) users() string {
	return `
select instance_id, count(*) over ()
from ` + string(s) + ` as live
where account = any($1::text[])
order by instance_id
limit 1000`
}

// viewQuery asks whether there is the view, for this role.
const viewQuery = `
select exists (
	select from pg_catalog.pg_class as relation
	join pg_catalog.pg_namespace as schema on schema.oid = relation.relnamespace
	where schema.nspname || '.' || relation.relname = '` + viewName + `' and relation.relkind = 'v'
		and has_schema_privilege(schema.oid, 'USAGE') and has_table_privilege(relation.oid, 'SELECT')
)`

// columnsQuery asks which of the columns the table has, and which of those the role may read; no row, if there is no
// table that the role can see.
const columnsQuery = `
select wanted.name, present.attnum is not null, coalesce(has_column_privilege(seen.oid, present.attnum, 'SELECT'), false)
from unnest($1::text[]) with ordinality as wanted (name, number)
cross join (select to_regclass('instances')::oid as oid) as seen
left join pg_catalog.pg_attribute as present
	on present.attrelid = seen.oid and present.attname = wanted.name and not present.attisdropped
where seen.oid is not null
order by wanted.number`
