package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// InstanceRow is a row of the broker's table: one cluster.
type InstanceRow struct {
	// ID is the key. Empty: some unique one.
	ID string
	// GlobalAccount is whose cluster it is now, and SubscriptionGlobalAccount whose it was when it was made; empty in old
	// rows.
	GlobalAccount, SubscriptionGlobalAccount string
	// Account is the name of the account that the cluster lies on; empty where the broker does not know it (yet).
	Account string
	// RuntimeID names the cluster for the rest of the landscape.
	RuntimeID string
	// Plan is the name of the service plan. Empty: aws.
	Plan string
	// Suspended rows are those of expired trials: the cluster is gone or going, the row stays.
	Suspended bool
	// Deleted rows are kept for a while after the cluster is gone.
	Deleted bool
	// Parameters replaces the JSON that the broker keeps of the request, for example by something malformed.
	Parameters *string
}

// instanceColumns are those that a row fills; the others have defaults.
const instanceColumns = "instance_id, runtime_id, global_account_id, subscription_global_account_id, " +
	"subscription_secret_name, service_id, service_plan_id, service_plan_name, dashboard_url, sub_account_id, provider, " +
	"provisioning_parameters, deleted_at"

const (
	neverDeleted = "0001-01-01 00:00:00+00"
	onceDeleted  = "2025-01-01 00:00:00+00"
)

// Insert adds rows.
func (d *Database) Insert(t testing.TB, rows ...InstanceRow) {
	t.Helper()
	if err := d.InsertRows(t.Context(), rows...); err != nil {
		t.Fatal(err)
	}
}

// InsertRows is Insert for programs.
func (d *Database) InsertRows(ctx context.Context, rows ...InstanceRow) error {
	reader, writer := io.Pipe()
	go func() {
		_, err := fmt.Fprintf(writer, "COPY instances (%s) FROM STDIN;\n", instanceColumns)
		for i := 0; i < len(rows) && err == nil; i++ {
			_, err = io.WriteString(writer, d.copyLine(rows[i]))
		}
		if err == nil {
			_, err = io.WriteString(writer, "\\.\n")
		}
		_ = writer.CloseWithError(err)
	}()
	defer func() { _ = reader.Close() }() // ends the writer if psql did not read it all
	return d.run(ctx, reader)
}

// copyLine is a row in the text format of COPY.
func (d *Database) copyLine(row InstanceRow) string {
	if row.ID == "" {
		row.ID = fmt.Sprintf("instance-%d", d.rows.Add(1))
	}
	if row.Plan == "" {
		row.Plan = "aws"
	}
	deleted := neverDeleted
	if row.Deleted {
		deleted = onceDeleted
	}
	parameters := instanceParameters(row)
	if row.Parameters != nil {
		parameters = *row.Parameters
	}
	values := []string{
		row.ID, row.RuntimeID, row.GlobalAccount, row.SubscriptionGlobalAccount, row.Account, "service", "plan", row.Plan,
		"https://dashboard.example.com/?id=" + row.ID, "subaccount", "AWS", parameters, deleted,
	}
	for i, value := range values {
		values[i] = copyEscape.Replace(value)
	}
	return strings.Join(values, "\t") + "\n"
}

var copyEscape = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// instanceParameters is what the broker keeps of the request.
func instanceParameters(row InstanceRow) string {
	type object map[string]any
	content, err := json.Marshal(object{
		"plan_id":           "plan",
		"service_id":        "service",
		"platform_region":   "cf-eu10",
		"platform_provider": "AWS",
		"ers_context": object{
			"tenant_id": "tenant", "subaccount_id": "subaccount", "globalaccount_id": row.GlobalAccount,
			"user_id": "user@example.com", "active": !row.Suspended,
		},
		"parameters": object{"name": row.ID, "region": "eu-central-1", "machineType": "m6i.large", "autoScalerMin": 3},
	})
	if err != nil {
		panic(err) // strings, numbers and truths
	}
	return string(content)
}

// FillOptions say what [Database.Fill] makes.
type FillOptions struct {
	// Rows is how many.
	Rows int
	// Accounts and GlobalAccounts is over how many accounts and Global Accounts the rows are spread. Default: 100 and 10.
	Accounts, GlobalAccounts int
	// Account and GlobalAccount are what the names begin with; a number from 0 follows. Default: account- and ga-.
	Account, GlobalAccount string
	// ParametersBytes is the least size of provisioning_parameters. Default: 1000.
	ParametersBytes int
}

// Fill makes many rows within the server; a tenth of them is suspended, and another tenth is deleted.
func (d *Database) Fill(ctx context.Context, options FillOptions) error {
	if options.Rows < 0 || options.Accounts < 0 || options.GlobalAccounts < 0 {
		return errors.New("no number of Fill may be negative")
	}
	setNumber(&options.Accounts, 100)
	setNumber(&options.GlobalAccounts, 10)
	setNumber(&options.ParametersBytes, 1000)
	setText(&options.Account, "account-")
	setText(&options.GlobalAccount, "ga-")
	sql := fmt.Sprintf(`
INSERT INTO instances (%[1]s)
SELECT 'filled-' || i, 'runtime-' || i, owner, owner, %[2]s || i %% %[3]d, 'service', 'plan', 'aws',
	'https://dashboard.example.com/?id=' || i, 'subaccount', 'AWS',
	format('{"plan_id":"plan","service_id":"service","ers_context":{"globalaccount_id":"%%s","active":%%s},'
		|| '"parameters":{"name":"%%s","kubeconfig":"%%s"}}',
		owner, CASE WHEN i %% 10 = 1 THEN 'false' ELSE 'true' END, i, repeat('x', %[4]d)),
	CASE WHEN i %% 10 = 2 THEN timestamptz '%[5]s' ELSE timestamptz '%[6]s' END
FROM (SELECT i, %[7]s || i %% %[8]d AS owner FROM generate_series(0, %[9]d - 1) AS i) AS numbers;
ANALYZE instances;
`, instanceColumns, literal(options.Account), options.Accounts, options.ParametersBytes, onceDeleted, neverDeleted,
		literal(options.GlobalAccount), options.GlobalAccounts, options.Rows)
	return d.run(ctx, strings.NewReader(sql))
}

func setNumber(value *int, otherwise int) {
	if *value == 0 {
		*value = otherwise
	}
}

func setText(value *string, otherwise string) {
	if *value == "" {
		*value = otherwise
	}
}
