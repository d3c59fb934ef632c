// Command schemacheck compares the schema of two versions of the provider, as `providers schema -json` prints it, and lists what would
// break the configurations and states of the first:
//
//	schemacheck before.json after.json
//
// Its exit code is 1 where there is anything, and 2 where a file cannot be read.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	tfjson "github.com/hashicorp/terraform-json"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: schemacheck before.json after.json")
		os.Exit(2)
	}
	var schemas [2]*tfjson.ProviderSchema
	for i, name := range os.Args[1:] {
		schema, err := read(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "schemacheck:", err)
			os.Exit(2)
		}
		schemas[i] = schema
	}
	losses := compare(schemas[0], schemas[1])
	for _, loss := range losses {
		fmt.Println(loss)
	}
	if len(losses) > 0 {
		os.Exit(1)
	}
	fmt.Println("configurations and states of the version before fit the schema")
}

// read reads the schema of the only provider in a file.
func read(name string) (*tfjson.ProviderSchema, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the file that the caller names
	if err != nil {
		return nil, err
	}
	var all tfjson.ProviderSchemas
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s is no output of `providers schema -json`: %w", name, err)
	}
	if len(all.Schemas) != 1 {
		return nil, fmt.Errorf("%s has the schemas of %d providers, not of one", name, len(all.Schemas))
	}
	for _, schema := range all.Schemas {
		return schema, nil
	}
	return nil, nil
}
