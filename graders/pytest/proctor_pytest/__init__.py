"""Hidden pytest suites in the examiner: see ../run_suite.py."""
