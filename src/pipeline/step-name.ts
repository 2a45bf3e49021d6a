/** Every step of the pipeline; `steps.ts` has their order. */
export const STEP_NAMES = ['screen', 'grade', 'judge', 'profile', 'opinion', 'decide', 'reward'] as const;
export type StepName = (typeof STEP_NAMES)[number];
