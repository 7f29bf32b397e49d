import type { Logger } from 'pino';
import { projections } from '../../projections/index.js';
import { type BackgroundVerifications, backgroundVerifications } from '../audit/background-verifications.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Leases } from '../stores/leases/leases.js';
import type { Follower } from '../views/follower.js';
import { followUnderLease } from '../views/following/follow-under-lease.js';
import { watchAll } from '../views/following/watch.js';
import type { ReadModel } from '../views/read-model.js';
import { type BackgroundRebuilds, backgroundRebuilds } from '../views/rebuilding/background-rebuilds.js';
import type { Role } from './config/config.js';
import { withScratchReadModel } from './stores/scratch-read-model.js';
import type { OnStop } from './stores/stores.js';

type ViewDependencies = {
  store: EventStore;
  readModel: ReadModel;
  leases: Leases;
  log: Logger;
};

export type Views = {
  /** One for each projection. */
  followers: readonly Follower[];
  rebuilds: BackgroundRebuilds;
  verifications: BackgroundVerifications;
};

/** The views, which this instance keeps up to date or only watches, and their rebuilds and verifications. */
export function startViews(
  { roles }: { roles: ReadonlySet<Role> },
  dependencies: ViewDependencies,
  onStop: OnStop,
): Views {
  const start = roles.has('projector') ? followUnderLease : watchAll;
  const views = start({ ...dependencies, projections });
  onStop(views.stop);
  const rebuilds = backgroundRebuilds(dependencies);
  onStop(rebuilds.stop);
  const verifications = backgroundVerifications({ ...dependencies, withScratch: withScratchReadModel });
  onStop(verifications.stop);
  return { followers: views.followers, rebuilds, verifications };
}
