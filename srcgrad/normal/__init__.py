"""Normal form: one operation per statement, structured exits, one web per name."""
