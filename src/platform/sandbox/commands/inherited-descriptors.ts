import { readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;

/** Open descriptors from `first` on that a child of this process would get (fdinfo lacks O_CLOEXEC, proc(5)). */
export function inheritedDescriptors(first: number): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor >= first && isInheritable(descriptor));
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1').match(/^flags:\s*(\d+)/m)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false; // it was the descriptor of the listing itself
  }
}
