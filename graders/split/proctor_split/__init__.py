"""Objects of one process used from another, over plain frames: the examiner's half and the candidate's half are the same code.

The examiner holds hidden tests and runs nothing of the candidate's; the candidate runs the artifact and sees nothing hidden.
What crosses is plain values by exact type, and references. Neither side ever unpickles, sources or evaluates what it reads.
Standard library only, Python 3.9 to 3.13.
"""
