"""RQ jobs (which take ids and call one use case), the worker process and the relay. No SQL, no rules."""
