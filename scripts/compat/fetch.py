#!/usr/bin/python3
"""Fetch the real-world packages of packages.json and lay them out for grading.

    /usr/bin/python3 scripts/compat/fetch.py [--cache DIR] [NAME ...]

For each package `<cache>/<name>/artifact/` then holds the package under test
only and `<cache>/<name>/tests/` its test suite only. Archives are taken by
name and pinned version with pip, their sha256 is checked by pip before it
looks inside and by this program afterwards, and they are kept in
`<cache>/archives/`. A second run changes nothing and needs no network.
"""

import argparse
import hashlib
import json
import os
import pathlib
import posixpath
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_CACHE = HERE.parent.parent / ".cache" / "compat"
LAYOUT = 1  # raise when the same packages.json is to be laid out differently
MAX_FILES = 20_000
MAX_BYTES = 200 * 1024 * 1024
UNREACHED = (
    "Temporary failure in name resolution",
    "Name or service not known",
    "Network is unreachable",
    "Connection refused",
    "Connection reset",
    "NewConnectionError",
    "ConnectTimeoutError",
    "Max retries exceeded",
    "Read timed out",
)


class Problem(Exception):
    """A failure that is told in one line, without a traceback."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def load_packages(names=()):
    """The entries of packages.json, all or those named, in file order."""
    packages = json.loads((HERE / "packages.json").read_text("utf-8"))["packages"]
    unknown = set(names) - {entry["name"] for entry in packages}
    if unknown:
        raise Problem(f"unknown package: {', '.join(sorted(unknown))}")
    return [entry for entry in packages if not names or entry["name"] in names]


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def archive_path(cache, entry):
    return cache / "archives" / f"{entry['name']}-{entry['version']}.tar.gz"


def download(cache, entry):
    """The path of the entry's archive, its sha256 checked."""
    path = archive_path(cache, entry)
    if path.is_file():
        if sha256_of(path) == entry["sha256"]:
            return path
        say(f"{entry['name']}: the kept archive has another sha256, fetching it again")
        path.unlink()
    if entry["fetch"] != "pypi sdist":
        raise Problem(f"{entry['name']}: unknown way to fetch: {entry['fetch']!r}")
    say(f"{entry['name']}: fetching {entry['version']}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        wanted = pathlib.Path(folder, "wanted.txt")
        wanted.write_text(f"{entry['name']}=={entry['version']} --hash=sha256:{entry['sha256']}\n")
        got = pathlib.Path(folder, "got")
        command = [
            sys.executable, "-m", "pip", "--disable-pip-version-check", "download",
            "--quiet", "--no-input", "--no-deps", "--no-binary", entry["name"],
            "--require-hashes", "-r", str(wanted), "-d", str(got),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=300,
                stdin=subprocess.DEVNULL, cwd=folder,
            )
        except subprocess.TimeoutExpired:
            raise Problem(f"no network: {entry['name']}: pip did not finish in 300 s") from None
        if done.returncode:
            raise Problem(explain(entry, done.stderr))
        files = [found for found in got.iterdir() if found.name.endswith(".tar.gz")]
        if len(files) != 1:
            raise Problem(f"{entry['name']}: expected one .tar.gz, pip left {len(files)}")
        found = sha256_of(files[0])
        if found != entry["sha256"]:
            raise Problem(f"{entry['name']}: sha256 is {found}, not {entry['sha256']}")
        os.replace(files[0], path)
    return path


def explain(entry, text):
    """One line about why pip failed."""
    if "No module named pip" in text:
        return "pip is missing: install the Debian package python3-pip"
    if any(sign in text for sign in UNREACHED):
        return f"no network: {entry['name']}: pip could not reach the package index"
    if "DO NOT MATCH THE HASHES" in text:
        return f"{entry['name']}: the index served an archive whose sha256 is not the pinned one"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")] or lines or ["no output"]
    return f"{entry['name']}: pip failed: {errors[-1]}"


def members(archive, entry):
    """(path below the archive's one top folder, member) of each regular file."""
    tops, files, size = set(), [], 0
    for member in archive:
        name = member.name
        parts = name.split("/")
        if name.startswith("/") or "\\" in name or "\0" in name or ".." in parts:
            raise Problem(f"{entry['name']}: unsafe path in the archive: {name!r}")
        path = posixpath.normpath(name)
        if path == ".":
            continue
        top, _, below = path.partition("/")
        if member.isdir():
            if below:
                tops.add(top)
            continue
        if not below:
            continue  # a stray file beside the top folder
        tops.add(top)
        if not member.isreg():
            continue  # links and devices are never laid out
        size += member.size
        files.append((below, member))
        if len(files) > MAX_FILES or size > MAX_BYTES:
            raise Problem(f"{entry['name']}: the archive is too large")
    if len(tops) != 1:
        raise Problem(f"{entry['name']}: expected one top folder in the archive, found {len(tops)}")
    return files


def under(path, root):
    return path == root or path.startswith(root + "/")


def destination(path, entry):
    """Where an archive path goes: ('artifact' or 'tests', path), or None. The longest rule holds."""
    if path.endswith((".pyc", ".pyo")):
        return None
    rules = [(left["path"], None, None) for left in entry["leave_out"]]
    for side, roots in (("tests", entry["tests"]), ("artifact", entry["package"])):
        rules += [(root, side, place) for root, place in roots.items()]
    fitting = [rule for rule in rules if under(path, rule[0])]
    if not fitting:
        return None
    root, side, place = max(fitting, key=lambda rule: len(rule[0]))  # the first of equals
    return side and (side, place + path[len(root):])


def stamp_of(entry):
    kept = {key: entry[key] for key in ("name", "version", "sha256", "package", "tests", "leave_out")}
    return hashlib.sha256(json.dumps([LAYOUT, kept], sort_keys=True).encode()).hexdigest()


def lay_out(cache, entry):
    """Make <cache>/<name>/{artifact,tests}; False when they were there already."""
    home = cache / entry["name"]
    stamp = home / "layout.sha256"
    wanted = stamp_of(entry)
    try:
        if stamp.read_text() == wanted and (home / "artifact").is_dir() and (home / "tests").is_dir():
            return False
    except OSError:
        pass
    path = download(cache, entry)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        fresh = pathlib.Path(folder, "fresh")
        used = set()
        with tarfile.open(path, "r:gz") as archive:
            for below, member in members(archive, entry):
                place = destination(below, entry)
                if place is None:
                    continue
                target = fresh.joinpath(*place)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.extractfile(member) as source, open(target, "xb") as out:
                    shutil.copyfileobj(source, out)
                executable = member.mode & stat.S_IXUSR
                target.chmod(0o755 if executable else 0o644)
                used.update(
                    (side, root)
                    for side in ("tests", "package")
                    for root in entry[side]
                    if under(below, root)
                )
        missing = [
            root for side in ("tests", "package") for root in entry[side] if (side, root) not in used
        ]
        if missing:
            raise Problem(f"{entry['name']}: not in the archive: {', '.join(missing)}")
        (fresh / "layout.sha256").write_text(wanted)
        shutil.rmtree(home, ignore_errors=True)
        fresh.rename(home)
    return True


def fetch(cache, names=()):
    """Fetch and lay out; the entries."""
    cache = pathlib.Path(cache).resolve()
    cache.mkdir(parents=True, exist_ok=True)
    entries = load_packages(names)
    for entry in entries:
        laid = lay_out(cache, entry)
        say(f"{entry['name']} {entry['version']}: {'laid out' if laid else 'already there'}")
    return entries


def main():
    parser = argparse.ArgumentParser(description="Fetch the real-world packages and lay them out.")
    parser.add_argument("--cache", type=pathlib.Path, default=DEFAULT_CACHE)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these packages")
    arguments = parser.parse_args()
    try:
        fetch(arguments.cache, arguments.names)
    except Problem as problem:
        say(f"fetch: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
