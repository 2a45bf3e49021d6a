import type { SandboxLimits } from '../../platform/sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';

/** What the examiner may use: it runs the task author's code, not the subject's. */
const EXAMINER_LIMITS: Omit<SandboxLimits, 'wallMs' | 'cpuMs'> = {
  memoryBytes: 1024 ** 3,
  processes: 64,
  outputBytes: 64 * 1024 ** 2,
  fileBytes: 64 * 1024 ** 2,
  diskBytes: 128 * 1024 ** 2,
};
const EXAMINER_CASE_MS = 15_000;
const MEBIBYTE = 1024 ** 2;

/** The examiner draws, then waits for the candidate and judges; it must outlive the grade. */
export function examinerLimits({ definition }: Task): SandboxLimits {
  const wallMs = definition.verifier.timeout_sec * 1000 + definition.proctor.max_cases * EXAMINER_CASE_MS;
  return { ...EXAMINER_LIMITS, wallMs, cpuMs: wallMs };
}

/** What the task allows the candidate's code. */
export function candidateLimits({ definition }: Task): SandboxLimits {
  const { environment, proctor, verifier } = definition;
  const wallMs = verifier.timeout_sec * 1000;
  return {
    wallMs,
    cpuMs: wallMs * environment.cpus,
    memoryBytes: environment.memory_mb * MEBIBYTE,
    processes: proctor.max_processes,
    outputBytes: proctor.max_output_bytes,
    fileBytes: environment.storage_mb * MEBIBYTE,
    diskBytes: environment.storage_mb * MEBIBYTE,
  };
}
