"""Asks the questions of a run: in this process, or through workers elsewhere that it hands them to.

The process that was given the run keeps everything: the journal, the bill, the kept answers, whose turn it is to ask
what others ask as well, and the limit on calls. A worker answers questions, and says in messages what it needs and what
it did. So a run is the same with any number of workers, and what one of them paid for before it died is not paid again.

    asking           the seam: an asker, here or elsewhere
    job              what a worker has to have in order to answer
    serving          what runs in a worker
    remote_ledger    the bill and the kept answers as a worker sees them
    worker           the way to a worker: what a cluster, or anything else that runs processes, has to offer
    worker_session   one worker, seen from the run
    worker_pool      all of them: who gets which question, and what becomes of it when a worker dies
    on_ray           workers on a Ray cluster
    in_processes     workers on this machine
"""
