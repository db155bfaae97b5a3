"""An index in shards: built and searched in parts, with the rankings of the whole to the last bit.

The corpus is dealt out in blocks, as cards are, so that all shards grow at once while it is read once. A shard's words
are weighted by the counts of the whole corpus, and its vectors are made in the same batches as on one machine. A query
goes to every shard, and what they find is merged by score and by place in the corpus.

    layout      where a passage is, and what the manifest says
    shard       one part: built, opened, searched
    building    a corpus dealt out to builders, here or elsewhere
    index       the whole as a retriever
    on_ray      builders and shards as actors of a Ray cluster
    ray_cluster the cluster, joined for a while
"""
