"""Builds and asks hnswlib and usearch on the vectors that `go run ./internal/peers data` wrote. One thread.

    peers.py truth DIR SET              the exact ten nearest, to SET.truth.ivecs
    peers.py build DIR SET PEER         an index to SET.PEER.index; prints {"cpu_s", "bytes_per_vector"}
    peers.py ask DIR SET PEER EF...     prints a list of {"ef", "recall", "queries_per_cpu_s"}

PEER is hnswlib, usearch (float32) or usearch-i8. Times are processor time of the whole process.
"""

import json
import os
import sys
import time

import numpy

K, M, EF_BUILD = 10, 16, 200


def read(path, kind):
    words = numpy.fromfile(path, dtype=numpy.int32)
    return words.reshape(-1, words[0] + 1)[:, 1:].copy().view(kind)


def truth(base, queries, path):
    ids = []
    for at in range(0, len(queries), 100):
        similarity = queries[at : at + 100] @ base.T
        near = numpy.argpartition(-similarity, K, axis=1)[:, :K]
        order = numpy.argsort(-numpy.take_along_axis(similarity, near, axis=1), axis=1)
        ids.append(numpy.take_along_axis(near, order, axis=1))
    rows = numpy.concatenate(ids).astype(numpy.int32)
    numpy.insert(rows, 0, K, axis=1).tofile(path)


class Hnswlib:
    def __init__(self, dim):
        import hnswlib

        self.index = hnswlib.Index(space="ip", dim=dim)

    def build(self, base):
        self.index.init_index(max_elements=len(base), M=M, ef_construction=EF_BUILD, random_seed=1)
        self.index.add_items(base, num_threads=1)

    def save(self, path):
        self.index.save_index(path)

    def load(self, path):
        self.index.load_index(path)

    def ask(self, queries, ef):
        self.index.set_ef(ef)
        return self.index.knn_query(queries, k=K, num_threads=1)[0]


class Usearch:
    kind = "f32"

    def __init__(self, dim):
        from usearch.index import Index

        self.index = Index(ndim=dim, metric="cos", dtype=self.kind, connectivity=M, expansion_add=EF_BUILD)

    def build(self, base):
        self.index.add(numpy.arange(len(base)), base, threads=1)

    def save(self, path):
        self.index.save(path)

    def load(self, path):
        self.index.load(path)

    def ask(self, queries, ef):
        self.index.expansion_search = ef
        return self.index.search(queries, K, threads=1).keys


class UsearchI8(Usearch):
    kind = "i8"


PEERS = {"hnswlib": Hnswlib, "usearch": Usearch, "usearch-i8": UsearchI8}


def build(peer, base, path):
    started = time.process_time()
    peer.build(base)
    spent = time.process_time() - started
    peer.save(path)
    print(json.dumps({"cpu_s": spent, "bytes_per_vector": os.path.getsize(path) / len(base)}))


def ask(peer, queries, want, widths):
    points = []
    for ef in widths:
        peer.ask(queries[:100], ef)
        started = time.process_time()
        got = peer.ask(queries, ef)
        spent = time.process_time() - started
        found = sum(len(numpy.intersect1d(g, w)) for g, w in zip(got, want))
        points.append({"ef": ef, "recall": found / want.size, "queries_per_cpu_s": len(queries) / spent})
    print(json.dumps(points))


def main(verb, folder, name, *rest):
    path = os.path.join(folder, name)
    base = lambda: read(path + ".base.fvecs", numpy.float32)
    queries = read(path + ".query.fvecs", numpy.float32)
    if verb == "truth":
        return truth(base(), queries, path + ".truth.ivecs")
    peer = PEERS[rest[0]](queries.shape[1])
    index = f"{path}.{rest[0]}.index"
    if verb == "build":
        return build(peer, base(), index)
    peer.load(index)
    ask(peer, queries, read(path + ".truth.ivecs", numpy.int32), [int(ef) for ef in rest[1:]])


main(*sys.argv[1:])
