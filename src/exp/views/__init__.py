"""What a person looks at: the end-of-run table and the report."""
