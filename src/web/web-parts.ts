import type { Log } from '../platform/base/log.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { CaseRow } from '../stages/review/review.ts';
import type { Appeal, CaseRuling, GroupReport, GroupRuling, Ruled, Undoing } from '../stages/review/ruled.ts';
import type { ShownMap } from './case/shown-map.ts';
import type { ShownProfile } from './case/shown-profile.ts';
import type { OidcSettings } from './login/oidc-settings.ts';

/** What the pages need; they decide nothing themselves. */
export interface WebParts {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly log: Log;
  /** Where people reach the pages, without a path; null: wherever they are asked for. Cookies are `Secure` when it is https. */
  readonly publicUrl: string | null;
  /** Null: people log in with API keys only. */
  readonly oidc: OidcSettings | null;
  /** Rulings of people on cases; see `pipeline/rule-case.ts`. */
  readonly reviews: {
    rule(ruling: CaseRuling): Promise<Ruled>;
    ruleGroup(ruling: GroupRuling): Promise<readonly GroupReport[]>;
    undo(undoing: Undoing): Promise<Ruled>;
    appeal(appeal: Appeal): Promise<CaseRow>;
  };
  /** The session that handed an artifact in; null when none did. */
  readonly sessionOf: (artifactId: string) => Promise<string | null>;
  /** How odd a session is beside its cohort: what was stored, or made out where nothing was. `conflict` while it is open. */
  readonly profileOf: (sessionId: string) => Promise<ShownProfile>;
  /** Where a session stands among those of its task; null: the task was never clustered. `conflict` while it is open. */
  readonly mapOf: (sessionId: string, task: string) => Promise<ShownMap | null>;
}
