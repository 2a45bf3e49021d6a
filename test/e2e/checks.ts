/** Counts what is checked; what is wrong is told at once and fails the run at its end. */
export interface Checks {
  /** Whether something holds; `found` is told where it does not. */
  that(what: string, holds: boolean, found?: unknown): void;
  /** Runs a part; what it throws is one wrong check. */
  part(name: string, run: () => Promise<void>): Promise<void>;
  /** Prints the sum; gives whether all held. */
  tell(): boolean;
}

export function countChecks(): Checks {
  let [right, wrong] = [0, 0];
  let at = '';
  const fail = (what: string, found: unknown) => {
    wrong++;
    console.error(`WRONG  ${at}: ${what}${found === undefined ? '' : `: ${String(found).slice(0, 600)}`}`);
  };
  return {
    that(what, holds, found) {
      if (holds) right++;
      else fail(what, found);
    },
    async part(name, run) {
      at = name;
      const before = [right, wrong] as const;
      await run().catch((thrown) => fail('it broke off', thrown instanceof Error ? thrown.stack : thrown));
      console.log(`${name}: ${right - before[0]} right, ${wrong - before[1]} wrong`);
    },
    tell() {
      console.log(`${right + wrong} checks, ${wrong} wrong`);
      return wrong === 0;
    },
  };
}
