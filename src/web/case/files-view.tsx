import { grouped, visible, visibleLine } from '../visible.ts';
import { fileAnchor } from './anchors.ts';
import { type DiffRow, pairRows } from './compare-texts.ts';
import type { ShownFile } from './shown-files.ts';

const MOST_ROWS = 600;
const MOST_COLUMNS = 500;
const MOST_NAME = 200;

const UNSHOWN = {
  binary: 'Not a text. Its bytes are never shown.',
  'too-large': 'Too large to be shown.',
  'too-many': 'One of too many files to be shown.',
  missing: 'Its bytes could not be read; the log says why.',
} as const satisfies Record<NonNullable<ShownFile['unshown']>, string>;
const STATUS = { added: ['good', 'new'], changed: ['info', 'changed'], same: ['', 'as given'] } as const;
const SIGN = { added: '+', removed: '−', same: '' } as const;

/** What was handed in, each file beside what the workspace began with. */
export function FilesView({ files }: { readonly files: readonly ShownFile[] }) {
  const same = files.filter(({ status }) => status === 'same');
  return (
    <>
      {files.length === 0 && <p class="dim">Nothing was handed in.</p>}
      {files
        .filter(({ status }) => status !== 'same')
        .map((file) => (
          <FileView key={file.path} file={file} />
        ))}
      {same.length > 0 && (
        <details>
          <summary>{`${grouped(same.length)} as given`}</summary>
          <ul>
            {same.slice(0, 200).map(({ path }) => (
              <li key={path} id={fileAnchor(path)}>
                <code>{visibleLine(path, MOST_NAME)}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function FileView({ file }: { readonly file: ShownFile }) {
  const [tone, word] = STATUS[file.status];
  return (
    <section class="file" id={fileAnchor(file.path)} aria-label={visibleLine(file.path, MOST_NAME)}>
      <header>
        <h3>
          <code>{visibleLine(file.path, MOST_NAME)}</code>
        </h3>
        <span class={`badge ${tone}`}>{word}</span>
        <small class="dim">
          {grouped(file.sizeBytes)} bytes{(file.mode & 0o111) !== 0 && ', executable'}
        </small>
      </header>
      {file.unshown !== null && (
        <div class="body dim">
          {UNSHOWN[file.unshown]} <code>{file.digest}</code>
        </div>
      )}
      {file.rows !== null && <DiffTable rows={file.rows} path={file.path} />}
      {file.reference !== null && (
        <details class="body">
          <summary>Beside the reference solution</summary>
          <PairTable rows={file.reference} />
        </details>
      )}
    </section>
  );
}

function DiffTable({ rows, path }: { readonly rows: readonly DiffRow[]; readonly path: string }) {
  const anchor = fileAnchor(path);
  return (
    <div class="scroll">
      <table class="diff" aria-label="Differences from the start">
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, index) => (
            <DiffLine key={index} row={row} anchor={anchor} />
          ))}
        </tbody>
      </table>
      <More rows={rows} />
    </div>
  );
}

function DiffLine({ row, anchor }: { readonly row: DiffRow; readonly anchor: string }) {
  if (row.kind === 'gap') {
    return (
      <tr class="gap">
        <td colSpan={4}>{`⋯ ${grouped(row.lines)} lines as given`}</td>
      </tr>
    );
  }
  return (
    <tr class={row.kind} id={row.right === null ? undefined : `${anchor}-${row.right}`}>
      <td class="line">{row.left}</td>
      <td class="line">{row.right}</td>
      <td class="sign">{SIGN[row.kind]}</td>
      <td>{visible(row.text, MOST_COLUMNS)}</td>
    </tr>
  );
}

function PairTable({ rows }: { readonly rows: readonly DiffRow[] }) {
  const pairs = pairRows(rows);
  return (
    <div class="scroll">
      <table class="diff">
        <thead>
          <tr>
            <th scope="col">handed in</th>
            <th scope="col">reference</th>
          </tr>
        </thead>
        <tbody>
          {pairs.slice(0, MOST_ROWS).map(([left, right], index) => (
            <tr key={index}>
              <td class={left?.kind === 'removed' ? 'removed' : undefined}>
                {visible(left?.text ?? '', MOST_COLUMNS)}
              </td>
              <td class={right?.kind === 'added' ? 'added' : undefined}>{visible(right?.text ?? '', MOST_COLUMNS)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More rows={pairs} />
    </div>
  );
}

function More({ rows }: { readonly rows: readonly unknown[] }) {
  const left = rows.length - MOST_ROWS;
  return left > 0 ? <p class="body dim">{`… ${grouped(left)} more lines are not shown`}</p> : null;
}
