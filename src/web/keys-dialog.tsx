const KEYS = [
  ['j', 'next case, or down a list'],
  ['k', 'the case before, or up a list'],
  ['Enter', 'open'],
  ['1 – 5', 'cheat, honest, task defect, environment fault, unsure'],
  ['u', 'take the last ruling back'],
  ['c', 'take the case, or let it go'],
  ['/', 'search'],
  ['?', 'this list'],
] as const;

/** What the keyboard does; opened by `?`, where there is a script. */
export function KeysDialog() {
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl class="facts">
        {KEYS.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
