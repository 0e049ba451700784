"""The HTTP API: thin views, one file a resource. A view says who, what comes in, what goes out, and calls one use case."""
