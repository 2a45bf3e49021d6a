import type { Job } from '../../src/platform/queue/queue.ts';

/** A job of a queue under test. */
export const job = (id: string, step = 'grade'): Job => ({ step, id });

/** A handler whose jobs run until the test lets them end. */
export function held() {
  const started: string[] = [];
  const letGo = new Map<string, () => void>();
  const handle = ({ step, id }: Job) =>
    new Promise<void>((resolve) => {
      started.push(`${step}/${id}`);
      letGo.set(`${step}/${id}`, resolve);
    });
  return { started, handle, end: (key: string) => letGo.get(key)?.() };
}
