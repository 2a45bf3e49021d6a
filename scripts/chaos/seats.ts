import { setTimeout as pause } from 'node:timers/promises';
import { type Program, startProgram } from '../../test/support/program.ts';

/** A place for one program, which is started anew whenever it was ended. */
export interface Seat {
  /** The program that runs there just now, or null between two. */
  now(): Program | null;
  /** How often a program ended there that nobody had told to. */
  unexpected(): number;
  /** `more` adds to its settings for this one life. */
  start(more?: NodeJS.ProcessEnv): Promise<Program>;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A seat for `proctor ARGS`. */
export function seatFor(args: readonly string[], how: { settings: NodeJS.ProcessEnv; ready: RegExp }): Seat {
  let program: Program | null = null;
  let unexpected = 0;
  return {
    now: () => program,
    unexpected: () => unexpected,
    async start(more = {}) {
      for (let tries = 1; ; tries++) {
        try {
          const started = await startProgram(args, { ...how, settings: { ...how.settings, ...more } });
          started.child.once('exit', (code, signal) => {
            if (program !== started) return;
            unexpected++;
            process.stderr.write(`proctor ${args.join(' ')} ended by itself: ${signal ?? code}\n`);
          });
          program = started;
          return started;
        } catch (thrown) {
          if (tries === 20) throw thrown; // its database may be away just now
          await pause(500);
        }
      }
    },
    async end(signal) {
      const ending = program;
      program = null;
      await ending?.end(signal);
    },
  };
}
