"""Pure rules: the kernel, chance, the registry, and one folder a ruleset. Standard library and errors only."""
