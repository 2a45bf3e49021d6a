import type { Sandbox } from './sandbox.ts';

/** The same sandbox, after whose end something is done, once. */
export function whenDestroyed(sandbox: Sandbox, done: () => void): Sandbox {
  let destroying: Promise<void> | null = null;
  return {
    ...sandbox,
    destroy() {
      destroying ??= sandbox.destroy().finally(done);
      return destroying;
    },
  };
}
