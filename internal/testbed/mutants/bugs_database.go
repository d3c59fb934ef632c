package main

// databaseMutants are bugs in the way to the broker's database.
var databaseMutants = []Mutant{
	{
		Name: "answer-awaited-for-long", What: "A query to a database that does not answer goes on long after its timeout.",
		File: "internal/kebdb/read.go", Tests: databaseTests("TestF12EndsInTimeWhateverTheServerDoes"), Acceptance: true,
		Old: `limit := d.connect + d.query`, New: `patient := *d
	patient.query *= 20
	d = &patient
	limit := d.connect + d.query`,
	},
	{
		Name: "half-an-answer-counts", What: "A count of rows that breaks off stands with the rows that have come.",
		File: "internal/kebdb/database.go", Tests: databaseTests("TestF12SlowLine"), Acceptance: true,
		Old: `	if err != nil {
		return pool.Counts{}, err
	}
	return counts, nil`, New: `	if err != nil && groups == 0 {
		return pool.Counts{}, err
	}
	return counts, nil`,
	},
}

func databaseTests(names string) Tests {
	return Tests{Package: "internal/kebdb", Run: "^(" + names + ")$"}
}
