import { ProctorError } from '../base/errors.ts';
import type { Reaped, Sandbox, SandboxDriver } from './sandbox.ts';
import { whenDestroyed } from './when-destroyed.ts';

/** Is told what a driver does. */
export interface SandboxMeter {
  /** A sandbox was made, or could not be (also when that is met by its first program), in so many milliseconds. */
  made(event: { readonly ok: boolean; readonly wallMs: number }): void;
  /** How many there are just now. */
  living(count: number): void;
  reaped(reaped: Reaped): void;
}

/** The same driver, whose work is told to a meter. */
export function meteredDriver<Driver extends SandboxDriver>(driver: Driver, meter: SandboxMeter): Driver {
  let living = 0;
  const count = (change: number) => {
    living += change;
    meter.living(living);
  };
  /** Where sandboxes are made in the background, what fails is met by who uses them. */
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    return work.catch((thrown) => {
      const isOurs = thrown instanceof ProctorError && thrown.code === 'sandbox-failed';
      if (isOurs) meter.made({ ok: false, wallMs: performance.now() - startedMs });
      throw thrown;
    });
  };
  return {
    ...driver,
    async create(spec) {
      const startedMs = performance.now();
      const told = (ok: boolean) => meter.made({ ok, wallMs: performance.now() - startedMs });
      const sandbox = await driver.create(spec).catch((thrown) => {
        told(false);
        throw thrown;
      });
      told(true);
      count(1);
      const used: Sandbox = {
        ...sandbox,
        exec: (command) => counted(sandbox.exec(command)),
        start: (command) => counted(sandbox.start(command)),
      };
      return whenDestroyed(used, () => count(-1));
    },
    async reap() {
      const reaped = await driver.reap();
      meter.reaped(reaped);
      return reaped;
    },
  };
}
