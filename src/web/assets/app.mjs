// Keys and small comforts for the reviewers' pages. Everything works without it, by links and forms.

const typing = (target) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

/** Moves the focus among what has `data-row`, as in a list. */
function move(by) {
  const rows = [...document.querySelectorAll('[data-row]')];
  if (rows.length === 0) return false;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const row = rows[Math.max(0, Math.min(rows.length - 1, at === -1 && by < 0 ? rows.length - 1 : at + by))];
  const target = row?.matches('a, button') ? row : row?.querySelector('a');
  target?.focus();
  row?.scrollIntoView({ block: 'nearest' });
  return true;
}

function press(selector) {
  const target = document.querySelector(selector);
  if (target === null) return false;
  target.click();
  return true;
}

function showHelp() {
  const dialog = document.querySelector('dialog#keys');
  if (dialog === null) return false;
  if (dialog.open) dialog.close();
  else dialog.showModal();
  return true;
}

const KEYS = {
  j: () => press('a[data-key="j"]') || move(1),
  k: () => press('a[data-key="k"]') || move(-1),
  u: () => press('button[data-key="u"]'),
  c: () => press('button[data-key="c"]'),
  '?': showHelp,
  '/': () => {
    const field = document.querySelector('input[type="search"]');
    field?.focus();
    return field !== null;
  },
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === 'Escape' && typing(event.target)) return event.target.blur();
  if (typing(event.target) || document.querySelector('dialog[open]')) return;
  const action = /^[1-5]$/.test(event.key) ? () => press(`button[data-key="${event.key}"]`) : KEYS[event.key];
  if (action?.() === true) event.preventDefault();
});

document.addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('[data-help]')) showHelp();
});

// a cheat needs its technique: the field is asked for, not the server
document.addEventListener('submit', (event) => {
  const technique = event.target.querySelector?.('select[name="technique"]');
  if (technique && event.submitter?.value === 'cheat' && technique.value === '') {
    event.preventDefault();
    technique.setCustomValidity('Which technique? Choose one, then rule again.');
    technique.reportValidity();
    technique.focus();
    technique.addEventListener('change', () => technique.setCustomValidity(''), { once: true });
  }
});

for (const shown of document.querySelectorAll('[data-script]')) shown.hidden = false;
