"""An index in shards: built and searched in parts, with the rankings of the whole to the last bit.

A block of the corpus goes to each shard in turn, so that all shards grow at once while it is read once. A shard's words
are weighted by the counts of the whole corpus, and its vectors are made in the same batches as on one machine. A query
goes to every shard, and their hits are merged by score and by position in the corpus.

    layout      the manifest, and the place of each passage
    shard       one part: built, opened, searched
    building    a corpus dealt out to builders, in this process or elsewhere
    index       the whole as a retriever
    on_ray      builders and shards as actors of a Ray cluster
    ray_cluster the cluster, joined for a while
"""
