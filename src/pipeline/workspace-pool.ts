import { canonicalJson } from '../platform/base/canonical-json.ts';
import { messageOf } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';
import {
  liveSpecOf,
  openWorkspace,
  type Workspace,
  type WorkspaceParts,
  type WorkspacePlan,
} from '../stages/session/open-workspace.ts';

/** Workspaces of one process. */
export interface Workspaces {
  /** One that waited, or a new one; its caller destroys it. */
  take(plan: WorkspacePlan): Promise<Workspace>;
  /** Destroys those that wait. */
  close(): Promise<void>;
}

/** Who has just taken one is still opening its session: what comes next must not take its processors. */
const REFILL_AFTER_MS = 300;

/** Kinds of which some wait; the kind that was asked for longest ago loses its own first. */
const MOST_KINDS = 8;

/**
 * Makes workspaces of kinds that were asked for before there is a next session: `each` of a kind. Nothing of an instance is in them
 * yet. Those with tools of their own are made when they are asked for.
 */
export function openWorkspaces(parts: WorkspaceParts & { readonly log: Log }, each: number): Workspaces {
  const waiting = new Map<string, Promise<Workspace | null>[]>();
  const leaving = new Set<Promise<void>>();
  let isClosed = false;
  const drop = (made: readonly Promise<Workspace | null>[]) => {
    for (const one of made) {
      const going = one
        .then((workspace) => workspace?.destroy())
        .catch(() => undefined)
        .then(() => void leaving.delete(going));
      leaving.add(going);
    }
  };
  const refill = (kind: string, plan: WorkspacePlan) => {
    const made = waiting.get(kind);
    while (made !== undefined && !isClosed && made.length < each) made.push(makeAhead(parts, plan));
  };
  return {
    async take(plan) {
      const isOwn = Object.keys(plan.tools).length > 0;
      if (isOwn || each === 0) return openWorkspace(parts, plan);
      const kind = kindOf(plan);
      const made = waiting.get(kind) ?? [];
      waiting.delete(kind);
      waiting.set(kind, made);
      for (const oldest of [...waiting.keys()].slice(0, -MOST_KINDS)) {
        drop(waiting.get(oldest) ?? []);
        waiting.delete(oldest);
      }
      const ready = await takeLiving(made);
      const workspace = ready ?? (await openWorkspace(parts, plan));
      setTimeout(() => refill(kind, plan), REFILL_AFTER_MS).unref();
      return workspace;
    },
    async close() {
      isClosed = true;
      for (const made of waiting.values()) drop(made.splice(0));
      await Promise.all(leaving);
    },
  };
}

/** What could not be made ahead is tried again by who needs it, and told then. */
function makeAhead(parts: WorkspaceParts & { readonly log: Log }, plan: WorkspacePlan): Promise<Workspace | null> {
  return openWorkspace(parts, plan).catch((thrown) => {
    parts.log.warn({ reason: messageOf(thrown) }, 'a workspace could not be made ahead');
    return null;
  });
}

/** The first that is there and lives, with all of its time before it. */
async function takeLiving(made: Promise<Workspace | null>[]): Promise<Workspace | null> {
  for (let next = made.shift(); next !== undefined; next = made.shift()) {
    const workspace = await next;
    if (workspace?.sandbox.isAlive()) return workspace;
    await workspace?.destroy();
  }
  return null;
}

function kindOf({ definition, hasGateway }: WorkspacePlan): string {
  return canonicalJson({ snapshot: definition.proctor.snapshot, hasGateway, ...liveSpecOf(definition) });
}
