"""Asks the questions of a run: in this process, or through workers elsewhere that it hands them to.

The process that was given the run keeps all books: the journal, the bill, the kept answers, whose turn it is to ask
what others ask as well, and the limit on calls. A worker answers questions, and says in messages what it needs and what
it did. So a run is the same with any number of workers, and what one of them paid for before it died is not paid again.

    job           what a worker has to have in order to answer
    asking        the seam: an asker, here or elsewhere
    serving       what runs in a worker
    far_books     the books as a worker sees them
    worker        the way to a worker: what a cluster, or anything else that runs processes, has to offer
    mate          one worker, seen from the run
    crew          all of them: who gets which question, and what becomes of it when a worker dies
    on_ray        workers on a Ray cluster
    in_processes  workers on this machine
"""
