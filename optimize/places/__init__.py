"""The places where programs are shared: a repository on the hub, or a folder laid out like one."""
