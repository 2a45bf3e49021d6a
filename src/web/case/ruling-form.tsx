import { MAX_NOTE_LENGTH, type Ruling } from '../../stages/review/review.ts';
import { TECHNIQUES } from '../../stages/review/technique.ts';
import { Csrf } from '../layout.tsx';

const BUTTONS = [
  ['cheat', 'Cheat', 'bad'],
  ['honest', 'Honest', 'good'],
  ['task-defect', 'Task defect', ''],
  ['environment-fault', 'Environment fault', ''],
  ['unsure', 'Unsure: ask another', ''],
] as const satisfies readonly (readonly [Ruling, string, string])[];

/** What a reviewer can say, of one case or of a group; keys 1 to 5 press the buttons. */
export function RulingForm(form: {
  readonly action: string;
  readonly csrf: string;
  /** Further fields that are sent with it. */
  readonly hidden: Readonly<Record<string, string>>;
}) {
  return (
    <form method="post" action={form.action}>
      <Csrf csrf={form.csrf} />
      {Object.entries(form.hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label for="technique">Technique, for a cheat</label>
      <select id="technique" name="technique">
        <option value="">–</option>
        {TECHNIQUES.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <label for="note">Note</label>
      <textarea id="note" name="note" maxLength={MAX_NOTE_LENGTH} placeholder="What you saw, for whoever comes next" />
      <div class="rulings">
        {BUTTONS.map(([ruling, name, tone], index) => (
          <button key={ruling} type="submit" name="ruling" value={ruling} class={tone} data-key={index + 1}>
            {name} <kbd>{index + 1}</kbd>
          </button>
        ))}
      </div>
    </form>
  );
}
