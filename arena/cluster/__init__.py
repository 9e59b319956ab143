"""Executors on other machines, by Dask: what is sent there, what is done there, and what comes back."""
