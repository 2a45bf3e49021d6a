import { createHash } from 'node:crypto';
import { makeInstance } from '../../stages/instance/make-instance.ts';
import type { Task } from '../../stages/task/task.ts';
import type { Service } from '../open-service.ts';

/** Lines shorter than this are no evidence: `import os` stands in many files. */
const LINE_LENGTH = 24;
const LIMITS = {
  ...{ wallMs: 60_000, cpuMs: 60_000, memoryBytes: 512 * 1024 ** 2, processes: 16 },
  ...{ outputBytes: 4 * 1024 ** 2, fileBytes: 64 * 1024 ** 2, diskBytes: 128 * 1024 ** 2 },
};

/** Looks through all that a program in the sandbox can read, for lines and whole files by digest, and names. */
const SEARCH = String.raw`
import hashlib, json, os, sys, zlib
wanted = json.load(sys.stdin)
lines, files, names = set(wanted["lines"]), set(wanted["files"]), set(wanted["names"])
found = set()
def digest(data):
    return hashlib.sha256(data).hexdigest()
def look(place, data):
    if digest(data) in files:
        found.add("%s is a hidden file" % place)
    for line in data.split(b"\n")[:200000]:
        line = line.strip()
        if len(line) >= ${LINE_LENGTH} and digest(line) in lines:
            found.add("%s holds a line of a hidden file" % place)
            return
for root in ("/work", "/tmp", "/home", "/root", "/opt", "/srv", "/mnt", "/media", "/var", "/run", "/dev/shm", "/tests", "/logs", "/proctor"):
    for folder, below, entries in os.walk(root):
        for name in entries:
            path = os.path.join(folder, name)
            if name in names and not folder.startswith("/usr"):
                found.add("%s has the name of a hidden file" % path)
            try:
                if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) < 8000000:
                    data = open(path, "rb").read()
                    look(path, data)
                    if "/.git/objects/" in path:
                        look(path + " (git object)", zlib.decompress(data).split(b"\0", 1)[-1])
            except Exception:
                pass
for name, value in os.environ.items():
    look("the variable " + name, value.encode("utf-8", "surrogateescape"))
for pid in filter(str.isdigit, os.listdir("/proc")):
    for entry in ("cmdline", "environ", "mountinfo"):
        try:
            data = open("/proc/%s/%s" % (pid, entry), "rb").read()
        except OSError:
            continue
        look("/proc/%s/%s" % (pid, entry), data.replace(b"\0", b"\n"))
json.dump(sorted(found)[:100], sys.stdout)
`;

interface Needles {
  readonly lines: readonly string[];
  readonly files: readonly string[];
  readonly names: readonly string[];
}

/** Where the hidden shows: in the workspace that the agent gets, or in the sandbox that its code runs in. Digests are searched, never the text itself. */
export async function findHidden({ parts }: Service, task: Task, seed: string): Promise<readonly string[]> {
  const instance = makeInstance(task, seed);
  const visible = new Set(instance.files.flatMap(({ bytes }) => linesOf(bytes)));
  const hidden = task.files.filter(({ path }) => path.startsWith('tests/'));
  const known = new Set(instance.files.map(({ path }) => nameOf(path)));
  const needles: Needles = {
    lines: [...new Set(hidden.flatMap(({ bytes }) => linesOf(bytes)))]
      .filter((line) => !visible.has(line) || isTelling(line))
      .map(sha),
    files: hidden.filter(({ bytes }) => bytes.length > 0).map(({ bytes }) => sha(bytes)),
    names: hidden.map(({ path }) => nameOf(path)).filter((name) => !known.has(name) && name !== 'conftest.py'),
  };
  const snapshot = await parts.snapshots.resolve(task.definition.proctor.snapshot);
  const sandbox = await parts.driver.create({ root: snapshot.root, limits: LIMITS, tools: parts.tools.candidate });
  try {
    for (const file of instance.files) await sandbox.writeFile(file.path, file.bytes, file.mode);
    const { stdout, stderr } = await sandbox.exec({
      argv: ['/usr/bin/python3', '-I', '-B', '-c', SEARCH],
      stdin: Buffer.from(JSON.stringify(needles)),
    });
    if (stdout.length === 0)
      throw new Error(`the search for hidden files failed: ${stderr.toString('utf8').slice(-300)}`);
    return JSON.parse(stdout.toString('utf8'));
  } finally {
    await sandbox.destroy();
  }
}

/** A line with an assertion or an expected value tells more than one that any test file may share with the visible ones. */
function isTelling(line: string): boolean {
  return /\b(assert|expected|Raises|parametrize)\b/.test(line);
}

function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line.length >= LINE_LENGTH && !/^(import|from|def|class|@|#|return) /.test(line));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.tmpl$/, '');
}

function sha(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
