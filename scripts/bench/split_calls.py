"""Times the same work on one small module in three ways: in this process, through the split, and through RPyC.

    python3 -I -B split_calls.py READ_FD WRITE_FD ROUNDS

Runs where examiners run, linked to a ../../graders/split/host.py that has tiny.py as its artifact; a copy of tiny.py lies
beside this file. Prints {"rpyc": version | null, "rows": [{"way", "work", "n", "p50Ms", "p95Ms", "perSecond", "cpuMs"}]}:
of each round its median, its 95th percentile and its calls a second, and of those the medians over all rounds. `cpuMs` is
the CPU time of both processes for one call, the mean over all rounds since that clock may be coarse.
"""

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = "/proctor"
PATIENCE_S = 60
# what is too short for the clock is timed in batches, of which a sample is the mean
BATCH = {"in-process": 1000, "split": 1, "RPyC": 1}
SAMPLES = {"iterate a generator of 1,000 items": 8}
MOST_SAMPLES = 400


def works(tiny):
    """One call of each kind and what it must give."""
    add, total, apply, fail, count = tiny.add, tiny.total, tiny.apply, tiny.fail, tiny.count
    box = tiny.Box(5)
    items = list(range(10))

    def iterate():
        result = 0
        for item in count(1000):
            result += item
        return result

    def catch():
        try:
            fail("no")
        except ValueError:
            return "caught"

    def plus_one(value):
        return value + 1

    return {
        "plain call": (lambda: add(1, 2), 3),
        "method call": (lambda: box.plus(2), 7),
        "call with a list of 10": (lambda: total(items), 45),
        "attribute read": (lambda: box.size, 5),
        "iterate a generator of 1,000 items": (iterate, 499_500),
        "exception raised and caught": (catch, "caught"),
        "call with a callback": (lambda: apply(plus_one, 1), 2),
    }


def split_module(read_end, write_end):
    """The artifact's module through the split, and what keeps the link's patience."""
    sys.path[0:1] = [os.path.join(TOOLS, name) for name in ("pytest", "split", "wire")]
    from proctor_pytest.examiner_peer import ExaminerPeer
    from proctor_pytest.finder import ArtifactFinder
    from proctor_split.link import Link

    peer = ExaminerPeer(HERE, Link(read_end, write_end))

    def renew():
        peer.link.deadline = peer.link.clock() + PATIENCE_S

    renew()
    sys.meta_path.insert(0, ArtifactFinder(peer, ["tiny"]))
    import tiny

    sys.meta_path.pop(0)
    del sys.modules["tiny"]
    return tiny, renew


def rpyc_module():
    """The same module in a second process, by a classic connection over two pipes; (None, None) without RPyC."""
    try:
        import rpyc
        from rpyc.core.stream import PipeStream
    except ImportError:
        return None, None
    there_read, here_write = os.pipe()
    here_read, there_write = os.pipe()
    ends = [there_read, there_write]
    command = [sys.executable, "-I", "-B", os.path.abspath(__file__), "serve", *map(str, ends)]
    subprocess.Popen(command, pass_fds=ends, stdin=subprocess.DEVNULL)
    for end in ends:
        os.close(end)
    stream = PipeStream(os.fdopen(here_read, "rb", 0), os.fdopen(here_write, "wb", 0))
    connection = rpyc.connect_stream(stream, rpyc.ClassicService)
    version = ".".join(map(str, rpyc.version.version))
    return connection.modules["tiny"], version


def serve_rpyc(read_end, write_end):
    """The second process."""
    import rpyc
    from rpyc.core.stream import PipeStream

    sys.path.insert(0, HERE)
    stream = PipeStream(os.fdopen(read_end, "rb", 0), os.fdopen(write_end, "wb", 0))
    rpyc.connect_stream(stream, rpyc.ClassicService).serve_all()


def time_round(call, expected, samples, batch):
    """The milliseconds of each sample, sorted, and of all together."""
    clock, repeat = time.perf_counter_ns, range(batch)
    taken = []
    for _ in range(samples):
        started = clock()
        for _ in repeat:
            result = call()
        taken.append((clock() - started) / batch / 1e6)
        if result != expected:
            raise SystemExit("gave %r instead of %r" % (result, expected))
    return sorted(taken), sum(taken)


def measure(way, module, work, rounds):
    """One round of one work done in one way; keeps its figures in `rounds`."""
    call, expected = works(module)[work]
    samples = SAMPLES.get(work, MOST_SAMPLES)
    call()
    cpu = module.cpu if way != "in-process" else float
    before = cpu() + time.process_time()
    taken, total = time_round(call, expected, samples, BATCH[way])
    spent = cpu() + time.process_time() - before
    rounds.append({
        "n": samples * BATCH[way],
        "cpuS": spent,
        "p50Ms": taken[len(taken) // 2],
        "p95Ms": taken[int(len(taken) * 0.95)],
        "perSecond": samples / total * 1000,
    })


def row(work, way, rounds):
    """All rounds of one work done in one way."""
    calls = sum(figures["n"] for figures in rounds)
    middle = {key: statistics.median(figures[key] for figures in rounds) for key in ("p50Ms", "p95Ms", "perSecond")}
    return {"work": work, "way": way, "n": calls, **middle, "cpuMs": sum(figures["cpuS"] for figures in rounds) * 1000 / calls}


def main():
    read_end, write_end, rounds = map(int, sys.argv[1:4])
    sys.path.insert(0, HERE)
    import tiny as here

    del sys.modules["tiny"]
    there, renew = split_module(read_end, write_end)
    by_rpyc, version = rpyc_module()
    modules = {"in-process": here, "split": there, **({} if by_rpyc is None else {"RPyC": by_rpyc})}
    found = {}
    for _ in range(rounds):
        for work in works(here):
            for way, module in modules.items():
                renew()
                measure(way, module, work, found.setdefault((work, way), []))
    rows = [row(work, way, kept) for (work, way), kept in found.items()]
    json.dump({"rpyc": version, "rows": rows}, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # RPyC's process ends with its pipes


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve_rpyc(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
