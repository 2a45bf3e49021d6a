/** One step as a harness tells it. */
export interface ReportedStep {
  readonly at: Date | null;
  readonly messageId: string | null;
  readonly action: Readonly<Record<string, unknown>>;
  readonly observation: Readonly<Record<string, unknown>>;
}
