import { DENIED_SYSCALLS } from './deny-list.ts';
import { PARTLY_DENIED } from './seccomp-filter.ts';

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries({ ...DENIED_SYSCALLS, ...PARTLY_DENIED }).map(([name, number]) => [number, name]),
);

/** The name of a call that sandboxes deny, always or with some arguments, by its x86-64 number. */
export function deniedCallName(number: number): string {
  return NAMES.get(number) ?? `call ${number}`;
}
