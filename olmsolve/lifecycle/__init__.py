"""What OLM would do on a cluster: install plans, simulation until the cluster is at rest, metrics."""
