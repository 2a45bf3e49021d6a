import { describe, expect, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';

const START = [
  { path: 'a.py', mode: 0o644, bytes: Buffer.from('one\ntwo\nthree\nfour\n') },
  { path: 'bin/run', mode: 0o755, bytes: Buffer.from('#!/bin/sh') },
  { path: 'old.txt', mode: 0o644, bytes: Buffer.from('gone\n') },
  { path: 'picture', mode: 0o644, bytes: Buffer.from([0xff, 0xfe, 0x0a]) },
];
const applied = (patch: string) =>
  Object.fromEntries(
    applyPatch(START, patch).map(({ path, bytes, executable }) => [
      path,
      `${bytes.toString()}${executable ? '*' : ''}`,
    ]),
  );
const UNTOUCHED = applied('--- a/old.txt\n+++ b/old.txt\n@@ -1 +1 @@\n gone\n');

describe('a patch on the files of a workspace', () => {
  test('changes, adds, removes and renames as git writes it', () => {
    const patch = `diff --git a/a.py b/a.py
index 1..2 100644
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@ def
 one
-two
+2
 three
@@ -4 +4,2 @@
-four
+4
+five
\\ No newline at end of file
diff --git a/bin/run b/bin/go
similarity index 100%
rename from bin/run
rename to bin/go
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1 @@
+hello
diff --git a/empty b/empty
new file mode 100644
`;
    const { picture: _, ...files } = applied(patch);
    expect(files).toEqual({
      ...{ 'a.py': 'one\n2\nthree\n4\nfive', 'bin/go': '#!/bin/sh*', 'new.sh': 'hello\n*', empty: '' },
    });
  });

  test('is taken from diff -u too, with times behind the names and a mail around it', () => {
    const patch =
      'Subject: better\n\n--- a.py\t2026-01-01\n+++ a.py\t2026-01-02\n@@ -2,1 +2,1 @@\n-two\n+zwei\n-- \n2.39\n';
    expect(applied(patch)).toEqual({ ...UNTOUCHED, 'a.py': 'one\nzwei\nthree\nfour\n' });
  });

  test('keeps the end of a line as it is: CR is part of it', () => {
    const patch = '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+one\r\n';
    expect(applied(patch)['a.py']).toBe('one\r\ntwo\nthree\nfour\n');
  });

  test.each([
    [
      'a context that is not there',
      '--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-three\n+3\n',
      'hunk 1 does not apply',
    ],
    ['the right lines at another place', '--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-two\n+2\n', 'hunk 1 does not apply'],
    ['a place beyond the file', '--- a/a.py\n+++ b/a.py\n@@ -99,0 +99 @@\n+x\n', 'has no line'],
    [
      'hunks in the wrong order',
      '--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-three\n+3\n@@ -1 +1 @@\n-one\n+1\n',
      'hunk 2 begins',
    ],
    ['a file that is missing', '--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y\n', 'there is no such file'],
    ['a new file that is there', '--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n', 'is there already'],
    ['a removal that leaves something', '--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n', 'not all of it'],
    ['bytes that are no text', '--- a/picture\n+++ b/picture\n@@ -1 +1 @@\n-x\n+y\n', 'no UTF-8 text'],
    ['a hunk that ends too soon', '--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n', 'fewer lines'],
    ['a hunk with more than it says', '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n-two\n', 'other lines'],
    ['something after a hunk', '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+1\nand so on\n', 'line 6'],
    ['a binary part', 'diff --git a/picture b/picture\nBinary files a/picture and b/picture differ\n', 'binary'],
    [
      'a link',
      'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n',
      'mode 120000',
    ],
    ['no diff at all', 'please fix it\n', 'no unified diff'],
    ['nothing', '', 'no unified diff'],
    [
      'a line without an end amid others',
      '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+1\n\\ No newline at end of file\n',
      'without an end',
    ],
  ])('is refused for %s', (_, patch, message) => {
    expect(() => applied(patch)).toThrow(message);
    expect(() => applied(patch)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });

  test('of many lines is applied in time that grows with its length', () => {
    const added = Array.from({ length: 200_000 }, (_, n) => `+${n}\n`).join('');
    const patch = `--- /dev/null\n+++ b/long\n@@ -0,0 +1,200000 @@\n${added}`;
    expect(applied(patch).long?.length).toBe(added.length - 200_000);
  });
});
