import type { Config } from '../config.ts';
import { sessionOfArtifact } from '../pipeline/session-of-artifact.ts';
import type { WebParts } from '../web/web-parts.ts';
import type { Service } from './open-service.ts';
import { rulingsOf } from './rulings.ts';
import { showMap } from './show-map.ts';
import { showProfile } from './show-profile.ts';

/** What the pages need of an open service. */
export function webParts({ parts }: Pick<Service, 'parts'>, config: Config): WebParts {
  const { database, blobs, log } = parts;
  return {
    ...{ database, blobs, log, publicUrl: config.publicUrl, oidc: config.oidc },
    reviews: rulingsOf(parts),
    sessionOf: (artifactId) => sessionOfArtifact(database, artifactId),
    profileOf: (sessionId) => showProfile({ database, blobs }, sessionId),
    mapOf: (sessionId, task) => showMap({ database, blobs }, sessionId, task),
  };
}
